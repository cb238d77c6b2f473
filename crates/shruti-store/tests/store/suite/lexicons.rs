//! Lexicons of accounts, on every store.

use std::time::Duration;

use super::{NOON, TestDatabase, key_of, operator_key, redeem, sign_up};
use shruti_clock::Moment;
use shruti_store::{
    AccountId, AccountLexicon, Actor, KeyCache, KeyCheck, KeySpec, LexiconReplacement, MAX_LEXICON_BYTES,
    PlaygroundSpec, PromoSpec, Store,
};

super::on_every_store!(
    a_lexicon_is_stored_with_a_version,
    the_second_of_two_editors_gets_a_conflict,
    each_version_is_written_by_one_editor,
    lexicons_are_separate_per_account,
    every_key_of_the_account_has_the_lexicon_version,
    servers_receive_a_lexicon_change_with_the_key,
    oversized_lexicons_and_unknown_accounts_are_rejected,
);

const ONE: &str = "[words]\nAIIMS = \"एम्स\"\n";
const TWO: &str = "[words]\nAIIMS = \"ऐम्स\"\n";

async fn find(store: &dyn Store, account: &AccountId) -> AccountLexicon {
    store.find_lexicon(account.clone()).await.unwrap().unwrap()
}

async fn replace(
    store: &dyn Store,
    account: &AccountId,
    toml: &str,
    replaced: Option<i64>,
    now_ms: i64,
) -> LexiconReplacement {
    store.replace_lexicon(account.clone(), toml.to_owned(), replaced, now_ms).await.unwrap()
}

fn lexicon(version: i64, changed_ms: i64, toml: &str) -> AccountLexicon {
    AccountLexicon { version, changed_ms, toml: toml.to_owned() }
}

async fn a_lexicon_is_stored_with_a_version(database: &impl TestDatabase) {
    let store = database.open().await;
    let asha = sign_up(&*store, "asha@example.org", NOON).await.id;
    assert_eq!(find(&*store, &asha).await, AccountLexicon::default());

    // control characters, quotes and SQL are ordinary text
    let odd = "[words]\n\"'); DROP TABLE lexicons; --\" = \"\\u0000\u{202e}एम्स\"\n";
    for (version, toml) in [(1, ONE), (2, TWO), (3, odd), (4, "")] {
        let now_ms = NOON + version;
        let wanted = lexicon(version, now_ms, toml);
        assert_eq!(
            replace(&*store, &asha, toml, Some(version - 1), now_ms).await,
            LexiconReplacement::Replaced(wanted.clone())
        );
        // the same text is not a change
        assert_eq!(
            replace(&*store, &asha, toml, None, now_ms + 100).await,
            LexiconReplacement::Replaced(wanted.clone())
        );
        assert_eq!(find(&*database.open().await, &asha).await, wanted, "another process sees it");
    }
    assert_eq!(database.rows("lexicons").await, 1);
}

async fn the_second_of_two_editors_gets_a_conflict(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let asha = sign_up(&*stores[0], "asha@example.org", NOON).await.id;
    replace(&*stores[0], &asha, ONE, Some(0), NOON).await;
    let wanted = LexiconReplacement::OtherVersion(lexicon(1, NOON, ONE));
    assert_eq!(replace(&*stores[1], &asha, TWO, Some(0), NOON).await, wanted);
    assert_eq!(replace(&*stores[1], &asha, ONE, Some(0), NOON).await, wanted, "even with the same text");
    assert_eq!(find(&*stores[1], &asha).await.toml, ONE);
    // if no version is given, the current lexicon is replaced
    assert!(matches!(replace(&*stores[1], &asha, TWO, None, NOON).await, LexiconReplacement::Replaced(_)));
}

async fn each_version_is_written_by_one_editor(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let asha = sign_up(&*stores[0], "asha@example.org", NOON).await.id;
    let mut editors = tokio::task::JoinSet::new();
    for editor in 0..20 {
        let (store, asha) = (stores[editor % 2].clone(), asha.clone());
        let toml = format!("[words]\na = \"b{editor}\"\n");
        editors.spawn(async move { replace(&*store, &asha, &toml, Some(0), NOON).await });
    }
    let outcomes = editors.join_all().await;
    let held = find(&*stores[0], &asha).await;
    let (won, rejected): (Vec<_>, Vec<_>) =
        outcomes.into_iter().partition(|outcome| matches!(outcome, LexiconReplacement::Replaced(_)));
    assert_eq!(won, [LexiconReplacement::Replaced(held.clone())]);
    assert!(rejected.iter().all(|outcome| *outcome == LexiconReplacement::OtherVersion(held.clone())));
    assert_eq!((held.version, rejected.len()), (1, 19));
}

async fn lexicons_are_separate_per_account(database: &impl TestDatabase) {
    let store = database.open().await;
    let asha = sign_up(&*store, "asha@example.org", NOON).await;
    let ravi = sign_up(&*store, "ravi@example.org", NOON).await;
    let key = key_of(&*store, &ravi, KeySpec::named("a"), NOON).await.record;
    replace(&*store, &asha.id, ONE, None, NOON).await;
    assert_eq!(find(&*store, &ravi.id).await, AccountLexicon::default());
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(key.clone()), "nor its keys'");
    replace(&*store, &ravi.id, TWO, Some(0), NOON).await;
    assert_eq!(find(&*store, &asha.id).await.toml, ONE);
}

async fn every_key_of_the_account_has_the_lexicon_version(database: &impl TestDatabase) {
    let store = database.open().await;
    let asha = sign_up(&*store, "asha@example.org", NOON).await;
    let before = key_of(&*store, &asha, KeySpec::named("before"), NOON).await.record;
    let of_nobody = operator_key(&*store, KeySpec::named("operator's"), NOON).await.record;
    assert_eq!((before.lexicon, of_nobody.lexicon), (None, None));
    let revision = store.key_revision().await.unwrap();

    replace(&*store, &asha.id, ONE, None, NOON).await;
    let changes = store.key_changes_since(revision).await.unwrap();
    let seen: Vec<_> = changes.keys.iter().map(|key| (&key.prefix, key.lexicon)).collect();
    assert_eq!(seen, [(&before.prefix, Some(1))]);
    let after = key_of(&*store, &asha, KeySpec::named("after"), NOON).await.record;
    let playground = PlaygroundSpec { owner: Some(asha.id.clone()), limits: after.limits, monthly_cap: None };
    let playground = store.ensure_playground_key(playground, NOON).await.unwrap().unwrap();
    assert_eq!((after.lexicon, playground.lexicon), (Some(1), Some(1)));

    // keys have no lexicon version if the lexicon is empty
    replace(&*store, &asha.id, "", None, NOON).await;
    let listed = store.list_keys(Actor::Account(asha.id.clone())).await.unwrap();
    assert_eq!(listed.iter().map(|key| key.lexicon).collect::<Vec<_>>(), [None, None]);
    replace(&*store, &asha.id, ONE, None, NOON).await;
    assert_eq!(store.find_key(before.prefix).await.unwrap().unwrap().lexicon, Some(3));
}

async fn servers_receive_a_lexicon_change_with_the_key(database: &impl TestDatabase) {
    let (here, there) = (database.open().await, database.open().await);
    let asha = sign_up(&*here, "asha@example.org", NOON).await;
    let promo = PromoSpec { chars: 100, uses: 1, expires_ms: None };
    let code = here.create_promo(Actor::Operator, promo, NOON).await.unwrap().code;
    redeem(&*here, &asha, &code.to_string(), NOON).await;
    let key = key_of(&*here, &asha, KeySpec::named("a"), NOON).await.record;
    let cache = KeyCache::new(here.clone());
    let at = |ms: u64| Moment { monotonic: Duration::from_millis(ms), wall_ms: NOON };
    let seen = async |ms| match cache.check_again(&key.prefix, at(ms)).await.unwrap() {
        KeyCheck::Valid(key) => key.lexicon,
        other => panic!("{other:?}"),
    };
    cache.refresh(|| at(0)).await.unwrap();
    assert_eq!(seen(1).await, None);
    replace(&*there, &asha.id, ONE, None, NOON).await;
    cache.refresh(|| at(500)).await.unwrap();
    assert_eq!(seen(501).await, Some(1));
}

async fn oversized_lexicons_and_unknown_accounts_are_rejected(database: &impl TestDatabase) {
    let store = database.open().await;
    let nobody = AccountId::parse("acc_00000000000000000000").unwrap();
    assert_eq!(store.find_lexicon(nobody.clone()).await.unwrap(), None);
    assert_eq!(replace(&*store, &nobody, ONE, None, NOON).await, LexiconReplacement::NoAccount);
    let asha = sign_up(&*store, "asha@example.org", NOON).await.id;
    let long = "#".repeat(MAX_LEXICON_BYTES);
    assert_eq!(replace(&*store, &asha, &format!("{long}#"), None, NOON).await, LexiconReplacement::TooLong);
    assert_eq!(
        replace(&*store, &asha, &long, None, NOON).await,
        LexiconReplacement::Replaced(lexicon(1, NOON, &long))
    );
}
