//! Tests of turns that are queued, preempt others, are flushed, or get text too late.

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::ws_client::{Received, WsClient, sound_ms};

/// Starts a turn that stays open, and reads its first audio.
async fn open_live_turn(ws: &mut WsClient) {
    ws.say(json!({"text": "I am speaking now. ", "turn_id": "live"})).await;
    ws.sound().await;
}

#[tokio::test]
async fn an_excess_turn_is_rejected_with_queue_full() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open(&server).await;
    open_live_turn(&mut ws).await;
    let names: Vec<_> = (0..9).map(|number| format!("q{number}")).collect();
    ws.say_all(names.iter().map(|name| json!({"text": "Next.", "turn_id": name, "final": true}))).await;
    let failed = ws.message_of("turn.failed").await;
    assert_eq!((&failed["turn_id"], &failed["error"]["code"]), (&json!("q8"), &json!("queue_full")));
    assert_eq!(failed["sent_ms"], 0);
    ws.say(json!({"type": "cancel", "all": true, "id": "all"})).await;
    let mut cancelled = Vec::new();
    for _ in 0..9 {
        let answer = ws.message_of("turn.cancelled").await;
        cancelled.push((answer["turn_id"].as_str().unwrap().to_owned(), answer["id"].clone()));
    }
    let waiting = names[..8].iter().map(|name| (name.clone(), Value::Null));
    let expected: Vec<_> = waiting.chain([("live".to_owned(), json!("all"))]).collect();
    assert_eq!(cancelled, expected);
}

#[tokio::test]
async fn queued_turns_follow_one_another() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let names = ["one", "two", "three"];
    let alone = server.client().post(json!({"text": "Next please."}).to_string()).await.body;
    ws.say_all(names.map(|name| json!({"text": "Next please.", "turn_id": name, "final": true}))).await;
    for name in names {
        assert!(ws.clip(name).await.bytes == alone, "{name}");
    }
}

#[tokio::test]
async fn a_preempting_turn_cancels_the_live_one() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open(&server).await;
    open_live_turn(&mut ws).await;
    ws.say_all([
        json!({"text": "Waiting.", "turn_id": "waiting", "final": true}),
        json!({"text": "Me first.", "turn_id": "urgent", "final": true, "preempt": true}),
    ])
    .await;
    let cut = ws.message_of("turn.cancelled").await;
    assert_eq!(
        (&cut["turn_id"], &cut["id"], &cut["state"]),
        (&json!("live"), &Value::Null, &json!("cancelled"))
    );
    let text = cut["heard"]["text"].as_str().unwrap().to_owned() + cut["unheard_text"].as_str().unwrap();
    assert_eq!(text, "I am speaking now. ");
    ws.clip("urgent").await;
    ws.clip("waiting").await;
}

#[tokio::test]
async fn a_flush_speaks_held_back_text_and_keeps_the_turn_open() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say_all([
        json!({"text": "No end in sig", "turn_id": "t"}),
        json!({"type": "flush", "turn_id": "t", "id": "f1"}),
    ])
    .await;
    let mut bytes = 0;
    let flushed = loop {
        match ws.receive().await {
            Received::Sound(sound) => bytes += sound.len(),
            Received::Message(message) if message["type"] == "flushed" => break message,
            Received::Message(message) => assert_ne!(message["type"], "turn.done"),
            other => panic!("{other:?}"),
        }
    };
    assert!(bytes > 0);
    assert_eq!(flushed, json!({"type": "flushed", "turn_id": "t", "id": "f1", "audio_ms": sound_ms(bytes)}));
    ws.say(json!({"text": " and more", "turn_id": "t", "final": true})).await;
    let done = ws.message_of("turn.done").await;
    assert!(done["audio_ms"].as_u64().unwrap() > sound_ms(bytes), "{done}");
    for (message, turn) in [
        (json!({"type": "flush", "turn_id": "nobody", "id": "f2"}), json!("nobody")),
        (json!({"type": "flush", "id": "f2"}), Value::Null),
    ] {
        ws.say(message).await;
        let answer = ws.message().await;
        assert_eq!(answer, json!({"type": "flushed", "turn_id": turn, "id": "f2", "audio_ms": 0}));
    }
}

#[tokio::test]
async fn late_text_causes_one_warning() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"text": "Over.", "turn_id": "t", "final": true})).await;
    ws.clip("t").await;
    let late = json!({"text": "One more thing.", "turn_id": "t"});
    ws.say_all([late.clone(), late.clone(), late]).await;
    let warning = ws.message().await;
    assert_eq!((&warning["type"], &warning["code"]), (&json!("warning"), &json!("late_text")), "{warning}");
    assert_eq!(warning["turn_id"], "t");
    ws.say(json!({"type": "flush"})).await;
    assert_eq!(ws.message().await["type"], "flushed", "one warning is enough");
}

#[tokio::test]
async fn answers_are_in_the_order_of_their_messages() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let messages = [
        json!({"type": "cancel", "turn_id": "nobody"}),
        json!({"type": "ping"}),
        json!({"type": "flush", "turn_id": "nobody"}),
        json!({"type": "config", "speed": 1.5}),
        json!({"type": "cancel"}),
        json!({"type": "ping"}),
    ];
    ws.say_all(messages).await;
    for answer in ["turn.cancelled", "pong", "flushed", "config", "turn.cancelled", "pong"] {
        assert_eq!(ws.message().await["type"], answer);
    }
}
