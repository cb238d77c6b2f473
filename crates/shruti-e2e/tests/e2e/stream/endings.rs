//! Tests of the end of conversations: by a `close` message, by a client that disconnects, by the server's shutdown.

use std::time::Duration;

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_testkit::TestServer;

use super::ws_client::{Received, WsClient};
use crate::long_text;

#[tokio::test]
async fn close_completes_every_turn() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say_all([
        json!({"text": "The first one.", "turn_id": "a", "final": true}),
        json!({"text": "The second one", "turn_id": "b"}),
        json!({"type": "close"}),
    ])
    .await;
    assert_eq!(ws.clip("a").await.done["reason"], "complete");
    assert_eq!(ws.clip("b").await.done["reason"], "complete");
    match ws.receive().await {
        Received::Closed { code: 1000, reason } => ws.assert_reason(1000, &reason),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_lost_client_stops_all_its_work() {
    let server = TestServer::start().await;
    let text = long_text(5_000);
    let mut talkers = Vec::new();
    for lead in [0, 3_000, 3_000] {
        let mut ws = WsClient::open(&server).await;
        ws.say(json!({"text": text, "turn_id": "long", "final": true, "max_lead_ms": lead})).await;
        ws.sound().await;
        talkers.push(ws);
    }
    assert_eq!(server.engine.stats().active, talkers.len());
    drop(talkers);
    server.idle().await;
    let stats = server.engine.stats();
    assert_eq!((stats.active, stats.cancelled, stats.completed), (0, 3, 0));
    // each turn would have 14 MB of audio if it were rendered completely
    assert!(stats.samples < 3_000_000, "{} samples were rendered without a listener", stats.samples);
}

#[tokio::test]
async fn a_shutdown_ends_conversations_after_their_turns() {
    let mut server = TestServer::start().await;
    let mut idle = WsClient::open(&server).await;
    let mut live = WsClient::open(&server).await;
    live.say(json!({"text": "Let me finish this. ", "turn_id": "t"})).await;
    live.sound().await;
    let mut gone = WsClient::open(&server).await;
    gone.say(json!({"text": long_text(2_000), "turn_id": "t"})).await;
    gone.sound().await;

    server.begin_shutdown();
    let (code, before) = idle.closed().await;
    assert_eq!((code, &before[0]["type"], &before[0]["code"]), (1001, &json!("closing"), &json!(1001)));
    assert_eq!(gone.message_of("closing").await["reason"], "shutdown");
    let refused = server.client().post(r#"{"text":"a"}"#).await;
    refused.assert_error(ErrorCode::Draining);
    live.say(json!({"text": "Done.", "turn_id": "t", "final": true})).await;
    assert_eq!(live.message_of("turn.done").await["reason"], "complete");
    assert_eq!(live.closed().await.0, 1001);
    drop((idle, live, gone));
    server.stop().await;
}

#[tokio::test]
async fn an_open_turn_is_closed_before_the_drain_timeout() {
    let drain = Duration::from_millis(1_500);
    let mut server = TestServer::builder().config(|config| config.timeouts.drain = drain).start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"text": "Nobody ends this. ", "turn_id": "open"})).await;
    ws.message_of("turn.started").await;
    server.begin_shutdown();
    assert_eq!(ws.message_of("closing").await["code"], 1001);
    assert_eq!(ws.closed().await.0, 1001);
    server.stop().await;
}

/// Starts a turn. Returns its `turn.started`, or its `turn.failed` if the server has no capacity.
async fn try_turn(ws: &mut WsClient, turn: &str) -> Value {
    ws.say(json!({"text": "Is there room?", "turn_id": turn, "final": true})).await;
    let reported = ws.message().await;
    assert_eq!(reported["turn_id"], turn);
    reported
}

#[tokio::test]
async fn repeated_overloaded_turns_close_the_connection() {
    let server = TestServer::builder().max_speeches(1).start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let mut holder = WsClient::open(&server).await;
    let takes_the_room = json!({"text": "I stay. ", "turn_id": "open"});
    holder.say(takes_the_room.clone()).await;
    holder.sound().await;
    for turn in ["a", "b", "c"] {
        let failed = try_turn(&mut ws, turn).await;
        assert_eq!(
            (&failed["type"], &failed["error"]["code"]),
            (&json!("turn.failed"), &json!("overloaded"))
        );
    }
    holder.say(json!({"type": "cancel"})).await;
    holder.message_of("turn.cancelled").await;
    assert_eq!(try_turn(&mut ws, "d").await["type"], "turn.started", "three errors are tolerated");
    ws.message_of("turn.done").await;
    holder.say(takes_the_room).await;
    holder.message_of("warning").await;
    holder.say(json!({"text": "I stay again. ", "turn_id": "again"})).await;
    holder.sound().await;
    for turn in ["e", "f", "g", "h"] {
        assert_eq!(try_turn(&mut ws, turn).await["type"], "turn.failed");
    }
    let (code, before) = ws.closed().await;
    let [error] = &before[..] else { panic!("{before:?}") };
    assert_eq!(
        (code, &error["scope"], &error["error"]["code"]),
        (1013, &json!("session"), &json!("overloaded"))
    );
}
