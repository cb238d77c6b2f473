//! Tests of sockets that authenticate with their first message, as Bolna and other ElevenLabs clients do.

use std::time::Duration;

use serde_json::{Value, json};
use shruti_store::{KeySpec, Scope};
use shruti_testkit::TestServer;

use super::json_socket::{JsonSocket, decoded};

const SINGLE: &str = "/v1/text-to-speech/Ananya/stream-input?output_format=pcm_24000&language_code=hi";
const MULTI: &str = "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000&language_code=hi";
const TEXT: &str = "नमस्ते, आप कैसे हैं? ";

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    JsonSocket::open(server, path, &[]).await.expect("refused")
}

fn sound(messages: &[Value]) -> Vec<u8> {
    let audio = messages.iter().filter(|message| message["audio"].is_string());
    audio.flat_map(|message| decoded(&message["audio"])).collect()
}

#[tokio::test]
async fn the_first_message_authenticates_and_is_spoken() {
    let server = TestServer::start().await;
    let token = server.client().token().await;
    let bearer = format!("Bearer {}", server.key);
    let body = json!({"text": TEXT, "voice": "Ananya", "language": "hi"});
    let expected = server.client().post(body.to_string()).await.body;
    for (field, value) in [
        ("xi_api_key", server.key.as_str()),
        ("xi-api-key", &server.key),
        ("authorization", &bearer),
        ("xi_api_key", &token),
    ] {
        let mut socket = open(&server, SINGLE).await;
        socket.say_all([json!({"text": TEXT, field: value}), json!({"text": ""})]).await;
        let (code, messages) = socket.closed().await;
        assert_eq!(code, 1000, "{field}: {messages:?}");
        assert!(sound(&messages) == expected, "{field}");
    }
    let mut socket = open(&server, MULTI).await;
    socket.say(json!({"text": " ", "context_id": "a", "xi_api_key": server.key})).await;
    socket
        .say_all([
            json!({"text": TEXT, "context_id": "a"}),
            json!({"context_id": "a", "close_context": true}),
        ])
        .await;
    let messages = socket.receive_until(|message| message["isFinal"] == true).await;
    assert!(sound(&messages) == expected);
}

#[tokio::test]
async fn a_first_message_without_a_valid_key_closes_the_socket() {
    let server = TestServer::start().await;
    let spec = KeySpec { scopes: [Scope::UsageRead].into(), ..KeySpec::named("reader") };
    let reader = server.create_key(spec).await.secret.reveal().to_owned();
    let spent = server.create_account("asha@example.org", 1).await;
    let spent = server.create_key_of(&spent, KeySpec::named("a")).await.secret.reveal().to_owned();
    server.client().with_key(Some(&spent)).post(json!({"text": "क"}).to_string()).await;
    for (message, code, word) in [
        (json!({"text": " "}), 1008, "missing_api_key"),
        (json!({"text": " ", "xi_api_key": "sk_wrong"}), 1008, "invalid_api_key"),
        (json!({"text": " ", "xi_api_key": "tok_unknown"}), 1008, "invalid_token"),
        (json!({"text": " ", "xi_api_key": reader}), 1008, "insufficient_scope"),
        (json!({"text": " ", "xi_api_key": 5}), 1008, "invalid_field"),
        (json!({"text": " ", "xi_api_key": spent}), 1011, "quota_exceeded"),
        (json!([]), 1008, "invalid_json"),
    ] {
        let mut socket = open(&server, SINGLE).await;
        socket.say(message.clone()).await;
        let (closed, messages) = socket.closed().await;
        assert_eq!((closed, messages.len(), &messages[0]["code"]), (code, 1, &json!(word)), "{message}");
    }
}

#[tokio::test]
async fn the_origin_of_a_socket_must_be_allowed_by_the_key() {
    let server = TestServer::start().await;
    let spec = KeySpec { origins: vec!["https://shop.example".parse().unwrap()], ..KeySpec::named("page") };
    let key = server.create_key(spec).await.secret.reveal().to_owned();
    for (origin, expected) in [("https://shop.example", 1000), ("https://elsewhere.example", 1008)] {
        let mut socket = JsonSocket::open(&server, SINGLE, &[("origin", origin)]).await.expect("refused");
        socket.say_raw(&json!({"text": "", "xi_api_key": key}).to_string()).await;
        assert_eq!(socket.closed().await.0, expected, "{origin}");
    }
}

#[tokio::test]
async fn a_silent_socket_is_closed() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.head = Duration::from_millis(500))
        .start()
        .await;
    let mut socket = open(&server, SINGLE).await;
    let (code, messages) = socket.closed().await;
    assert_eq!((code, &messages[0]["code"]), (1008, &json!("request_timeout")));
}

#[tokio::test]
async fn an_oversized_first_message_closes_the_socket() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SINGLE).await;
    socket.say_raw(&json!({"text": "a".repeat(65 * 1024), "xi_api_key": server.key}).to_string()).await;
    assert_eq!(socket.closed().await.0, 1009);
}

#[tokio::test]
async fn the_number_of_unauthenticated_sockets_is_bounded() {
    let server = TestServer::start().await;
    let mut waiting = Vec::new();
    for _ in 0..32 {
        waiting.push(open(&server, SINGLE).await);
    }
    let refusal = JsonSocket::open(&server, SINGLE, &[]).await.err().expect("accepted");
    assert_eq!((refusal.status.as_u16(), &refusal.body["detail"]["status"]), (429, &json!("rate_limited")));
    // a socket with its key in a header does not count towards the limit, and neither does one that has
    // authenticated
    JsonSocket::open(&server, SINGLE, &[("xi-api-key", &server.key)]).await.expect("refused");
    let mut first = waiting.pop().unwrap();
    first.say(json!({"text": "हाँ। ", "xi_api_key": server.key, "flush": true})).await;
    first.receive_until(|message| message["audio"].is_string()).await;
    open(&server, SINGLE).await;
}
