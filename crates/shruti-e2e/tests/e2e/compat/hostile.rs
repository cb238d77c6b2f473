//! Tests with messages that no well-behaved client sends, and with clients that stop sending.

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::json_socket::JsonSocket;

const PATH: &str = "/tts/websocket?max_lead_ms=0";

async fn open(server: &TestServer) -> JsonSocket {
    JsonSocket::open(server, PATH, &[("x-api-key", &server.key)]).await.expect("refused")
}

fn message(context: &str, text: &str, goes_on: bool) -> Value {
    json!({
        "context_id": context,
        "transcript": text,
        "voice": {"mode": "id", "id": "Ananya"},
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
        "continue": goes_on,
    })
}

#[tokio::test]
async fn errors_are_sent_to_their_context_and_end_only_it() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    socket.say(message("good", "एक अधूरा ", true)).await;
    let with = |field: &str, value: Value| {
        let mut wrong = message("bad", "हाँ।", false);
        wrong[field] = value;
        wrong
    };
    let cases = [
        (with("voice", json!({"mode": "id", "id": "a0e99841-438c-4a64-b679-ae501e7d6091"})), "unknown_voice"),
        (with("voice", json!({"mode": "embedding", "embedding": [0.5, 0.5]})), "invalid_field"),
        (with("transcript", json!(5)), "invalid_field"),
        (with("transcript", json!("a\u{0}b")), "invalid_field"),
        (with("transcript", json!("क".repeat(5_001))), "text_too_long"),
        (with("language", json!("fr")), "unsupported_language"),
        (with("output_format", json!({"container": "ogg"})), "invalid_field"),
    ];
    for (wrong, code) in cases {
        socket.say(wrong).await;
        let error = socket.receive_until(|message| message["type"] == "error").await.pop().unwrap();
        assert_eq!((&error["context_id"], &error["error_code"]), (&json!("bad"), &json!(code)), "{error}");
        assert_eq!((&error["status_code"], &error["done"]), (&json!(400), &json!(true)), "{error}");
        for field in ["title", "message", "request_id", "doc_url"] {
            assert!(error[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {error}");
        }
    }
    socket.say_raw("{\"context_id\": \"bad\"").await;
    let error = socket.receive_until(|message| message["type"] == "error").await.pop().unwrap();
    assert_eq!((&error["context_id"], &error["error_code"]), (&Value::Null, &json!("invalid_json")));
    // the other context is not affected
    socket.say(message("good", "वाक्य।", false)).await;
    let end = socket.receive_until(|message| message["done"] == true).await.pop().unwrap();
    assert_eq!((&end["context_id"], &end["type"]), (&json!("good"), &json!("done")));
}

#[tokio::test]
async fn an_error_in_an_open_context_ends_it() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    socket.say(message("a", &crate::long_text(3_000), true)).await;
    socket.receive_until(|message| message["type"] == "chunk").await;
    let mut wrong = message("a", "", true);
    wrong["transcript"] = json!(["no text"]);
    socket.say_all([wrong, message("marker", "हाँ।", false)]).await;
    let messages = socket.receive_until(|message| message["context_id"] == "marker").await;
    let end = messages.iter().rfind(|message| message["context_id"] == "a").unwrap();
    assert_eq!(end["type"], "error", "no message follows the end: {end}");
    for _ in 0..2 {
        let done = |message: &Value| message["context_id"] == "marker" && message["done"] == true;
        let messages = socket.receive_until(done).await;
        assert!(messages.iter().all(|message| message["context_id"] == "marker"), "the connection continues");
        socket.say(message("marker", "हाँ।", false)).await;
    }
    server.idle().await;
}

#[tokio::test]
async fn a_client_that_sends_only_errors_is_disconnected() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    for _ in 0..12 {
        socket.say_raw("not JSON").await;
    }
    let (code, messages) = socket.closed().await;
    assert_eq!((code, messages.len()), (1011, 11));
    assert!(messages.iter().all(|message| message["context_id"].is_null() && message["type"] == "error"));
}

#[tokio::test]
async fn two_hundred_contexts_are_limited_and_accepted_ones_are_spoken() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    // the contexts are never closed
    socket.say_all((0..200).map(|number| message(&number.to_string(), "हाँ ", true))).await;
    let mut refused = 0;
    let messages = socket
        .receive_until(|message| {
            refused += i32::from(message["type"] == "error");
            refused == 120
        })
        .await;
    let errors: Vec<&Value> = messages.iter().filter(|message| message["type"] == "error").collect();
    assert!(errors.iter().all(|error| error["status_code"] == 429 && error["error_code"] == "queue_full"));
    assert_eq!(server.engine.stats().active, 16, "no more contexts are spoken concurrently");
    // cancel the active and the queued contexts; the connection then accepts new contexts
    socket.say_all((0..80).map(|number| json!({"context_id": number.to_string(), "cancel": true}))).await;
    server.idle().await;
    socket.say(message("after", "हाँ।", false)).await;
    socket.receive_until(|message| message["context_id"] == "after" && message["done"] == true).await;
}

#[tokio::test]
async fn cancels_without_a_context_have_no_effect() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    let cancel = |context: &str| json!({"context_id": context, "cancel": true});
    socket.say_all([cancel("a"), cancel("a"), message("a", "हाँ।", false)]).await;
    let end = socket.receive_until(|message| message["done"] == true).await.pop().unwrap();
    assert_eq!((&end["context_id"], &end["type"]), (&json!("a"), &json!("done")));
    socket.say_all([cancel("a"), cancel("b"), message("b", "हाँ।", false)]).await;
    let messages = socket.receive_until(|message| message["done"] == true).await;
    assert!(messages.iter().all(|message| message["context_id"] == "b"));
    for wrong in [json!({"cancel": true}), json!({"context_id": 5, "cancel": true}), cancel("")] {
        socket.say(wrong.clone()).await;
        assert_eq!(socket.receive().await.unwrap()["status_code"], 400, "{wrong}");
    }
}

#[tokio::test]
async fn text_above_the_waiting_limit_ends_its_context() {
    let server = TestServer::start().await;
    let mut socket =
        JsonSocket::open(&server, "/tts/websocket", &[("x-api-key", &server.key)]).await.unwrap();
    let text = crate::long_text(5_000);
    socket.say_all((0..6).map(|_| message("a", &text, true))).await;
    let error = socket.receive_until(|message| message["type"] == "error").await.pop().unwrap();
    assert_eq!(
        (&error["context_id"], &error["error_code"]),
        (&json!("a"), &json!("text_too_long")),
        "{error}"
    );
}

#[tokio::test]
async fn a_dropped_socket_stops_all_its_work() {
    let server = TestServer::start().await;
    let mut socket = open(&server).await;
    socket.say_all((0..10).map(|number| message(&number.to_string(), &crate::long_text(4_000), false))).await;
    socket.receive_until(|message| message["type"] == "chunk").await;
    drop(socket);
    server.idle().await;
}
