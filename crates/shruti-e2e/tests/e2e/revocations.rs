//! Tests of keys that are revoked or locked, or that expire, while turns are spoken.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use shruti_store::{Actor, KeySpec};
use shruti_testkit::raw::{self, End};
use shruti_testkit::{RawConnection, TestClock, TestServer};

use crate::long_text;
use crate::stream::ws_client::WsClient;

/// Maximum time from the moment at which a key becomes invalid to the end of its open turns.
const SOON: Duration = Duration::from_secs(2);

async fn start() -> (TestServer, Arc<TestClock>) {
    let clock = Arc::new(TestClock::new());
    (TestServer::builder().clock(Arc::clone(&clock) as _).start().await, clock)
}

/// Reason why a key becomes invalid.
#[derive(Clone, Copy, Debug)]
enum Ending {
    Revoked,
    Locked,
    Expired,
    /// The account is deleted.
    Deleted,
}

impl Ending {
    /// Returns a valid key, and the action that makes it invalid for this reason. A key that expires needs no action.
    async fn prepare(self, server: &TestServer, clock: &TestClock) -> (String, impl AsyncFnOnce()) {
        let account = server.create_account("asha@example.org", 100_000).await;
        let expires = Some(shruti_clock::Clock::now(clock).wall_ms + 1_000);
        let expires_ms = expires.filter(|_| matches!(self, Self::Expired));
        let key = server.create_key_of(&account, KeySpec { expires_ms, ..KeySpec::named("a") }).await;
        let store = Arc::clone(&server.store);
        let prefix = key.record.prefix;
        let end = async move || match self {
            Self::Revoked => drop(store.revoke_key(Actor::Operator, prefix, 1).await.unwrap()),
            Self::Locked => drop(store.lock_account(Actor::Operator, account.email, 1).await.unwrap()),
            Self::Deleted => drop(store.delete_account(Actor::Operator, account.email, 1).await.unwrap()),
            Self::Expired => {}
        };
        (key.secret.reveal().to_owned(), end)
    }

    fn close(self) -> (u16, &'static str) {
        match self {
            Self::Revoked => (4410, "revoked_api_key"),
            Self::Locked => (4403, "access_locked"),
            Self::Expired => (4401, "expired_api_key"),
            Self::Deleted => (4401, "invalid_api_key"),
        }
    }
}

/// Asserts that the last messages of a conversation are the failures of these turns, in order, and then the failure of
/// the session.
fn assert_failures(messages: &[Value], turns: &[&str], code: &str) {
    let ends = ["turn.done", "turn.cancelled", "turn.failed"];
    let ended: Vec<_> =
        messages.iter().filter(|message| ends.contains(&message["type"].as_str().unwrap())).collect();
    assert_eq!(ended.len(), turns.len(), "{messages:?}");
    for (end, turn) in ended.iter().zip(turns) {
        assert_eq!((&end["type"], &end["turn_id"]), (&json!("turn.failed"), &json!(turn)), "{end}");
        assert_eq!(end["error"]["code"], code);
    }
    let last = messages.last().unwrap();
    assert_eq!((&last["type"], &last["scope"]), (&json!("error"), &json!("session")), "{last}");
    assert_eq!(last["error"]["code"], code);
}

#[tokio::test]
async fn revocation_ends_open_and_waiting_turns_soon() {
    for ending in [Ending::Revoked, Ending::Locked, Ending::Expired, Ending::Deleted] {
        let (server, clock) = start().await;
        let (key, end) = ending.prepare(&server, &clock).await;
        let mut ws = WsClient::open_with(&server, &key).await;
        ws.say_all([
            json!({"text": long_text(3_000), "turn_id": "sounds", "final": true}),
            json!({"text": "It waits.", "turn_id": "waits", "final": true}),
            json!({"text": "And this one", "turn_id": "waits too"}),
        ])
        .await;
        ws.sound().await;
        end().await;
        clock.advance(SOON);
        let (code, messages) = ws.closed().await;
        assert_eq!(code, ending.close().0, "{ending:?}: {messages:?}");
        assert_failures(&messages, &["sounds", "waits", "waits too"], ending.close().1);
        let failed = messages.iter().find(|message| message["turn_id"] == "waits").unwrap();
        assert_eq!(failed["sent_ms"], 0);
        server.idle().await;
    }
}

#[tokio::test]
async fn revocation_ends_a_turn_that_waits_for_text() {
    let (server, clock) = start().await;
    let (key, end) = Ending::Revoked.prepare(&server, &clock).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    ws.say_all([json!({"text": "Hello. ", "turn_id": "t"}), json!({"type": "flush", "turn_id": "t"})]).await;
    ws.message_of("flushed").await;
    end().await;
    clock.advance(SOON);
    let (code, messages) = ws.closed().await;
    assert_eq!(code, 4410);
    assert_failures(&messages, &["t"], "revoked_api_key");
}

#[tokio::test]
async fn the_key_of_a_turn_is_checked_when_it_starts() {
    // the clock does not advance, so no periodic check runs
    let (server, clock) = start().await;
    let (key, end) = Ending::Revoked.prepare(&server, &clock).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    ws.say_all([
        json!({"type": "config", "max_lead_ms": 0}),
        json!({"text": long_text(3_000), "turn_id": "sounds", "final": true}),
        json!({"text": "It waits.", "turn_id": "waits", "final": true}),
    ])
    .await;
    ws.sound().await;
    end().await;
    let client = server.client().with_key(Some(&key));
    while client.get("/v1/usage").await.status != StatusCode::UNAUTHORIZED {}
    let (code, messages) = ws.closed().await;
    assert_eq!(code, 4410);
    let done = messages.iter().position(|message| message["type"] == "turn.done").expect("it was admitted");
    assert_eq!(messages[done]["turn_id"], "sounds");
    assert_failures(&messages[done + 1..], &["waits"], "revoked_api_key");
}

#[tokio::test]
async fn revocation_aborts_a_clip_soon() {
    for ending in [Ending::Revoked, Ending::Locked, Ending::Expired, Ending::Deleted] {
        let (server, clock) = start().await;
        let (key, end) = ending.prepare(&server, &clock).await;
        let mut connection = RawConnection::open_small(server.address).await;
        connection.send(raw::post_tts(&key, &json!({"text": long_text(5_000)}).to_string())).await;
        let (status, headers) = connection.read_head().await;
        assert_eq!(status, StatusCode::OK);
        clock.wait_for_waiter(|at| at == Duration::from_secs(1)).await;
        end().await;
        clock.advance(SOON);
        server.idle().await;
        let (bytes, clip_end) = connection.read_body(&headers).await;
        assert_eq!(clip_end, End::CutOff, "{ending:?}");
        assert!(bytes.len() < 10_000_000, "{ending:?}: {} bytes", bytes.len());
    }
}

#[tokio::test]
async fn revocation_ends_a_timed_clip_with_an_error() {
    for ending in [Ending::Revoked, Ending::Locked, Ending::Expired, Ending::Deleted] {
        let (server, clock) = start().await;
        let (key, end) = ending.prepare(&server, &clock).await;
        let mut connection = RawConnection::open_small(server.address).await;
        let body = json!({"text": long_text(5_000)}).to_string();
        connection.send(raw::post("/v1/tts/timed", &key, &body)).await;
        let (status, headers) = connection.read_head().await;
        assert_eq!(status, StatusCode::OK);
        clock.wait_for_waiter(|at| at == Duration::from_secs(1)).await;
        end().await;
        clock.advance(SOON);
        server.idle().await;
        let (bytes, clip_end) = connection.read_body(&headers).await;
        assert_eq!(clip_end, End::Whole, "{ending:?}: the error reaches the reader");
        let last: Value =
            serde_json::from_slice(bytes.trim_ascii_end().rsplit(|b| *b == b'\n').next().unwrap()).unwrap();
        assert_eq!(
            (&last["type"], &last["error"]["code"]),
            (&json!("error"), &json!(ending.close().1)),
            "{last}"
        );
    }
}

#[tokio::test]
async fn speech_with_a_valid_key_continues() {
    let (server, clock) = start().await;
    let (key, _) = Ending::Revoked.prepare(&server, &clock).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    ws.say(json!({"text": long_text(300), "turn_id": "t", "final": true, "max_lead_ms": 0})).await;
    for _ in 0..5 {
        clock.advance(SOON);
    }
    assert_eq!(ws.clip("t").await.done["reason"], "complete");
}
