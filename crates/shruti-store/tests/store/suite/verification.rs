//! What every store does with addresses and the links that verify them.

use shruti_store::{
    Actor, Invitation, LINK_AGAIN_MS, NewVerification, SecretHash, Store, VERIFICATION_LIFE_MS,
    VerificationRequest, VerificationSecret,
};

use super::{DAY, NOON, TestDatabase, email, events, sign_in, sign_up};

super::on_every_store!(
    an_address_is_verified_by_the_link_that_was_sent_there,
    a_link_that_verifies_lives_a_day_and_there_is_one,
    of_fifty_who_come_with_a_link_one_verifies,
    a_link_is_made_now_and_then_for_who_can_be_reached,
    a_link_for_a_forgotten_password_verifies_and_an_operator_s_does_not,
    whoever_signed_up_with_another_s_address_is_out_once_its_holder_comes,
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

/// Whose address a link verifies.
async fn verify(store: &dyn Store, link: SecretHash, now_ms: i64) -> Option<String> {
    let verified = store.verify_address(link, now_ms).await.unwrap()?;
    Some(verified.email.to_string())
}

async fn verified_ms(store: &dyn Store, address: &str) -> Option<i64> {
    store.find_account(email(address)).await.unwrap().unwrap().verified_ms
}

async fn an_address_is_verified_by_the_link_that_was_sent_there(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let asha = sign_up(store, ASHA, NOON).await;
    sign_up(store, "ravi@example.org", NOON).await;
    let session = sign_in(store, ASHA, NOON).await;
    assert_eq!((asha.verified_ms, session.session.account.verified_ms), (None, None));
    let link = made(store, ASHA, NOON).await;
    let others = made(store, "ravi@example.org", NOON).await;
    assert_eq!((link.email.as_str(), link.expires_ms), (ASHA, NOON + VERIFICATION_LIFE_MS));
    assert!(!database.holds(link.secret.reveal()).await, "its hash is stored");

    // each is for its own account
    assert_eq!(verify(store, others.secret.hash(), NOON + 1).await.as_deref(), Some("ravi@example.org"));
    assert_eq!(verified_ms(store, ASHA).await, None);
    assert_eq!(verify(store, link.secret.hash(), NOON + 2).await.as_deref(), Some(ASHA));
    assert_eq!(verified_ms(store, ASHA).await, Some(NOON + 2));
    let found = store.find_session(session.secret.hash(), NOON + 2).await.unwrap().unwrap();
    assert_eq!(found.account.verified_ms, Some(NOON + 2));

    assert_eq!(verify(store, link.secret.hash(), NOON + 3).await, None, "once");
    assert_eq!(verify(store, VerificationSecret::generate().unwrap().hash(), NOON).await, None);
    assert!(
        store.use_sign_in_link(others.secret.hash(), NOON).await.unwrap().is_none(),
        "it signs nobody in"
    );
    let told = events(store).await;
    assert_eq!(told.iter().filter(|entry| *entry == "verification_requested ok x1").count(), 2, "{told:?}");
    assert_eq!(told.iter().filter(|entry| *entry == "address_verified ok x1").count(), 2, "{told:?}");
}

async fn a_link_that_verifies_lives_a_day_and_there_is_one(database: &impl TestDatabase) {
    let store = &*database.open().await;
    sign_up(store, ASHA, NOON).await;
    let first = made(store, ASHA, NOON).await;
    let second = made(store, ASHA, NOON + LINK_AGAIN_MS).await;
    assert_eq!(verify(store, first.secret.hash(), NOON + LINK_AGAIN_MS).await, None, "it was replaced");
    let over = second.expires_ms;
    assert_eq!(verify(store, second.secret.hash(), over).await, None);
    assert_eq!(verify(store, second.secret.hash(), over - 1).await.as_deref(), Some(ASHA));

    sign_up(store, "ravi@example.org", NOON).await;
    let unused = made(store, "ravi@example.org", NOON).await;
    store.prune(unused.expires_ms - 1).await.unwrap();
    assert_eq!(database.rows("verification_links").await, 1);
    store.prune(unused.expires_ms).await.unwrap();
    assert_eq!(database.rows("verification_links").await, 0);
}

async fn of_fifty_who_come_with_a_link_one_verifies(database: &impl TestDatabase) {
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
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (store, link) = (stores[i % 2].clone(), links[0].secret.hash());
        tries.spawn(async move { verify(&*store, link, NOON).await });
    }
    assert_eq!(tries.join_all().await.into_iter().flatten().collect::<Vec<_>>(), [ASHA]);
}

async fn a_link_is_made_now_and_then_for_who_can_be_reached(database: &impl TestDatabase) {
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
    verify(store, link.secret.hash(), NOON + DAY).await.unwrap();
    let outcome = request(store, ASHA, NOON + 2 * DAY).await;
    assert!(matches!(outcome, VerificationRequest::Verified), "{outcome:?}");
}

async fn a_link_for_a_forgotten_password_verifies_and_an_operator_s_does_not(database: &impl TestDatabase) {
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
    // one that the operator makes replaces the one that was sent, with what it proves
    store.request_link(email(ASHA), NOON).await.unwrap().unwrap();
    let handed_over = store.create_sign_in_link(account.id, Actor::Operator, NOON).await.unwrap().unwrap();
    assert_eq!(sign_in_by(handed_over).await, None);
    assert_eq!(verified_ms(store, ASHA).await, None);

    let sent = store.request_link(email(ASHA), NOON).await.unwrap().unwrap();
    assert_eq!(sign_in_by(sent).await, Some(NOON));
    assert_eq!(verified_ms(store, ASHA).await, Some(NOON));
    let again = store.request_link(email(ASHA), NOON + 1).await.unwrap().unwrap();
    assert_eq!(sign_in_by(again).await, Some(NOON), "it was before");
}

async fn whoever_signed_up_with_another_s_address_is_out_once_its_holder_comes(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let has_password = async || store.find_account(email(ASHA)).await.unwrap().unwrap().has_password;
    sign_up(store, ASHA, NOON).await;
    let session = sign_in(store, ASHA, NOON).await.secret.hash();
    let link = store.request_link(email(ASHA), NOON).await.unwrap().unwrap();
    let holder = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
    assert!(!holder.session.account.has_password && !has_password().await);
    assert!(store.find_session(session, NOON).await.unwrap().is_none());
    assert!(store.find_session(holder.secret.hash(), NOON).await.unwrap().is_some());

    // once it is proven, a link that is opened and not used further changes nothing
    sign_up(store, "ravi@example.org", NOON).await;
    let session = sign_in(store, "ravi@example.org", NOON).await.secret.hash();
    let proof = made(store, "ravi@example.org", NOON).await;
    verify(store, proof.secret.hash(), NOON).await.unwrap();
    let link = store.request_link(email("ravi@example.org"), NOON).await.unwrap().unwrap();
    let again = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
    assert!(again.session.account.has_password);
    assert!(store.find_session(session, NOON).await.unwrap().is_some());
}
