//! What every store does with promo codes, whatever database is behind it.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{DAY, Database, HOUR, MINUTE, NOON, email, events, key_of, sign_up};
use shruti_store::{
    Account, KeySpec, NamedPromo, PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoCode, PromoDisabling, PromoRecord,
    PromoSpec, Redemption, Store,
};

const SPEC: PromoSpec = PromoSpec { chars: 10_000, uses: 1, expires_ms: None };

async fn redeem(store: &dyn Store, account: &Account, typed: &str, now_ms: i64) -> Redemption {
    store.redeem_promo(account.id.clone(), typed.to_owned(), now_ms).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_who_redeem_the_last_use_one_gets_it() {
    let database = Database::new();
    let stores = [database.open(), database.open()];
    let promo = stores[0].create_promo(PromoSpec { uses: 2, ..SPEC }, NOON).await.unwrap();
    let early = sign_up(&*stores[0], "early@example.org", NOON).await;
    assert!(matches!(
        redeem(&*stores[0], &early, &promo.code.to_string(), NOON).await,
        Redemption::Redeemed { .. }
    ));
    let mut accounts = Vec::new();
    for i in 0..50 {
        let address = email(&format!("a{i}@example.org"));
        stores[0].invite_account(address.clone(), NOON).await.unwrap();
        accounts.push(stores[0].find_account(address).await.unwrap().unwrap());
    }
    let mut tries = tokio::task::JoinSet::new();
    for (i, account) in accounts.into_iter().enumerate() {
        let (store, code) = (stores[i % 2].clone(), promo.code.to_string());
        tries.spawn(async move { redeem(&*store, &account, &code, NOON).await });
    }
    let (mut redeemed, mut exhausted) = (0, 0);
    for outcome in tries.join_all().await {
        match outcome {
            Redemption::Redeemed { account, added_chars } => {
                redeemed += 1;
                assert_eq!(
                    (account.monthly_chars, added_chars, account.access_lock()),
                    (10_000, 10_000, None)
                );
            }
            Redemption::Exhausted => exhausted += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((redeemed, exhausted), (1, 49));
    assert_eq!(stores[1].list_promos().await.unwrap(), [PromoRecord { used: 2, ..promo.record }]);
    let mut open = 0;
    for account in stores[1].list_accounts(None, 100).await.unwrap() {
        open += u32::from(account.access_lock().is_none());
    }
    assert_eq!(open, 2, "only who redeemed it has access");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_counts_once_an_account() {
    let database = Database::new();
    let stores = [database.open(), database.open()];
    let promo = stores[0].create_promo(PromoSpec { uses: 100, ..SPEC }, NOON).await.unwrap();
    let account = sign_up(&*stores[0], "asha@example.org", NOON).await;
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (store, code, account) = (stores[i % 2].clone(), promo.code.to_string(), account.clone());
        tries.spawn(async move { redeem(&*store, &account, &code, NOON).await });
    }
    let outcomes = tries.join_all().await;
    let redeemed = outcomes.iter().filter(|outcome| matches!(outcome, Redemption::Redeemed { .. })).count();
    let again = outcomes.iter().filter(|outcome| **outcome == Redemption::AlreadyRedeemed).count();
    assert_eq!((redeemed, again), (1, 49));
    assert_eq!(stores[0].list_promos().await.unwrap()[0].used, 1);
    let other = stores[0].create_promo(PromoSpec { chars: 5, ..SPEC }, NOON).await.unwrap();
    let added = redeem(&*stores[0], &account, &other.code.to_string(), NOON).await;
    let Redemption::Redeemed { account, .. } = added else { panic!("{added:?}") };
    assert_eq!(account.monthly_chars, 10_005, "different codes add up");
    assert_eq!(account.access_ms, Some(NOON));
}

#[tokio::test]
async fn case_and_dashes_do_not_matter() {
    let database = Database::new();
    let store = database.open();
    let promo = store.create_promo(PromoSpec { uses: 9, ..SPEC }, NOON).await.unwrap();
    let shown = promo.code.to_string();
    for (i, typed) in [shown.to_lowercase(), shown.replace('-', ""), format!("  {shown} ")].iter().enumerate()
    {
        let account = sign_up(&*store, &format!("a{i}@example.org"), NOON).await;
        let outcome = redeem(&*store, &account, typed, NOON).await;
        assert!(matches!(outcome, Redemption::Redeemed { .. }), "{typed}: {outcome:?}");
    }
}

#[tokio::test]
async fn five_wrong_tries_an_hour_and_then_a_wait() {
    let database = Database::new();
    let store = database.open();
    let promo = store.create_promo(SPEC, NOON).await.unwrap();
    let right = promo.code.to_string();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let unknown = PromoCode::generate().unwrap().to_string();
    let wrong = [unknown.as_str(), "", "नमस्ते", "'; DROP TABLE promo_codes; --", &"x".repeat(10_000)];
    for (i, typed) in (0_u32..).zip(wrong) {
        let outcome = redeem(&*store, &account, typed, NOON + i64::from(i) * MINUTE).await;
        assert_eq!(outcome, Redemption::Unknown { tries_left: PROMO_TRIES - 1 - i }, "{typed}");
    }
    for typed in [right.as_str(), "wrong"] {
        let outcome = redeem(&*store, &account, typed, NOON + 10 * MINUTE).await;
        assert_eq!(outcome, Redemption::Wait { retry_in_ms: 50 * MINUTE.unsigned_abs() }, "{typed}");
    }
    let other = sign_up(&*store, "b@example.org", NOON).await;
    assert_eq!(redeem(&*store, &other, "wrong", NOON).await, Redemption::Unknown { tries_left: 4 });
    let free = NOON + PROMO_TRIES_WINDOW_MS;
    assert_eq!(redeem(&*store, &account, &right, free - 1).await, Redemption::Wait { retry_in_ms: 1 });
    assert_eq!(
        redeem(&*store, &account, "wrong", free).await,
        Redemption::Unknown { tries_left: 0 },
        "one is an hour old"
    );
    assert!(matches!(redeem(&*store, &account, &right, free + MINUTE).await, Redemption::Redeemed { .. }));
    let log = events(&*store).await;
    assert!(log.contains(&"promo_redemption unknown_code x6".to_owned()), "{log:?}");
    let log = format!("{:?}", store.audit_log(None, None, 100).await.unwrap());
    assert!(
        !log.contains(&right) && log.contains(promo.code.beginning().as_str()) && !log.contains("DROP"),
        "{log}"
    );
}

#[tokio::test]
async fn what_is_no_guess_is_not_counted() {
    let database = Database::new();
    let store = database.open();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let make = async |spec| store.create_promo(spec, NOON).await.unwrap().code;
    let expired = make(PromoSpec { expires_ms: Some(NOON + HOUR), ..SPEC }).await;
    let ended = make(SPEC).await;
    let exhausted = make(SPEC).await;
    let other = sign_up(&*store, "b@example.org", NOON).await;
    redeem(&*store, &other, &exhausted.to_string(), NOON).await;
    let disabled = store.disable_promo(NamedPromo::Whole(ended.clone()), NOON).await.unwrap();
    assert!(
        matches!(&disabled, PromoDisabling::Disabled(record) if record.disabled_ms == Some(NOON)),
        "{disabled:?}"
    );
    let again = store.disable_promo(NamedPromo::Whole(ended.clone()), NOON + 1).await.unwrap();
    assert!(matches!(&again, PromoDisabling::AlreadyDisabled(record) if record.disabled_ms == Some(NOON)));
    let unknown = store.disable_promo(NamedPromo::Whole(PromoCode::generate().unwrap()), NOON).await.unwrap();
    assert_eq!(unknown, PromoDisabling::Unknown);
    for _ in 0..3 {
        assert_eq!(redeem(&*store, &account, &expired.to_string(), NOON + HOUR).await, Redemption::Expired);
        assert_eq!(redeem(&*store, &account, &ended.to_string(), NOON + HOUR).await, Redemption::Expired);
        assert_eq!(
            redeem(&*store, &account, &exhausted.to_string(), NOON + HOUR).await,
            Redemption::Exhausted
        );
    }
    let in_time = redeem(&*store, &account, &expired.to_string(), NOON + HOUR - 1).await;
    assert!(matches!(in_time, Redemption::Redeemed { .. }), "{in_time:?}");
    store.lock_account(account.email.clone(), NOON).await.unwrap();
    assert_eq!(redeem(&*store, &account, &expired.to_string(), NOON).await, Redemption::NoAccount);
}

#[tokio::test]
async fn servers_learn_of_the_access_with_the_changes_of_keys() {
    let database = Database::new();
    let store = database.open();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("a"), NOON).await.record;
    let promo = store.create_promo(SPEC, NOON).await.unwrap();
    let before = store.key_revision().await.unwrap();
    redeem(&*store, &account, &promo.code.to_string(), NOON + DAY).await;
    let told = store.key_changes_since(before).await.unwrap().keys;
    assert_eq!((told.len(), &told[0].prefix, told[0].lock), (1, &key.prefix, None));
}

#[tokio::test]
async fn a_code_is_stored_nowhere_and_is_called_by_its_beginning() {
    let database = Database::new();
    let store = database.open();
    let promo = store.create_promo(SPEC, NOON).await.unwrap();
    let other = store.create_promo(SPEC, NOON).await.unwrap();
    for code in [&promo.code, &other.code] {
        assert!(!database.holds(&code.to_string().replace('-', "")) && !database.holds(&code.to_string()));
    }
    let listed = store.list_promos().await.unwrap();
    assert!(listed.contains(&promo.record) && listed.contains(&other.record), "{listed:?}");
    let named = NamedPromo::Beginning(promo.code.beginning());
    let ended = store.disable_promo(named, NOON).await.unwrap();
    assert!(matches!(&ended, PromoDisabling::Disabled(record) if record.beginning == promo.code.beginning()));
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    assert_eq!(redeem(&*store, &account, &promo.code.to_string(), NOON).await, Redemption::Expired);
    let redeemed = redeem(&*store, &account, &other.code.to_string(), NOON).await;
    assert!(matches!(redeemed, Redemption::Redeemed { .. }), "the other goes on: {redeemed:?}");
}

/// The tables of the version before, with codes as they were.
fn database_with_plain_codes(database: &Database) {
    std::fs::create_dir(database.folder()).unwrap();
    let old = rusqlite::Connection::open(database.folder().join("shruti.db")).unwrap();
    old.pragma_update(None, "journal_mode", "WAL").unwrap();
    for step in [
        include_str!("../migrations/0001_keys.sql"),
        include_str!("../migrations/0002_tokens.sql"),
        include_str!("../migrations/0003_accounts.sql"),
        include_str!("../migrations/0004_promo_codes.sql"),
        include_str!("../migrations/0005_usage.sql"),
        include_str!("../migrations/0006_playground_keys.sql"),
    ] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", 6).unwrap();
    old.pragma_update(None, "foreign_keys", true).unwrap();
    old.execute_batch(
        "INSERT INTO accounts (id, email, created_ms, is_operator, access_ms, monthly_chars)
         VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', 'asha@example.org', 1, 0, 1, 500);
         INSERT INTO promo_codes VALUES ('7K2MQ9XD4TBRW0E1', 500, 2, 1, 1, NULL, NULL);
         INSERT INTO promo_codes VALUES ('7K2M000000000000', 300, 1, 0, 2, NULL, 7);
         INSERT INTO promo_redemptions VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', '7K2MQ9XD4TBRW0E1', 1);",
    )
    .unwrap();
}

#[tokio::test]
async fn codes_of_an_older_version_go_on_and_are_no_longer_in_the_file() {
    let database = Database::new();
    database_with_plain_codes(&database);
    assert!(database.holds("7K2MQ9XD4TBRW0E1"));
    let store = database.open();
    assert!(!database.holds("7K2MQ9XD4TBRW0E1") && !database.holds("7K2M000000000000"));
    let listed = store.list_promos().await.unwrap();
    assert_eq!((listed[0].spec.chars, listed[0].used, listed[1].disabled_ms), (500, 1, Some(7)));
    let code = "7K2M-Q9XD-4TBR-W0E1";
    let (asha, ravi) = (
        store.find_account(common::email("asha@example.org")).await.unwrap().unwrap(),
        sign_up(&*store, "ravi@example.org", NOON).await,
    );
    assert_eq!(redeem(&*store, &asha, code, NOON).await, Redemption::AlreadyRedeemed);
    let redeemed = redeem(&*store, &ravi, code, NOON).await;
    assert!(matches!(redeemed, Redemption::Redeemed { added_chars: 500, .. }), "{redeemed:?}");
    let named = |typed| store.disable_promo(NamedPromo::parse(typed).unwrap(), NOON);
    assert_eq!(named("7K2M").await.unwrap(), PromoDisabling::Ambiguous);
    assert!(matches!(named(code).await.unwrap(), PromoDisabling::Disabled(_)));
}
