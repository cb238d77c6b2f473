//! Deletion of accounts, on every store: only the audit log entry of the deletion remains.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use shruti_clock::Moment;
use shruti_lang::Language;
use shruti_store::{
    Account, AccountDeletion, AccountId, Actor, CreatedKey, Day, Draw, EmailAddress, Issuance, KeyCache,
    KeyCheck, KeyLimits, KeyPrefix, KeySpec, LinkSecret, OwnDeletion, Password, PlaygroundSpec, PromoCode,
    PromoSpec, Redemption, ReportId, SessionSecret, Store, Usage, UsageEntry, UsageOf, UsageReport,
    VerificationRequest,
};

use super::{
    NOON, PASSWORD, TestDatabase, email, events, key_of, new_password, operator_key, redeem, sign_in,
    sign_up, try_password, verify_by_link,
};

super::on_every_store!(
    a_deletion_by_an_operator_leaves_only_its_audit_entry,
    a_deletion_by_the_account_leaves_only_its_audit_entry,
    deletion_needs_the_password,
    a_link_session_can_delete_without_a_password,
    an_operator_account_cannot_be_deleted,
    keys_of_a_deleted_account_are_unknown_to_every_server_immediately,
    reports_with_a_deleted_key_lose_only_its_usage,
    concurrent_deletions_and_reports_succeed,
);

const ASHA: &str = "asha@example.org";

/// Account with a row in every table that can refer to an account.
pub(crate) struct Holder {
    pub(crate) account: Account,
    pub(crate) key: CreatedKey,
    pub(crate) session: SessionSecret,
}

fn spoken_with(key: &KeyPrefix) -> UsageReport {
    let amount = Usage { chars: 7, requests: 1, audio_ms: 90 };
    let (voice, api) = ("Ananya".into(), Cow::Borrowed("clip"));
    let entry =
        UsageEntry { key: key.clone(), day: Day::of(NOON), voice, language: Language::Hindi, api, amount };
    UsageReport { entries: vec![entry], ..UsageReport::new(ReportId::first().unwrap()) }
}

pub(crate) async fn holder(store: &dyn Store, address: &str, code: &PromoCode) -> Holder {
    let account = sign_up(store, address, NOON).await;
    let verification = store.request_verification(account.email.clone(), NOON).await.unwrap();
    assert!(matches!(verification, VerificationRequest::Made(_)), "{verification:?}");
    // the address is verified before the keys are created, because the first verification by a link revokes the keys
    verify_by_link(store, address, NOON).await;
    redeem(store, &account, &PromoCode::generate().unwrap().to_string(), NOON).await;
    let redeemed = redeem(store, &account, &code.to_string(), NOON).await;
    assert!(matches!(redeemed, Redemption::Redeemed { .. }), "{redeemed:?}");
    let spec = KeySpec {
        origins: vec!["https://shop.example".parse().unwrap()],
        monthly_cap: Some(900),
        ..KeySpec::named("a")
    };
    let key = key_of(store, &account, spec, NOON).await;
    let prefix = key.record.prefix.clone();
    let issued = store.issue_token(prefix.clone(), NOON).await.unwrap();
    assert!(matches!(issued, Issuance::Issued(_)), "{issued:?}");
    let drawn = store.draw_allowance(prefix.clone(), 1, 50, NOON).await.unwrap();
    assert!(matches!(drawn, Draw::Lent(_)), "{drawn:?}");
    let Draw::Lent(lease) = store.draw_allowance(prefix.clone(), 800, 800, NOON).await.unwrap() else {
        panic!()
    };
    store.settle_lease(lease.id, 800, NOON).await.unwrap();
    let session = sign_in(store, address, NOON).await.secret;
    store.note_browser(session.hash(), "Firefox on Linux".to_owned()).await.unwrap();
    try_password(store, address, "wrong-kettle-9", NOON).await;
    assert_eq!(store.take_quota_warnings(9, NOON).await.unwrap()[0].email, account.email);
    store.record_usage(spoken_with(&prefix), NOON).await.unwrap();
    let playground =
        PlaygroundSpec { owner: Some(account.id.clone()), limits: KeyLimits::default(), monthly_cap: None };
    store.ensure_playground_key(playground, NOON).await.unwrap().unwrap();
    let lexicon = "[words]\nAIIMS = \"एम्स\"\n".to_owned();
    store.replace_lexicon(account.id.clone(), lexicon, None, NOON).await.unwrap();
    store.create_sign_in_link(account.id.clone(), Actor::Operator, NOON).await.unwrap().unwrap();
    Holder { account, key, session }
}

/// Returns the sorted rows of each table, without the tables whose rows do not belong to accounts.
async fn rows_of(database: &impl TestDatabase) -> BTreeMap<String, Vec<String>> {
    let mut contents = database.contents().await;
    for counts in [
        "key_revision",
        "shruti_schema",
        "sqlite_sequence",
        "promo_codes",
        "promo_codes_hashed",
        "usage_reports",
    ] {
        contents.remove(counts);
    }
    for rows in contents.values_mut() {
        rows.sort();
    }
    contents
}

/// Creates two accounts that have used every feature, deletes one of them, and checks that no table contains a trace of
/// that account, except for the audit log entry of the deletion.
async fn look_for_traces(
    database: &impl TestDatabase,
    delete: impl AsyncFnOnce(&dyn Store, &Holder),
    by: impl FnOnce(&AccountId) -> String,
) {
    let store = database.open().await;
    let spec = PromoSpec { chars: 1_000, uses: 5, expires_ms: None };
    let code = store.create_promo(Actor::Operator, spec, NOON).await.unwrap().code;
    let other = holder(&*store, "ravi@example.org", &code).await;
    let before = rows_of(database).await;
    let asha = holder(&*store, ASHA, &code).await;
    let (id, prefix) = (asha.account.id.to_string(), asha.key.record.prefix.to_string());

    // fails if there is a new table that `holder` does not fill
    let with_her = rows_of(database).await;
    let grown = with_her.iter().filter(|(table, rows)| rows.len() > before[*table].len());
    let grown: BTreeSet<&String> = grown.map(|(table, _)| table).collect();
    assert_eq!(grown, before.keys().collect(), "every table has a row of hers");

    delete(&*store, &asha).await;

    let mut after = rows_of(database).await;
    let texts: Vec<String> =
        after["audit"].iter().filter(|row| !before["audit"].contains(row)).cloned().collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].contains("account_deleted") && texts[0].contains(&id), "{texts:?}");
    let entry = &store.audit_log(None, None, 1).await.unwrap()[0];
    assert_eq!(
        (entry.event.as_str(), entry.actor.clone(), entry.account.clone()),
        ("account_deleted", by(&asha.account.id), Some(asha.account.id.clone()))
    );
    after.get_mut("audit").unwrap().retain(|row| !texts.contains(row));
    assert_eq!(after, before, "every other table is unchanged");
    let everything = format!("{:?}", database.contents().await);
    for trace in [ASHA, &prefix] {
        assert!(!everything.contains(trace), "{trace}");
    }
    assert_eq!(everything.matches(&id).count(), texts[0].matches(&id).count());

    // the redemptions of the code are still counted
    assert_eq!(store.list_promos().await.unwrap()[0].used, 2);
    assert!(store.find_session(asha.session.hash(), NOON).await.unwrap().is_none());
    assert!(store.find_session(other.session.hash(), NOON).await.unwrap().is_some());
    assert_eq!(store.find_account(email(ASHA)).await.unwrap(), None);
    assert!(
        store
            .usage_by_day(UsageOf::Account(asha.account.id), Day::of(NOON), Day::of(NOON))
            .await
            .unwrap()
            .is_empty()
    );
    // the address can be used for a new account
    let again = sign_up(&*store, ASHA, NOON).await;
    assert!(again.id.as_str() != id && again.access_ms.is_none());
}

async fn a_deletion_by_an_operator_leaves_only_its_audit_entry(database: &impl TestDatabase) {
    let delete = async |store: &dyn Store, asha: &Holder| {
        let unknown = store.delete_account(Actor::Operator, email("nobody@example.org"), NOON).await.unwrap();
        assert_eq!(unknown, AccountDeletion::Unknown);
        let deleted = store.delete_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
        assert_eq!(deleted, AccountDeletion::Deleted(asha.account.id.clone()));
        let again = store.delete_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
        assert_eq!(again, AccountDeletion::Unknown);
    };
    look_for_traces(database, delete, |_| "operator".to_owned()).await;
}

async fn a_deletion_by_the_account_leaves_only_its_audit_entry(database: &impl TestDatabase) {
    let delete = async |store: &dyn Store, asha: &Holder| {
        let deleted = delete_own(store, &asha.session, Some(PASSWORD), NOON).await;
        assert_eq!(deleted, OwnDeletion::Deleted);
        let again = delete_own(store, &asha.session, Some(PASSWORD), NOON).await;
        assert_eq!(again, OwnDeletion::NoSession);
    };
    look_for_traces(database, delete, ToString::to_string).await;
}

async fn delete_own(
    store: &dyn Store,
    session: &SessionSecret,
    password: Option<&str>,
    now_ms: i64,
) -> OwnDeletion {
    store.delete_own_account(session.hash(), password.map(Password::typed), now_ms).await.unwrap()
}

async fn deletion_needs_the_password(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, ASHA, NOON).await;
    let session = sign_in(&*store, ASHA, NOON).await.secret;
    for typed in [Some("wrong-kettle-9"), Some(""), None, Some("tidal-kettle-8"), Some("kettle")] {
        assert_eq!(delete_own(&*store, &session, typed, NOON).await, OwnDeletion::WrongPassword, "{typed:?}");
    }
    let waits = delete_own(&*store, &session, Some(PASSWORD), NOON).await;
    assert!(matches!(waits, OwnDeletion::Wait { retry_in_ms: 1.. }), "counted as at sign-in: {waits:?}");
    assert!(store.find_account(email(ASHA)).await.unwrap().is_some());
    let logged = events(&*store).await;
    assert!(
        logged.iter().any(|entry| entry.contains("account_deleted") && entry.contains("wrong_password")),
        "{logged:?}"
    );
    let stranger = SessionSecret::generate().unwrap();
    assert_eq!(delete_own(&*store, &stranger, Some(PASSWORD), NOON).await, OwnDeletion::NoSession);
    assert_eq!(delete_own(&*store, &session, Some(PASSWORD), NOON + super::HOUR).await, OwnDeletion::Deleted);
}

async fn a_link_session_can_delete_without_a_password(database: &impl TestDatabase) {
    let store = database.open().await;
    let invited = store.invite_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    let shruti_store::Invitation::Invited(_, link) = invited else { panic!("{invited:?}") };
    let link: LinkSecret = link.secret;
    let session = store.use_sign_in_link(link.hash(), NOON).await.unwrap().unwrap().secret;
    assert_eq!(delete_own(&*store, &session, None, NOON).await, OwnDeletion::Deleted);
}

async fn an_operator_account_cannot_be_deleted(database: &impl TestDatabase) {
    let store = database.open().await;
    let operator = store.ensure_operator(NOON).await.unwrap();
    let by_another = store.delete_account(Actor::Operator, EmailAddress::operator(), NOON).await.unwrap();
    assert_eq!(by_another, AccountDeletion::IsOperator);
    let link = store.create_sign_in_link(operator.id, Actor::Operator, NOON).await.unwrap().unwrap();
    let session = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap().secret;
    assert_eq!(delete_own(&*store, &session, None, NOON).await, OwnDeletion::IsOperator);
    let changed = store.change_password(session.hash(), None, new_password(PASSWORD), NOON).await.unwrap();
    let shruti_store::PasswordChange::Changed(own) = changed else { panic!("{changed:?}") };
    assert_eq!(delete_own(&*store, &own.secret, Some(PASSWORD), NOON).await, OwnDeletion::IsOperator);
    assert!(store.find_session(own.secret.hash(), NOON).await.unwrap().is_some());
}

async fn keys_of_a_deleted_account_are_unknown_to_every_server_immediately(database: &impl TestDatabase) {
    let (here, there) = (database.open().await, database.open().await);
    let account = sign_up(&*here, ASHA, NOON).await;
    here.unlock_account(Actor::Operator, email(ASHA), Some(10), NOON).await.unwrap();
    let key = key_of(&*here, &account, KeySpec::named("a"), NOON).await;
    let other = operator_key(&*here, KeySpec::named("b"), NOON).await;
    let cache = KeyCache::new(here.clone());
    let at = |ms: u64| Moment { monotonic: Duration::from_millis(ms), wall_ms: NOON };
    cache.refresh(|| at(0)).await.unwrap();
    for key in [&key, &other] {
        assert!(matches!(cache.check(key.secret.reveal(), at(1)).await.unwrap(), KeyCheck::Valid(_)));
    }
    there.delete_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    cache.refresh(|| at(500)).await.unwrap();
    assert_eq!(cache.check(key.secret.reveal(), at(501)).await.unwrap(), KeyCheck::Unknown);
    assert_eq!(cache.check_again(&key.record.prefix, at(501)).await.unwrap(), KeyCheck::Unknown);
    assert!(matches!(cache.check(other.secret.reveal(), at(501)).await.unwrap(), KeyCheck::Valid(_)));

    // the removal is reported once to each caller with an older revision
    let revision = there.key_revision().await.unwrap();
    assert!(there.key_changes_since(revision - 1).await.unwrap().any_removed);
    operator_key(&*here, KeySpec::named("c"), NOON).await;
    let later = there.key_changes_since(revision).await.unwrap();
    assert_eq!((later.any_removed, later.keys.len()), (false, 1));
}

async fn reports_with_a_deleted_key_lose_only_its_usage(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, ASHA, NOON).await;
    store.unlock_account(Actor::Operator, email(ASHA), Some(100), NOON).await.unwrap();
    let gone = key_of(&*store, &account, KeySpec::named("a"), NOON).await.record.prefix;
    let Draw::Lent(lease) = store.draw_allowance(gone.clone(), 1, 10, NOON).await.unwrap() else { panic!() };
    let stays = operator_key(&*store, KeySpec::named("b"), NOON).await.record.prefix;
    store.delete_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    let mut report = spoken_with(&gone);
    report.entries.extend(spoken_with(&stays).entries);
    report.leases.push((lease.id, 7));
    assert_eq!(store.record_usage(report, NOON).await.unwrap(), [lease.id], "which is over");
    let remaining = store.usage_by_day(UsageOf::All, Day::of(NOON), Day::of(NOON)).await.unwrap();
    assert_eq!(remaining.iter().map(|day| day.amount.chars).sum::<u64>(), 7);
    assert!(!store.settle_lease(lease.id, 7, NOON).await.unwrap());
    assert!(matches!(store.draw_allowance(gone.clone(), 1, 10, NOON).await.unwrap(), Draw::NoKey));
    assert!(matches!(store.issue_token(gone, NOON).await.unwrap(), Issuance::NoKey));
}

async fn concurrent_deletions_and_reports_succeed(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let mut work = tokio::task::JoinSet::new();
    for number in 0..8_usize {
        let store = stores[number % 2].clone();
        let address = email(&format!("{number}@example.org"));
        store.invite_account(Actor::Operator, address.clone(), NOON).await.unwrap();
        store.unlock_account(Actor::Operator, address.clone(), Some(10_000), NOON).await.unwrap();
        let account = store.find_account(address.clone()).await.unwrap().unwrap();
        let mut keys = Vec::new();
        for name in ["a", "b"] {
            keys.push(key_of(&*store, &account, KeySpec::named(name), NOON).await.record.prefix);
        }
        for store in &stores {
            let (store, keys) = (store.clone(), keys.clone());
            work.spawn(async move {
                for turn in 0..10 {
                    let mut report = spoken_with(&keys[turn % 2]);
                    report.entries.extend(spoken_with(&keys[(turn + 1) % 2]).entries);
                    if let Draw::Lent(lease) =
                        store.draw_allowance(keys[turn % 2].clone(), 1, 50, NOON).await.unwrap()
                    {
                        report.leases.push((lease.id, 7));
                    }
                    store.record_usage(report, NOON).await.unwrap();
                }
            });
        }
        let store = stores[(number + 1) % 2].clone();
        work.spawn(async move {
            let deleted = store.delete_account(Actor::Operator, address, NOON).await.unwrap();
            assert!(matches!(deleted, AccountDeletion::Deleted(_)), "{deleted:?}");
        });
    }
    work.join_all().await;
    for table in ["accounts", "keys", "usage", "leases", "cap_drawn", "allowance_drawn"] {
        assert_eq!(database.rows(table).await, 0, "{table}");
    }
}
