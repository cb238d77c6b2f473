//! Verification of addresses with links, on every store.

use shruti_store::{
    Actor, AddressVerification, Invitation, KeySpec, LINK_AGAIN_MS, NewSession, NewVerification, SecretHash,
    SessionSecret, SignIn, Store, VERIFICATION_LIFE_MS, VerificationRequest, VerificationSecret,
};

use super::{DAY, NOON, PASSWORD, TestDatabase, email, events, key_of, sign_in, sign_up, try_password};

super::on_every_store!(
    an_address_is_verified_by_the_link_sent_to_it,
    a_verification_link_expires_after_a_day_and_a_new_link_replaces_it,
    only_one_of_fifty_uses_of_a_link_verifies,
    verification_links_are_rate_limited,
    a_password_reset_link_verifies_the_address_unlike_an_operator_link,
    verification_by_the_address_owner_ends_access_of_the_registrant,
    a_link_verifies_only_in_a_session_of_its_account,
    registering_a_foreign_address_gives_no_lasting_access,
);

const ASHA: &str = "asha@example.org";

async fn request(store: &dyn Store, address: &str, now_ms: i64) -> VerificationRequest {
    store.request_verification(email(address), now_ms).await.unwrap()
}

async fn made(store: &dyn Store, address: &str, now_ms: i64) -> NewVerification {
    match request(store, address, now_ms).await {
        VerificationRequest::Made(link) => link,
        other => panic!("{address}: {other:?}"),
    }
}

/// Returns the address that a link verifies for a session, or `None` if the link is invalid.
async fn verify(store: &dyn Store, link: SecretHash, session: &NewSession, now_ms: i64) -> Option<String> {
    match store.verify_address(link, session.secret.hash(), now_ms).await.unwrap() {
        AddressVerification::Verified(account) => Some(account.email.to_string()),
        AddressVerification::InvalidLink => None,
        other @ AddressVerification::OtherSession => panic!("{other:?}"),
    }
}

async fn verified_ms(store: &dyn Store, address: &str) -> Option<i64> {
    store.find_account(email(address)).await.unwrap().unwrap().verified_ms
}

async fn an_address_is_verified_by_the_link_sent_to_it(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let asha = sign_up(store, ASHA, NOON).await;
    sign_up(store, "ravi@example.org", NOON).await;
    let session = sign_in(store, ASHA, NOON).await;
    let ravis = sign_in(store, "ravi@example.org", NOON).await;
    assert_eq!((asha.verified_ms, session.session.account.verified_ms), (None, None));
    let link = made(store, ASHA, NOON).await;
    let others = made(store, "ravi@example.org", NOON).await;
    assert_eq!((link.email.as_str(), link.expires_ms), (ASHA, NOON + VERIFICATION_LIFE_MS));
    assert!(!database.holds(link.secret.reveal()).await, "its hash is stored");

    // a link is valid for its own account only
    assert_eq!(
        verify(store, others.secret.hash(), &ravis, NOON + 1).await.as_deref(),
        Some("ravi@example.org")
    );
    assert_eq!(verified_ms(store, ASHA).await, None);
    assert_eq!(verify(store, link.secret.hash(), &session, NOON + 2).await.as_deref(), Some(ASHA));
    assert_eq!(verified_ms(store, ASHA).await, Some(NOON + 2));
    let found = store.find_session(session.secret.hash(), NOON + 2).await.unwrap().unwrap();
    assert_eq!(found.account.verified_ms, Some(NOON + 2));

    assert_eq!(verify(store, link.secret.hash(), &session, NOON + 3).await, None, "once");
    assert_eq!(verify(store, VerificationSecret::generate().unwrap().hash(), &session, NOON).await, None);
    assert!(
        store.use_sign_in_link(others.secret.hash(), NOON).await.unwrap().is_none(),
        "it does not sign in"
    );
    let logged = events(store).await;
    assert_eq!(
        logged.iter().filter(|entry| *entry == "verification_requested ok x1").count(),
        2,
        "{logged:?}"
    );
    assert_eq!(logged.iter().filter(|entry| *entry == "address_verified ok x1").count(), 2, "{logged:?}");
}

async fn a_verification_link_expires_after_a_day_and_a_new_link_replaces_it(database: &impl TestDatabase) {
    let store = &*database.open().await;
    sign_up(store, ASHA, NOON).await;
    let session = sign_in(store, ASHA, NOON).await;
    let first = made(store, ASHA, NOON).await;
    let second = made(store, ASHA, NOON + LINK_AGAIN_MS).await;
    assert_eq!(
        verify(store, first.secret.hash(), &session, NOON + LINK_AGAIN_MS).await,
        None,
        "it was replaced"
    );
    let over = second.expires_ms;
    assert_eq!(verify(store, second.secret.hash(), &session, over).await, None);
    assert_eq!(verify(store, second.secret.hash(), &session, over - 1).await.as_deref(), Some(ASHA));

    sign_up(store, "ravi@example.org", NOON).await;
    let unused = made(store, "ravi@example.org", NOON).await;
    store.prune(unused.expires_ms - 1).await.unwrap();
    assert_eq!(database.rows("verification_links").await, 1);
    store.prune(unused.expires_ms).await.unwrap();
    assert_eq!(database.rows("verification_links").await, 0);
}

async fn only_one_of_fifty_uses_of_a_link_verifies(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    sign_up(&*stores[0], ASHA, NOON).await;
    let mut requests = tokio::task::JoinSet::new();
    for i in 0..20 {
        let store = stores[i % 2].clone();
        requests.spawn(async move { request(&*store, ASHA, NOON).await });
    }
    let mut links = Vec::new();
    for outcome in requests.join_all().await {
        match outcome {
            VerificationRequest::Made(link) => links.push(link),
            VerificationRequest::Wait { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(links.len(), 1, "of those who ask at once one gets a link");
    let session = sign_in(&*stores[0], ASHA, NOON).await;
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (store, link, session) = (stores[i % 2].clone(), links[0].secret.hash(), session.clone());
        tries.spawn(async move { verify(&*store, link, &session, NOON).await });
    }
    assert_eq!(tries.join_all().await.into_iter().flatten().collect::<Vec<_>>(), [ASHA]);
}

async fn verification_links_are_rate_limited(database: &impl TestDatabase) {
    let store = &*database.open().await;
    store.ensure_operator(NOON).await.unwrap();
    for address in ["operator@localhost", "nobody@example.org"] {
        let outcome = request(store, address, NOON).await;
        assert!(matches!(outcome, VerificationRequest::Unreachable), "{address}: {outcome:?}");
    }
    sign_up(store, ASHA, NOON).await;
    made(store, ASHA, NOON).await;
    for (after, left) in [(0, LINK_AGAIN_MS), (LINK_AGAIN_MS - 1, 1)] {
        let outcome = request(store, ASHA, NOON + after).await;
        let waits = matches!(outcome, VerificationRequest::Wait { retry_in_ms } if retry_in_ms == left.unsigned_abs());
        assert!(waits, "{after}: {outcome:?}");
    }
    store.lock_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    let outcome = request(store, ASHA, NOON + DAY).await;
    assert!(matches!(outcome, VerificationRequest::Unreachable), "{outcome:?}");
    store.unlock_account(Actor::Operator, email(ASHA), None, NOON).await.unwrap();
    let link = made(store, ASHA, NOON + DAY).await;
    let session = sign_in(store, ASHA, NOON + DAY).await;
    verify(store, link.secret.hash(), &session, NOON + DAY).await.unwrap();
    let outcome = request(store, ASHA, NOON + 2 * DAY).await;
    assert!(matches!(outcome, VerificationRequest::Verified), "{outcome:?}");
}

async fn a_password_reset_link_verifies_the_address_unlike_an_operator_link(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let sign_in_by = async |link: shruti_store::NewLink| {
        let session = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
        session.session.account.verified_ms
    };
    let invited = store.invite_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    let Invitation::Invited(account, invitation) = invited else { panic!("{invited:?}") };
    assert_eq!(sign_in_by(invitation).await, None);
    let (_, reset) = store.reset_password(Actor::Operator, email(ASHA), NOON).await.unwrap().unwrap();
    assert_eq!(sign_in_by(reset).await, None);
    // an operator's link does not replace the link that was sent by email, and does not verify the address
    let sent = store.request_link(email(ASHA), NOON).await.unwrap().unwrap();
    let handed_over = store.create_sign_in_link(account.id, Actor::Operator, NOON).await.unwrap().unwrap();
    assert_eq!(sign_in_by(handed_over).await, None);
    assert_eq!(verified_ms(store, ASHA).await, None);

    assert_eq!(sign_in_by(sent).await, Some(NOON));
    assert_eq!(verified_ms(store, ASHA).await, Some(NOON));
    let again = store.request_link(email(ASHA), NOON + 1).await.unwrap().unwrap();
    assert_eq!(sign_in_by(again).await, Some(NOON), "it was before");
}

async fn verification_by_the_address_owner_ends_access_of_the_registrant(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let has_password = async || store.find_account(email(ASHA)).await.unwrap().unwrap().has_password;
    sign_up(store, ASHA, NOON).await;
    let session = sign_in(store, ASHA, NOON).await.secret.hash();
    let link = store.request_link(email(ASHA), NOON).await.unwrap().unwrap();
    let holder = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
    assert!(!holder.session.account.has_password && !has_password().await);
    assert!(store.find_session(session, NOON).await.unwrap().is_none());
    assert!(store.find_session(holder.secret.hash(), NOON).await.unwrap().is_some());

    // once the address is verified, a link that was sent by email removes neither the password nor the sessions
    sign_up(store, "ravi@example.org", NOON).await;
    let session = sign_in(store, "ravi@example.org", NOON).await;
    let proof = made(store, "ravi@example.org", NOON).await;
    verify(store, proof.secret.hash(), &session, NOON).await.unwrap();
    let link = store.request_link(email("ravi@example.org"), NOON).await.unwrap().unwrap();
    let again = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
    assert!(again.session.account.has_password);
    assert!(store.find_session(session.secret.hash(), NOON).await.unwrap().is_some());
}

async fn a_link_verifies_only_in_a_session_of_its_account(database: &impl TestDatabase) {
    let store = &*database.open().await;
    sign_up(store, ASHA, NOON).await;
    sign_up(store, "ravi@example.org", NOON).await;
    let link = made(store, ASHA, NOON).await.secret.hash();
    let (ashas, ended) = (sign_in(store, ASHA, NOON).await, sign_in(store, ASHA, NOON).await.secret.hash());
    store.end_session(ended, NOON).await.unwrap();
    let ravis = sign_in(store, "ravi@example.org", NOON).await.secret.hash();
    for session in [ravis, ended, SessionSecret::generate().unwrap().hash()] {
        let outcome = store.verify_address(link, session, NOON).await.unwrap();
        assert_eq!(outcome, AddressVerification::OtherSession);
    }
    assert_eq!((verified_ms(store, ASHA).await, verified_ms(store, "ravi@example.org").await), (None, None));
    assert_eq!(verify(store, link, &ashas, NOON).await.as_deref(), Some(ASHA), "the link was not used up");
}

async fn registering_a_foreign_address_gives_no_lasting_access(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let account = sign_up(store, ASHA, NOON).await;
    let stranger = sign_in(store, ASHA, NOON).await.secret.hash();
    let mut keys = Vec::new();
    for name in ["one", "two"] {
        keys.push(key_of(store, &account, KeySpec::named(name), NOON).await.record.prefix);
    }
    let revision = store.key_revision().await.unwrap();

    // the owner of the address follows the link in the email, but has no session of the account
    let link = made(store, ASHA, NOON).await.secret.hash();
    let nobody = SessionSecret::generate().unwrap().hash();
    assert_eq!(store.verify_address(link, nobody, NOON).await.unwrap(), AddressVerification::OtherSession);
    // later the owner signs in with a link for a forgotten password
    let link = store.request_link(email(ASHA), NOON + DAY).await.unwrap().unwrap();
    let holder = store.use_sign_in_link(link.secret.hash(), NOON + DAY).await.unwrap().unwrap();

    assert_eq!(holder.session.account.verified_ms, Some(NOON + DAY));
    assert!(store.find_session(stranger, NOON + DAY).await.unwrap().is_none());
    assert!(matches!(try_password(store, ASHA, PASSWORD, NOON + DAY).await, SignIn::Refused));
    for key in &keys {
        assert_eq!(store.find_key(key.clone()).await.unwrap().unwrap().revoked_ms, Some(NOON + DAY));
    }
    let changes = store.key_changes_since(revision).await.unwrap();
    assert_eq!(changes.keys.len(), keys.len(), "other servers learn of it");
    let logged = events(store).await;
    assert_eq!(logged.iter().filter(|entry| *entry == "key_revoked ok x1").count(), keys.len(), "{logged:?}");

    // keys that are created from now on survive further links
    let key = key_of(store, &account, KeySpec::named("own"), NOON + DAY).await.record.prefix;
    let again = store.request_link(email(ASHA), NOON + 2 * DAY).await.unwrap().unwrap();
    store.use_sign_in_link(again.secret.hash(), NOON + 2 * DAY).await.unwrap().unwrap();
    assert_eq!(store.find_key(key).await.unwrap().unwrap().revoked_ms, None);
}
