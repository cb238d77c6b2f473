//! Tests of `/v1/speak` as Deepgram's clients use it.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::{Reply, TestServer};

use super::json_socket::{JsonSocket, Received};
use crate::long_text;
use crate::metering::usage;

const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है।";
const BARE: &str = "encoding=linear16&container=none&sample_rate=24000&model=Arjun-hi";

async fn post(server: &TestServer, query: &str, body: &Value) -> Reply {
    let client = server.client();
    client.send(client.request(Method::POST, &format!("/v1/speak?{query}"), body.to_string())).await
}

async fn clip(server: &TestServer, text: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": "Arjun", "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

async fn open(server: &TestServer, query: &str) -> JsonSocket {
    let key = format!("Token {}", server.key);
    let path = format!("/v1/speak?{query}");
    let mut socket = JsonSocket::open(server, &path, &[("authorization", &key)]).await.expect("refused");
    let greeting = socket.receive().await.unwrap();
    assert_eq!(greeting["type"], "Metadata");
    assert!(greeting["request_id"].as_str().unwrap().starts_with("req_"), "{greeting}");
    socket
}

fn speak(text: &str) -> Value {
    json!({"type": "Speak", "text": text})
}

fn message(kind: &str) -> Value {
    json!({"type": kind})
}

/// Returns the audio up to the next message of the given type, and the message.
async fn received_until(socket: &mut JsonSocket, kind: &str) -> (Vec<u8>, Value) {
    let mut sound = Vec::new();
    loop {
        match socket.hear_any().await.expect("closed") {
            Received::Sound(more) => sound.extend(more),
            Received::Json(reported) if reported["type"] == kind => return (sound, reported),
            Received::Json(reported) => panic!("{reported} instead of {kind}"),
        }
    }
}

#[tokio::test]
async fn a_clip_uses_the_format_of_the_query() {
    let server = TestServer::start().await;
    let native = clip(&server, TEXT).await;
    let body = json!({"text": TEXT});
    let reply = post(&server, BARE, &body).await;
    assert_eq!((reply.status, &reply.body[..]), (StatusCode::OK, &native[..]));
    let reply = post(&server, "encoding=linear16&model=aura-2-arjun-hi-IN", &body).await;
    assert_eq!(reply.header("content-type"), "audio/wav");
    assert_eq!((&reply.body[..4], &reply.body[44..]), (&b"RIFF"[..], &native[..]));
    let reply = post(&server, "encoding=mulaw&model=arjun-hi", &body).await;
    assert_eq!(reply.header("content-type"), "audio/basic");
    assert!(reply.body.len().abs_diff(native.len() / 6) <= 1);
    let reply = post(&server, "model=Arjun-hi", &body).await;
    assert_eq!(reply.header("content-type"), "audio/mpeg");
    assert!(reply.body[0] == 0xFF && reply.body[1] & 0xE0 == 0xE0, "an MPEG frame begins");
}

#[tokio::test]
async fn errors_use_the_format_of_the_service() {
    let server = TestServer::start().await;
    let body = json!({"text": TEXT});
    for (query, body, status, code) in [
        ("model=aura-2-thalia-en", &body, 400, "UNKNOWN_VOICE"),
        ("model=Ananya-fr", &body, 400, "UNSUPPORTED_LANGUAGE"),
        ("encoding=flac", &body, 400, "INVALID_FIELD"),
        ("callback=http%3A%2F%2Fexample.com", &body, 400, "INVALID_FIELD"),
        ("", &json!({"text": 5}), 400, "INVALID_FIELD"),
        ("", &json!({}), 400, "MISSING_FIELD"),
        ("", &json!({"text": "क".repeat(5_001)}), 400, "TEXT_TOO_LONG"),
    ] {
        let reply = post(&server, query, body).await;
        let error: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!((reply.status.as_u16(), &error["err_code"]), (status, &json!(code)), "{query} {error}");
        assert_eq!(error["request_id"], json!(reply.header("x-request-id")));
        assert!(error["err_msg"].is_string() && !reply.header("dg-error").is_empty());
    }
    let refused =
        JsonSocket::open(&server, "/v1/speak", &[("authorization", "Token sk_no")]).await.err().unwrap();
    assert_eq!(
        (refused.status, &refused.body["err_code"]),
        (StatusCode::UNAUTHORIZED, &json!("INVALID_AUTH"))
    );
    let long_lived = format!("/v1/speak?access_token={}", server.key);
    let refused = JsonSocket::open(&server, &long_lived, &[]).await.err().unwrap();
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_flush_is_answered_after_its_last_sample_for_any_chunks() {
    let server = TestServer::start().await;
    let native = clip(&server, TEXT).await;
    let mut socket = open(&server, &format!("{BARE}&max_lead_ms=0")).await;
    for sequence in 0..3 {
        let words: Vec<&str> = TEXT.split_inclusive(' ').collect();
        socket.say_all(words.into_iter().map(speak)).await;
        socket.say(message("Flush")).await;
        let (sound, reported) = received_until(&mut socket, "Flushed").await;
        assert_eq!(sound, native, "the same samples each time");
        assert_eq!(reported["sequence_id"], sequence);
    }
    socket.say(message("Flush")).await;
    assert_eq!(
        received_until(&mut socket, "Flushed").await,
        (Vec::new(), json!({"type": "Flushed", "sequence_id": 3}))
    );
    socket.say_all([speak("🙏"), message("Flush")]).await;
    assert_eq!(received_until(&mut socket, "Flushed").await.0.len(), 4_800, "a tenth of a second of silence");
    socket.say_all([speak("नमस्ते"), message("Close")]).await;
    assert!(!received_until(&mut socket, "Flushed").await.0.is_empty(), "a close speaks the remaining text");
    assert_eq!(socket.closed().await, (1000, Vec::new()));
}

#[tokio::test]
async fn no_audio_follows_a_clear_until_new_text() {
    let server = TestServer::start().await;
    let mut socket = open(&server, &format!("{BARE}&max_lead_ms=0")).await;
    for _ in 0..5 {
        socket
            .say_all([speak(&long_text(4_000)), message("Flush"), speak("और यह भी"), message("Flush")])
            .await;
        assert!(matches!(socket.hear_any().await, Ok(Received::Sound(_))), "there is sound");
        socket.say(message("Clear")).await;
        let (sound, _) = received_until(&mut socket, "Cleared").await;
        assert!(sound.len() < 48_000 * 60, "the speech was stopped");
        socket.say_all([speak("नमस्ते।"), message("Flush")]).await;
        let (sound, _) = received_until(&mut socket, "Flushed").await;
        assert_eq!(sound, clip(&server, "नमस्ते।").await, "the new sound contains nothing of the old one");
    }
}

#[tokio::test]
async fn hostile_clients_get_errors_and_do_not_affect_others() {
    let server = TestServer::start().await;
    let mut socket = open(&server, BARE).await;
    // two Clears in a row, before any text
    socket.say_all([message("Clear"), message("Clear"), message("Flush")]).await;
    for (kind, sequence) in [("Cleared", 0), ("Cleared", 1), ("Flushed", 2)] {
        assert_eq!(
            received_until(&mut socket, kind).await,
            (Vec::new(), json!({"type": kind, "sequence_id": sequence}))
        );
    }
    for wrong in [json!({}), json!({"type": 5}), json!({"type": "Sing"}), json!({"type": "Speak"}), json!([])]
    {
        socket.say(wrong).await;
        let (_, error) = received_until(&mut socket, "Error").await;
        assert!(error["description"].is_string() && error["code"].is_string(), "{error}");
    }
    socket.say_raw("{").await;
    received_until(&mut socket, "Error").await;
    // more turns than the queue can hold: each flush gets a response, and each rejected text is reported
    let flushes = 40;
    socket.say_all((0..flushes).flat_map(|_| [speak("हाँ।"), message("Flush")])).await;
    let (mut flushed, mut refused) = (0, 0);
    while flushed < flushes {
        match socket.hear_any().await.expect("closed") {
            Received::Json(reported) if reported["type"] == "Flushed" => flushed += 1,
            Received::Json(reported) => {
                assert_eq!(reported["code"], "QUEUE_FULL", "{reported}");
                refused += 1;
            }
            Received::Sound(_) => {}
        }
    }
    assert!((1..=31).contains(&refused), "{refused}");
    socket.say_all([message("Close"), message("Close")]).await;
    assert_eq!(socket.closed().await.0, 1000);
}

#[tokio::test]
async fn sent_audio_is_charged() {
    let server = TestServer::start().await;
    let mut socket = open(&server, BARE).await;
    socket.say_all([speak("नमस्ते।"), message("Flush")]).await;
    received_until(&mut socket, "Flushed").await;
    socket.say(message("Close")).await;
    socket.closed().await;
    assert_eq!(usage(&server.client()).await.total.chars, 7);
}
