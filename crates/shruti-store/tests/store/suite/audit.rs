//! Audit log, on every store.

use super::{NOON, TestDatabase, email, key_of, new_password, sign_in, sign_up, try_password};
use shruti_store::{
    Account, Actor, Invitation, KeyLimits, KeySpec, NamedPromo, NewSession, PackEvent, Password,
    PlaygroundSpec, PromoSpec, Store,
};

super::on_every_store!(
    sign_ins_and_sign_outs_are_audited,
    account_changes_by_operators_are_audited,
    changes_of_keys_and_codes_are_audited,
    pack_changes_by_operators_are_audited,
);

const EMAIL: &str = "asha@example.org";

/// Expected entry: actor, event, subject and outcome.
type Entry = (String, &'static str, String, &'static str);

/// Returns the `count` newest entries, oldest first. All of them must concern `account`, or no account if it is `None`.
async fn newest(store: &dyn Store, account: Option<&Account>, count: usize) -> Vec<Entry> {
    let mut log = store.audit_log(None, None, u32::try_from(count).unwrap()).await.unwrap();
    log.reverse();
    let entries = log.into_iter().map(|entry| {
        assert_eq!(entry.account.as_ref(), account.map(|account| &account.id), "{entry:?}");
        assert_eq!((entry.at_ms, entry.times), (NOON, 1), "{entry:?}");
        (entry.actor, &*entry.event.leak(), entry.subject.unwrap_or_default(), &*entry.outcome.leak())
    });
    entries.collect()
}

/// Returns an expected entry without a subject.
fn of(actor: &Actor, event: &'static str, outcome: &'static str) -> Entry {
    (actor.to_string(), event, String::new(), outcome)
}

async fn by_link(store: &dyn Store, account: &Account) -> NewSession {
    let link = store.create_sign_in_link(account.id.clone(), Actor::Operator, NOON).await.unwrap().unwrap();
    store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap()
}

async fn sign_ins_and_sign_outs_are_audited(database: &impl TestDatabase) {
    let store = database.open().await;
    let store = &*store;
    let account = sign_up(store, EMAIL, NOON).await;
    let holder = Actor::Account(account.id.clone());
    let session = sign_in(store, EMAIL, NOON).await;
    store.end_session(session.secret.hash(), NOON).await.unwrap();
    try_password(store, EMAIL, "a wrong password", NOON).await;
    let session = sign_in(store, EMAIL, NOON).await.secret.hash();
    let wrong = Some(Password::typed("another wrong one"));
    store.change_password(session, wrong, new_password("kettle-tidal-8"), NOON).await.unwrap();
    store.end_all_sessions(session, NOON).await.unwrap();
    let session = by_link(store, &account).await.secret.hash();
    store.change_password(session, None, new_password("kettle-tidal-8"), NOON).await.unwrap();
    let expected = [
        of(&Actor::Visitor, "account_created", "ok"),
        of(&holder, "sign_in", "ok"),
        of(&holder, "sign_out", "ok"),
        of(&Actor::Visitor, "sign_in", "wrong_password"),
        of(&holder, "sign_in", "ok"),
        of(&holder, "password_change", "wrong_password"),
        of(&holder, "sign_out_everywhere", "ok"),
        of(&Actor::Operator, "link_created", "ok"),
        of(&holder, "link_used", "ok"),
        of(&holder, "password_change", "ok"),
    ];
    assert_eq!(newest(store, Some(&account), 100).await, expected);
    try_password(store, "nobody@example.org", "a password", NOON).await;
    assert_eq!(newest(store, None, 1).await, [of(&Actor::Visitor, "sign_in", "unknown_account")]);
}

async fn account_changes_by_operators_are_audited(database: &impl TestDatabase) {
    let store = database.open().await;
    let store = &*store;
    let Invitation::Invited(account, link) =
        store.invite_account(Actor::Operator, email(EMAIL), NOON).await.unwrap()
    else {
        panic!("the address already exists");
    };
    let session = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap().secret.hash();
    store.change_password(session, None, new_password("kettle-tidal-8"), NOON).await.unwrap();
    store.lock_account(Actor::Operator, email(EMAIL), NOON).await.unwrap();
    try_password(store, EMAIL, "kettle-tidal-8", NOON).await;
    store.unlock_account(Actor::Operator, email(EMAIL), None, NOON).await.unwrap();
    store.reset_password(Actor::Operator, email(EMAIL), NOON).await.unwrap();
    let holder = Actor::Account(account.id.clone());
    let expected = [
        of(&Actor::Operator, "account_created", "ok"),
        of(&holder, "link_used", "ok"),
        of(&holder, "password_change", "ok"),
        of(&Actor::Operator, "account_locked", "ok"),
        of(&holder, "sign_in", "locked_by_operator"),
        of(&Actor::Operator, "account_unlocked", "ok"),
        of(&Actor::Operator, "password_reset", "ok"),
    ];
    assert_eq!(newest(store, Some(&account), 100).await, expected);
    let operator = store.ensure_operator(NOON).await.unwrap();
    assert_eq!(newest(store, Some(&operator), 1).await, [of(&Actor::Operator, "account_created", "ok")]);
}

async fn changes_of_keys_and_codes_are_audited(database: &impl TestDatabase) {
    let store = database.open().await;
    let store = &*store;
    let account = sign_up(store, EMAIL, NOON).await;
    let holder = Actor::Account(account.id.clone());
    let spec = PromoSpec { chars: 10, uses: 1, expires_ms: None };
    let code = store.create_promo(Actor::Operator, spec, NOON).await.unwrap().code;
    let of_code = |actor: &Actor, event, outcome| {
        (actor.to_string(), event, code.beginning().as_str().to_owned(), outcome)
    };
    assert_eq!(newest(store, None, 1).await, [of_code(&Actor::Operator, "promo_created", "ok")]);
    for _ in 0..2 {
        store.redeem_promo(account.id.clone(), code.to_string(), NOON).await.unwrap();
    }
    let expected = ["ok", "already_redeemed"].map(|outcome| of_code(&holder, "promo_redemption", outcome));
    assert_eq!(newest(store, Some(&account), 2).await, expected);
    store.disable_promo(Actor::Operator, NamedPromo::Whole(code.clone()), NOON).await.unwrap();
    assert_eq!(newest(store, None, 1).await, [of_code(&Actor::Operator, "promo_disabled", "ok")]);

    let first = key_of(store, &account, KeySpec::named("a"), NOON).await.record.prefix;
    store.rename_key(holder.clone(), first.clone(), "b".into(), NOON).await.unwrap();
    let rotated = store.rotate_key(holder.clone(), first.clone(), 9, NOON).await.unwrap();
    let shruti_store::Rotation::Rotated { new, .. } = rotated else { panic!("{rotated:?}") };
    store.revoke_key(Actor::Account(account.id.clone()), first.clone(), NOON).await.unwrap();
    store.revoke_key(Actor::Operator, new.record.prefix.clone(), NOON).await.unwrap();
    let of_key = |actor: &Actor, event, prefix: &shruti_store::KeyPrefix| {
        (actor.to_string(), event, prefix.to_string(), "ok")
    };
    let second = &new.record.prefix;
    let expected = [
        of_key(&holder, "key_created", &first),
        of_key(&holder, "key_renamed", &first),
        of_key(&holder, "key_rotated", &first),
        of_key(&holder, "key_created", second),
        of_key(&holder, "key_revoked", &first),
        of_key(&Actor::Operator, "key_revoked", second),
    ];
    assert_eq!(newest(store, Some(&account), 6).await, expected);

    let everyone = PlaygroundSpec { owner: None, limits: KeyLimits::default(), monthly_cap: Some(9) };
    let playground = store.ensure_playground_key(everyone, NOON).await.unwrap().unwrap().prefix;
    store.revoke_key(Actor::Operator, playground.clone(), NOON).await.unwrap();
    store.reopen_playground(playground.clone(), NOON).await.unwrap();
    let events = ["key_created", "key_revoked", "key_reopened"];
    let expected = events.map(|event| of_key(&Actor::Operator, event, &playground));
    assert_eq!(newest(store, None, 3).await, expected);
}

async fn pack_changes_by_operators_are_audited(database: &impl TestDatabase) {
    let store = database.open().await;
    let events = [
        (PackEvent::LicenceAccepted, "te-maya CC-BY-4.0", "pack_licence_accepted"),
        (PackEvent::Pulled, "te-maya", "pack_pulled"),
        (PackEvent::Imported, "hi-rohan", "pack_imported"),
        (PackEvent::Removed, "te-maya", "pack_removed"),
    ];
    for (event, pack, _) in events {
        store.record_pack(event, pack.to_owned(), NOON).await.unwrap();
    }
    let written = newest(&*store, None, events.len()).await;
    let expected = events.map(|(_, pack, event)| (Actor::Operator.to_string(), event, pack.to_owned(), "ok"));
    assert_eq!(written, expected);
}
