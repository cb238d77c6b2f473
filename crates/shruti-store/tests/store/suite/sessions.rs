//! Sessions and sign-in links, on every store.

use super::{DAY, HOUR, MINUTE, NOON, TestDatabase, email, sign_in, sign_up};
use shruti_store::{
    Actor, EmailAddress, Invitation, LINK_AGAIN_MS, LINK_LIFE_MS, LinkSecret, ListedSession, MAX_SESSIONS,
    SESSION_IDLE_MS, SESSION_LIFE_MS, SessionId, SessionSecret,
};

super::on_every_store!(
    an_unused_session_expires,
    a_used_session_ends_after_thirty_days,
    signing_out_ends_one_session_or_all,
    sessions_are_listed_and_ended_individually,
    sessions_are_limited_and_the_oldest_is_removed,
    only_one_of_fifty_uses_of_a_link_signs_in,
    a_link_expires_after_an_hour_and_a_new_link_replaces_it,
    password_reset_links_are_rate_limited,
    a_mail_request_does_not_replace_an_operator_link,
);

const ASHA: &str = "asha@example.org";

async fn an_unused_session_expires(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, ASHA, NOON).await;
    let session = sign_in(&*store, ASHA, NOON).await;
    let goes_on = async |now| store.find_session(session.secret.hash(), now).await.unwrap().is_some();
    assert!(!goes_on(NOON + SESSION_IDLE_MS).await);
    assert!(goes_on(NOON + SESSION_IDLE_MS - 1).await, "a lookup after expiry changes nothing");
    assert!(goes_on(NOON + 2 * SESSION_IDLE_MS - 2).await, "it was used in the meantime");
    assert!(!goes_on(NOON + 3 * SESSION_IDLE_MS).await);
}

async fn a_used_session_ends_after_thirty_days(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, ASHA, NOON).await;
    let session = sign_in(&*store, ASHA, NOON).await;
    assert_eq!(session.session.ends_ms, NOON + SESSION_LIFE_MS);
    for day in 1..30 {
        assert!(
            store.find_session(session.secret.hash(), NOON + day * DAY).await.unwrap().is_some(),
            "{day}"
        );
    }
    assert!(store.find_session(session.secret.hash(), NOON + SESSION_LIFE_MS - 1).await.unwrap().is_some());
    assert!(store.find_session(session.secret.hash(), NOON + SESSION_LIFE_MS).await.unwrap().is_none());
}

async fn signing_out_ends_one_session_or_all(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, ASHA, NOON).await;
    sign_up(&*store, "b@example.org", NOON).await;
    let other = sign_in(&*store, "b@example.org", NOON).await;
    let mut sessions = Vec::new();
    for _ in 0..4 {
        sessions.push(sign_in(&*store, ASHA, NOON).await.secret.hash());
    }
    let alive = async || {
        let mut alive = Vec::new();
        for session in &sessions {
            alive.push(store.find_session(*session, NOON).await.unwrap().is_some());
        }
        alive
    };
    assert!(store.end_session(sessions[1], NOON).await.unwrap());
    assert!(!store.end_session(sessions[1], NOON).await.unwrap());
    assert_eq!(alive().await, [true, false, true, true]);
    assert_eq!(store.end_all_sessions(sessions[1], NOON).await.unwrap(), 0, "an ended session ends no other");
    assert_eq!(store.end_all_sessions(sessions[0], NOON).await.unwrap(), 3);
    assert_eq!(alive().await, [false; 4]);
    assert!(store.find_session(other.secret.hash(), NOON).await.unwrap().is_some());
    let unknown = SessionSecret::generate().unwrap().hash();
    assert_eq!(store.find_session(unknown, NOON).await.unwrap(), None);
}

async fn sessions_are_listed_and_ended_individually(database: &impl TestDatabase) {
    let store = database.open().await;
    let asha = sign_up(&*store, ASHA, NOON).await;
    sign_up(&*store, "b@example.org", NOON).await;
    let (first, stranger) =
        (sign_in(&*store, ASHA, NOON).await, sign_in(&*store, "b@example.org", NOON).await);
    let idle = sign_in(&*store, ASHA, NOON - SESSION_IDLE_MS).await;
    let link = store.create_sign_in_link(asha.id, Actor::Operator, NOON).await.unwrap().unwrap();
    let second = store.use_sign_in_link(link.secret.hash(), NOON + MINUTE).await.unwrap().unwrap();
    store.note_browser(second.secret.hash(), "Firefox on Linux".to_owned()).await.unwrap();
    let [first, second, idle, stranger] =
        [first, second, idle, stranger].map(|session| session.secret.hash());

    let list = async |session| store.list_sessions(session, NOON + MINUTE).await.unwrap();
    let listed = list(first).await;
    let summary = |session: &ListedSession| {
        (session.is_own, session.created_ms, session.used_ms, session.came_by_link, session.browser.clone())
    };
    let browser = Some("Firefox on Linux".to_owned());
    assert_eq!(
        listed.iter().map(summary).collect::<Vec<_>>(),
        [(false, NOON + MINUTE, NOON + MINUTE, true, browser), (true, NOON, NOON, false, None)]
    );
    assert_eq!(SessionId::parse(&listed[0].id.to_string()), Some(listed[0].id.clone()));
    for wrong in ["", "00", &"0".repeat(63), &"G".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
        assert_eq!(SessionId::parse(wrong), None, "{wrong}");
    }
    assert_eq!(list(idle).await, []);
    assert_eq!(list(stranger).await.len(), 1);

    let end =
        async |session, id: &SessionId| store.end_listed_session(session, id.clone(), NOON).await.unwrap();
    assert!(!end(stranger, &listed[0].id).await, "another's");
    assert!(!end(idle, &listed[0].id).await, "by one that is over");
    assert!(end(first, &listed[0].id).await);
    assert!(!end(first, &listed[0].id).await);
    assert_eq!(list(second).await, []);
    assert!(end(first, &listed[1].id).await, "also its own");
    assert_eq!(list(first).await, []);
}

async fn sessions_are_limited_and_the_oldest_is_removed(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, ASHA, NOON).await;
    let mut sessions = Vec::new();
    for i in 0..=i64::from(MAX_SESSIONS) {
        let link =
            store.create_sign_in_link(account.id.clone(), Actor::Operator, NOON + i).await.unwrap().unwrap();
        sessions.push(store.use_sign_in_link(link.secret.hash(), NOON + i).await.unwrap().unwrap());
    }
    let goes_on = async |i: usize| {
        store.find_session(sessions[i].secret.hash(), NOON + MINUTE).await.unwrap().is_some()
    };
    assert!(!goes_on(0).await);
    assert!(goes_on(1).await && goes_on(MAX_SESSIONS as usize).await);
}

async fn only_one_of_fifty_uses_of_a_link_signs_in(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let account = stores[0].ensure_operator(NOON).await.unwrap();
    let link =
        stores[0].create_sign_in_link(account.id.clone(), Actor::Operator, NOON).await.unwrap().unwrap();
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (store, link) = (stores[i % 2].clone(), link.secret.hash());
        tries.spawn(async move { store.use_sign_in_link(link, NOON).await.unwrap() });
    }
    let let_in: Vec<_> = tries.join_all().await.into_iter().flatten().collect();
    assert_eq!(let_in.len(), 1);
    assert_eq!(let_in[0].session.account, account);
    assert!(let_in[0].session.sets_password_until_ms.is_some());
}

async fn a_link_expires_after_an_hour_and_a_new_link_replaces_it(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, ASHA, NOON).await;
    let make = async |now| {
        store.create_sign_in_link(account.id.clone(), Actor::Operator, now).await.unwrap().unwrap()
    };
    let (first, second) = (make(NOON).await, make(NOON + 1).await);
    let use_link = async |link: &LinkSecret, now| store.use_sign_in_link(link.hash(), now).await.unwrap();
    assert!(use_link(&first.secret, NOON + 2).await.is_none(), "the second replaced it");
    assert_eq!(second.expires_ms, NOON + 1 + LINK_LIFE_MS);
    assert!(use_link(&second.secret, second.expires_ms).await.is_none());
    assert!(use_link(&second.secret, second.expires_ms - 1).await.is_some());
    let third = make(NOON).await;
    let session = sign_in(&*store, ASHA, NOON).await;
    store.end_all_sessions(session.secret.hash(), NOON).await.unwrap();
    assert!(use_link(&third.secret, NOON).await.is_none(), "a sign-out everywhere also ends links");
}

async fn password_reset_links_are_rate_limited(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    sign_up(&*stores[0], ASHA, NOON).await;
    let request = async |address: &str, now_ms| stores[0].request_link(email(address), now_ms).await.unwrap();
    assert!(request("nobody@example.org", NOON).await.is_none());
    let mut requests = tokio::task::JoinSet::new();
    for i in 0..10 {
        let store = stores[i % 2].clone();
        requests.spawn(async move { store.request_link(email(ASHA), NOON).await.unwrap() });
    }
    let made: Vec<_> = requests.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 1, "one, however often it is asked for");
    sign_in(&*stores[0], ASHA, NOON).await;
    assert!(request(ASHA, NOON + LINK_AGAIN_MS - 1).await.is_none());
    let second = request(ASHA, NOON + LINK_AGAIN_MS).await.unwrap();
    assert!(stores[1].use_sign_in_link(made[0].secret.hash(), NOON + LINK_AGAIN_MS).await.unwrap().is_none());
    let session =
        stores[1].use_sign_in_link(second.secret.hash(), NOON + LINK_AGAIN_MS).await.unwrap().unwrap();
    assert!(session.session.may_set_password(NOON + LINK_AGAIN_MS));
    // after a link has been used, another one can be requested
    assert!(request(ASHA, NOON + LINK_AGAIN_MS).await.is_some());

    stores[0].lock_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    assert!(request(ASHA, NOON + DAY).await.is_none());
    stores[0].ensure_operator(NOON).await.unwrap();
    assert!(request(EmailAddress::operator().as_str(), NOON).await.is_none(), "no mail goes there");
}

async fn a_mail_request_does_not_replace_an_operator_link(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let invited = store.invite_account(Actor::Operator, email(ASHA), NOON).await.unwrap();
    let Invitation::Invited(account, invitation) = invited else { panic!("{invited:?}") };
    // another person requests links repeatedly
    for again in 1..=3 {
        store.request_link(email(ASHA), NOON + again * LINK_AGAIN_MS).await.unwrap().unwrap();
    }
    let late = invitation.expires_ms - 1;
    let session = store.use_sign_in_link(invitation.secret.hash(), late).await.unwrap().unwrap();
    assert!(session.session.may_set_password(late));

    // the links stay independent if the operator's link is the second one, or if one of them has expired
    let sent = store.request_link(email(ASHA), NOON + HOUR).await.unwrap().unwrap();
    let handed_over = store.create_sign_in_link(account.id, Actor::Operator, NOON + HOUR + 1).await.unwrap();
    assert_eq!(database.rows("sign_in_links").await, 2);
    store.prune(sent.expires_ms).await.unwrap();
    assert_eq!(database.rows("sign_in_links").await, 1);
    assert!(store.use_sign_in_link(sent.secret.hash(), sent.expires_ms).await.unwrap().is_none());
    let secret = handed_over.unwrap().secret.hash();
    assert!(store.use_sign_in_link(secret, sent.expires_ms).await.unwrap().is_some());
}
