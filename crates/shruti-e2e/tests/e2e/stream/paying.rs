//! Tests that conversations are charged per turn and counted to the character.

use http::StatusCode;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeySpec};
use shruti_testkit::{RawConnection, TestServer, raw};
use tokio::time::timeout;

use super::ws_client::{PATIENCE, Received, WsClient, sound_ms};
use crate::long_text;
use crate::metering::usage;

/// Returns a key of a new account with a monthly allowance of `chars` characters.
async fn key_for(server: &TestServer, chars: u64) -> String {
    let account = server.create_account("asha@example.org", chars).await;
    server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned()
}

/// Opens a conversation without a lead limit: audio arrives as fast as it is read.
async fn open_fast(server: &TestServer, key: &str) -> WsClient {
    let mut ws = WsClient::open_with(server, key).await;
    ws.say(json!({"type": "config", "max_lead_ms": 0})).await;
    ws.message_of("config").await;
    ws
}

/// Reads until the Close frame. Returns its code, and the messages and the number of bytes of audio before it.
async fn to_the_end(ws: &mut WsClient) -> (u16, Vec<Value>, usize) {
    let (mut messages, mut bytes) = (Vec::new(), 0);
    loop {
        match ws.receive().await {
            Received::Message(message) => messages.push(message),
            Received::Sound(sound) => bytes += sound.len(),
            Received::Pong(_) => {}
            Received::Closed { code, reason } => {
                ws.assert_reason(code, &reason);
                return (code, messages, bytes);
            }
        }
    }
}

/// Asserts that a conversation ended because the allowance was spent: an error with the scope `session`, then close
/// code 4402.
fn assert_unpaid(code: u16, messages: &[Value]) {
    let last = messages.last().unwrap();
    assert_eq!((&last["type"], &last["scope"]), (&json!("error"), &json!("session")), "{last}");
    assert_eq!(last["error"]["code"], "quota_exhausted");
    assert!(last["error"]["message"].as_str().unwrap().contains("the next month begins on 20"), "{last}");
    assert_eq!(code, 4402);
}

#[tokio::test]
async fn turns_are_charged_and_a_conversation_counts_as_one_request() {
    let server = TestServer::start().await;
    let key = key_for(&server, 100).await;
    let client = server.client().with_key(Some(&key));
    let mut ws = open_fast(&server, &key).await;
    assert_eq!(usage(&client).await.days, [], "an open conversation has not spoken yet");
    let (mut ms, mut turns) = (0, 0);
    for (turn, text) in [("a", " नमस्ते, आप कैसे हैं? "), ("b", "Hello there.")]
    {
        turns += 1;
        ws.say(json!({"text": text, "turn_id": turn, "final": true})).await;
        let clip = ws.clip(turn).await;
        assert_eq!(clip.done["chars"], text.trim().chars().count());
        ms += sound_ms(clip.bytes.len());
        let reported = usage(&client).await;
        assert_eq!((reported.total.requests, reported.total.audio_ms), (turns, ms), "{turn}: {reported:?}");
    }
    let reported = usage(&client).await;
    let chars: Vec<_> = reported.days.iter().map(|day| (day.language.code(), day.amount.chars)).collect();
    assert_eq!(chars, [("en", 12), ("hi", 20)]);
    assert_eq!(reported.allowance.unwrap().used, 32);
}

#[tokio::test]
async fn a_turn_is_counted_while_it_is_spoken() {
    let server = TestServer::start().await;
    let key = key_for(&server, 5_000).await;
    let client = server.client().with_key(Some(&key));
    let mut ws = WsClient::open_with(&server, &key).await;
    ws.say(json!({"text": long_text(4_000), "turn_id": "a"})).await;
    let (mut bytes, mut announced, mut chars) = (0, 0, 0);
    while chars < 10 {
        match ws.receive().await {
            Received::Sound(sound) => (bytes, chars) = (bytes + sound.len(), announced),
            Received::Message(message) if message["type"] == "words" => {
                announced =
                    message["words"].as_array().unwrap().last().unwrap()["char_end"].as_u64().unwrap();
            }
            _ => {}
        }
    }
    let reported = usage(&client).await;
    assert!(
        reported.total.chars >= chars && reported.total.audio_ms >= sound_ms(bytes),
        "{chars} {bytes} {reported:?}"
    );
    assert!(reported.total.requests == 1 && reported.allowance.unwrap().used >= chars);
}

#[tokio::test]
async fn cancelled_turns_are_charged_for_sent_audio() {
    let server = TestServer::start().await;
    let key = key_for(&server, 5_000).await;
    let client = server.client().with_key(Some(&key));
    let mut ws = WsClient::open_with(&server, &key).await;
    let text = long_text(4_000);
    ws.say(json!({"text": text, "turn_id": "a", "final": true})).await;
    ws.sound().await;
    ws.say(json!({"type": "cancel", "turn_id": "a"})).await;
    let cancelled = ws.message_of("turn.cancelled").await;
    let sent_ms = cancelled["sent_ms"].as_u64().unwrap();
    let reported = usage(&client).await;
    assert_eq!(reported.total.audio_ms, sent_ms);
    // at most the lead of three seconds was sent, at about 12 characters per second
    assert!((1..200).contains(&reported.total.chars), "{reported:?}");
    let heard = cancelled["heard"]["char_end"].as_u64().unwrap();
    assert!(heard <= reported.total.chars, "{cancelled}");
    // the rest of the allowance is available to the next turn
    ws.say(json!({"text": text, "turn_id": "b"})).await;
    ws.sound().await;
    ws.say(json!({"type": "cancel", "turn_id": "b"})).await;
    ws.message_of("turn.cancelled").await;
    let reported = usage(&client).await;
    assert_eq!(reported.allowance.unwrap().used, reported.total.chars);
}

#[tokio::test]
async fn exhausted_accounts_are_rejected_before_the_upgrade() {
    let server = TestServer::start().await;
    let key = key_for(&server, 5).await;
    server.client().with_key(Some(&key)).speak(&json!({"text": "hello"})).await;
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade("/v1/tts/stream", Some(&key))).await;
    let reply = connection.read_reply().await;
    assert_eq!(reply.status, StatusCode::PAYMENT_REQUIRED);
    reply.assert_error(ErrorCode::QuotaExhausted);
}

#[tokio::test]
async fn a_turn_that_exceeds_the_allowance_fails_and_sent_audio_stays_charged() {
    let server = TestServer::start().await;
    let key = key_for(&server, 40).await;
    let client = server.client().with_key(Some(&key));
    let mut ws = open_fast(&server, &key).await;
    ws.say(json!({"text": "This much is paid for. ", "turn_id": "a"})).await;
    // flush, so that the whole first sentence is spoken and charged
    ws.say(json!({"type": "flush", "turn_id": "a"})).await;
    let mut bytes = 0;
    let flushed = loop {
        match ws.receive().await {
            Received::Sound(sound) => bytes += sound.len(),
            Received::Message(message) if message["type"] == "flushed" => break message,
            _ => {}
        }
    };
    assert_eq!(flushed["audio_ms"], sound_ms(bytes));
    ws.say(json!({"text": "This sentence is not, it is too long. ", "turn_id": "a"})).await;
    let (code, messages, more) = to_the_end(&mut ws).await;
    assert_unpaid(code, &messages);
    let failed = &messages[0];
    assert_eq!((&failed["type"], &failed["turn_id"]), (&json!("turn.failed"), &json!("a")));
    assert_eq!(failed["error"]["code"], "quota_exhausted");
    assert!(
        failed["error"]["message"].as_str().unwrap().contains("38 characters are needed and 18 are left")
    );
    assert_eq!((more, &failed["sent_ms"]), (0, &flushed["audio_ms"]));
    let reported = usage(&client).await;
    assert_eq!(
        (reported.total.chars, reported.total.audio_ms),
        (22, sound_ms(bytes)),
        "sent audio is charged"
    );
    client.speak(&json!({"text": "This still fits in"})).await;
}

#[tokio::test]
async fn a_turn_without_allowance_closes_the_conversation_with_4402() {
    let server = TestServer::start().await;
    let key = key_for(&server, 12).await;
    let mut ws = open_fast(&server, &key).await;
    ws.say(json!({"text": "Hello there.", "turn_id": "a", "final": true})).await;
    ws.clip("a").await;
    ws.say(json!({"text": "And more.", "turn_id": "b", "final": true})).await;
    let (code, messages, bytes) = to_the_end(&mut ws).await;
    assert_unpaid(code, &messages);
    assert_eq!(bytes, 0);
    // the server may already know that the allowance is spent, and then starts no turn
    if messages.len() > 1 {
        assert_eq!((&messages[0]["type"], &messages[0]["sent_ms"]), (&json!("turn.failed"), &json!(0)));
    }
}

#[tokio::test]
async fn the_allowance_of_a_queued_turn_is_checked_when_it_starts() {
    let server = TestServer::start().await;
    let key = key_for(&server, 12).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    ws.say_all([
        json!({"text": "Hello there.", "turn_id": "a", "final": true}),
        json!({"text": "And more.", "turn_id": "b", "final": true}),
    ])
    .await;
    let (code, messages, bytes) = to_the_end(&mut ws).await;
    assert_unpaid(code, &messages);
    let done =
        messages.iter().find(|message| message["type"] == "turn.done").expect("the first turn is complete");
    assert_eq!((&done["turn_id"], &done["audio_ms"]), (&json!("a"), &json!(sound_ms(bytes))));
    let failed = messages.iter().find(|message| message["type"] == "turn.failed").unwrap();
    assert_eq!((&failed["turn_id"], &failed["sent_ms"]), (&json!("b"), &json!(0)));
}

#[tokio::test]
async fn while_a_lease_is_drawn_only_audio_waits_and_cancels_are_answered() {
    let server = TestServer::start().await;
    let key = key_for(&server, 100_000).await;
    let mut ws = open_fast(&server, &key).await;
    // another connection to the database holds the write lock, and the deduction waits for this lock
    let writer = rusqlite::Connection::open(server.data_dir().join("shruti.db")).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    ws.say(json!({"text": long_text(3_000), "turn_id": "a", "final": true})).await;
    ws.say(json!({"type": "ping", "id": "1"})).await;
    assert_eq!(ws.message().await["type"], "pong", "no sound before it is charged");
    ws.say(json!({"type": "cancel", "turn_id": "a", "id": "c"})).await;
    let cancelled = ws.message().await;
    assert_eq!((&cancelled["type"], &cancelled["sent_ms"]), (&json!("turn.cancelled"), &json!(0)));
    writer.execute_batch("COMMIT").unwrap();
    ws.say(json!({"text": long_text(3_000), "turn_id": "b", "final": true})).await;
    timeout(PATIENCE, ws.sound()).await.expect("no sound arrives");
}

#[tokio::test]
async fn a_store_failure_ends_the_turn_and_not_the_conversation() {
    let server = TestServer::start().await;
    let key = key_for(&server, 100_000).await;
    let mut ws = open_fast(&server, &key).await;
    let breaker = rusqlite::Connection::open(server.data_dir().join("shruti.db")).unwrap();
    breaker.execute_batch("ALTER TABLE leases RENAME TO elsewhere").unwrap();
    ws.say(json!({"text": long_text(3_000), "turn_id": "a", "final": true})).await;
    let failed = ws.message_of("turn.failed").await;
    assert_eq!((&failed["error"]["code"], &failed["sent_ms"]), (&json!("internal"), &json!(0)));
    breaker.execute_batch("ALTER TABLE elsewhere RENAME TO leases").unwrap();
    ws.say(json!({"text": "Hello there.", "turn_id": "b", "final": true})).await;
    ws.clip("b").await;
}

#[tokio::test]
async fn revoking_a_key_that_waits_for_a_lease_ends_the_conversation() {
    let server = TestServer::start().await;
    let key = key_for(&server, 100_000).await;
    let mut ws = open_fast(&server, &key).await;
    let record = server.store.list_keys(Actor::Operator).await.unwrap().pop().unwrap();
    server.store.revoke_key(Actor::Operator, record.prefix, 1).await.unwrap();
    ws.say(json!({"text": long_text(3_000), "turn_id": "a", "final": true})).await;
    let (code, messages, _) = to_the_end(&mut ws).await;
    assert_eq!((code, &messages.last().unwrap()["error"]["code"]), (4410, &json!("revoked_api_key")));
}
