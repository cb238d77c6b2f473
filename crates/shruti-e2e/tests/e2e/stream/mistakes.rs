//! Tests of invalid messages and frames, and the responses to them.

use serde_json::json;
use shruti_testkit::{RawConnection, TestServer, raw};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::ws_client::{Received, WsClient};

#[tokio::test]
async fn malformed_messages_get_errors_up_to_a_limit() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let too_long = json!({"text": "a".repeat(5_001)}).to_string();
    let mistakes = [
        ("", "invalid_json"),
        ("{", "invalid_json"),
        ("[1]", "invalid_json"),
        ("{}", "missing_field"),
        (r#"{"type":"shout"}"#, "invalid_field"),
        (r#"{"type":"text"}"#, "missing_field"),
        (r#"{"text":"a","voice":"Nobody"}"#, "unknown_voice"),
        (r#"{"text":"a","language":"fr"}"#, "unsupported_language"),
        (r#"{"type":"config","speed":9}"#, "invalid_field"),
        (too_long.as_str(), "text_too_long"),
    ];
    for (message, code) in mistakes {
        ws.send(Message::text(message)).await;
        let answer = ws.message().await;
        assert_eq!((&answer["type"], &answer["scope"]), (&json!("error"), &json!("message")), "{answer}");
        assert_eq!(answer["error"]["code"], code, "{message:.50}: {answer}");
        assert_eq!(answer["error"]["request_id"], ws.ready["session_id"]);
        let documented = format!("http://{}/docs/errors#{code}", server.address);
        assert_eq!(answer["error"]["doc_url"], documented);
    }
    ws.say(json!({"text": "Still here.", "turn_id": "t", "final": true})).await;
    assert_eq!(ws.clip("t").await.done["reason"], "complete");
    ws.send(Message::text("{")).await;
    let (code, before) = ws.closed().await;
    assert_eq!(code, 4400);
    assert_eq!(before.len(), 1, "{before:?}");
    assert_eq!(before[0]["scope"], "session");
}

#[tokio::test]
async fn a_split_character_does_not_fail_the_turn() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    for (turn, first, second, text) in [
        ("cut", r"Good morning \ud83d", r"\ude00 Ramesh.", "Good morning \u{2060}😀 Ramesh."),
        ("odd", r"Good morning \ude00", r"\ud83d Ramesh.", "Good morning \u{FFFD}\u{FFFD} Ramesh."),
    ] {
        for text in [first, second] {
            ws.send(Message::text(format!(r#"{{"text":"{text}","turn_id":"{turn}"}}"#))).await;
        }
        ws.say(json!({"type": "end", "turn_id": turn})).await;
        let clip = ws.clip(turn).await;
        assert_eq!(clip.done["reason"], "complete");
        assert_eq!(clip.done["chars"], text.chars().count());
        let spoken: Vec<&str> = clip.words.iter().map(|(word, _)| word["text"].as_str().unwrap()).collect();
        assert_eq!((spoken.first(), spoken.last()), (Some(&"Good"), Some(&"Ramesh.")));
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_a_message_or_a_body_is_ignored() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.send(Message::text("\u{feff}{\"text\": \"Hello.\", \"turn_id\": \"t\", \"final\": true}")).await;
    assert_eq!(ws.clip("t").await.done["chars"], 6);
    for (body, wanted) in [("\u{feff}{\"text\": \"Hello.\"}", 200), ("\u{feff}", 400)] {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(raw::post_tts(&server.key, body)).await;
        assert_eq!(connection.read_head().await.0, wanted);
    }
}

#[tokio::test]
async fn an_error_names_the_turn_of_the_message() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open(&server).await;
    let half_full = "a".repeat(5_000);
    let long_name = "t".repeat(65);
    let cases = [
        (json!({"text": "a", "turn_id": "t", "voice": "Nobody"}), json!("t")),
        (json!({"text": "a\u{0}", "turn_id": "नाम"}), json!("नाम")),
        (json!({"type": "cancel", "turn_id": "t", "played_ms": -1}), json!("t")),
        (json!({"text": "a", "voice": "Nobody"}), json!(null)),
        (json!({"text": "a", "turn_id": long_name}), json!(null)),
        (json!({"type": "config", "speed": 9}), json!(null)),
    ];
    for (message, turn) in cases {
        ws.say(message.clone()).await;
        let answer = ws.message().await;
        assert_eq!((&answer["type"], &answer["turn_id"]), (&json!("error"), &turn), "{message}: {answer}");
    }

    // the last message is rejected because of the buffered text, not because of its format. This message
    // has no turn ID, so it belongs to the open turn
    ws.say(json!({"text": "Sound. ", "turn_id": "full"})).await;
    ws.say_all((0..5).map(|_| json!({"text": half_full}))).await;
    let refusal = loop {
        if let Received::Message(message) = ws.receive().await
            && message["type"] == "error"
        {
            break message;
        }
    };
    assert_eq!((&refusal["turn_id"], &refusal["error"]["code"]), (&json!("full"), &json!("text_too_long")));
}

#[tokio::test]
async fn unsupported_frames_close_with_their_code() {
    let server = TestServer::start().await;
    let not_utf8 = Frame::message(vec![b'{', 0xff, 0xfe, b'}'], OpCode::Data(Data::Text), true);
    let cases = [
        (Message::binary(vec![0; 10]), 1003),
        (Message::Frame(not_utf8), 1007),
        (Message::text(" ".repeat(65_537)), 1009),
        (Message::text(" ".repeat(1_000_000)), 1009),
    ];
    for (frame, expected) in cases {
        let mut ws = WsClient::open(&server).await;
        ws.say(json!({"text": "A turn is going on. ", "turn_id": "t"})).await;
        ws.sound().await;
        let size = frame.len();
        ws.send(frame).await;
        let (code, _) = ws.closed().await;
        assert_eq!(code, expected, "{size} bytes");
        server.idle().await;
    }
    let mut ws = WsClient::open(&server).await;
    let most = format!(r#"{{"type":"ping","id":"x","ignored":"{}"}}"#, "y".repeat(65_536 - 37));
    assert_eq!(most.len(), 65_536);
    ws.send(Message::text(most)).await;
    assert_eq!(ws.message().await, json!({"type": "pong", "id": "x"}));
}

#[tokio::test]
async fn pings_of_both_kinds_are_answered() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open(&server).await;
    ws.say_all([json!({"type": "ping", "id": "p1"}), json!({"type": "ping"})]).await;
    assert_eq!(ws.message().await, json!({"type": "pong", "id": "p1"}));
    assert_eq!(ws.message().await, json!({"type": "pong", "id": null}));
    ws.send(Message::Ping("abc".into())).await;
    match ws.receive().await {
        Received::Pong(payload) => assert_eq!(payload, "abc"),
        other => panic!("{other:?}"),
    }
}
