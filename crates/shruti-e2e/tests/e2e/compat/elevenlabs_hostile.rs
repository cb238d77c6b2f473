//! Tests with messages that no well-behaved client of ElevenLabs' sockets sends, and with clients that stop sending.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_testkit::{TestClock, TestServer};

use super::json_socket::JsonSocket;
use crate::long_text;

const PATH: &str = "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000&max_lead_ms=0";
const SINGLE: &str = "/v1/text-to-speech/Ananya/stream-input?output_format=pcm_24000&max_lead_ms=0";

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    JsonSocket::open(server, path, &[("xi-api-key", &server.key)]).await.expect("refused")
}

fn more(context: &str, text: &str) -> Value {
    json!({"text": text, "context_id": context})
}

fn close(context: &str) -> Value {
    json!({"context_id": context, "close_context": true})
}

fn is_final(context: &str) -> impl FnMut(&Value) -> bool {
    move |message| message["contextId"] == context && message["isFinal"] == true
}

#[tokio::test]
async fn errors_are_sent_only_to_their_context() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    socket.say(more("good", "एक अधूरा ")).await;
    for (wrong, word) in [
        (json!({"text": 5, "context_id": "bad"}), "invalid_field"),
        (json!({"text": ["a"], "context_id": "bad"}), "invalid_field"),
        (more("bad", "a\u{0}b"), "invalid_field"),
        (more("bad", &"क".repeat(5_001)), "max_character_limit_exceeded"),
        (json!({"text": "a", "context_id": "bad", "flush": "yes"}), "invalid_field"),
        (json!({"text": "a", "context_id": "bad", "voice_settings": {"speed": "fast"}}), "invalid_field"),
        (json!({"context_id": "bad", "close_context": 1}), "invalid_field"),
        (json!({"context_id": "bad", "close_socket": 1}), "invalid_field"),
    ] {
        socket.say(wrong.clone()).await;
        let error = socket.receive_until(|message| message["error"].is_string()).await.pop().unwrap();
        assert_eq!((&error["contextId"], &error["context_id"]), (&json!("bad"), &json!("bad")), "{wrong}");
        assert_eq!(error["code"], word, "{wrong}");
    }
    socket.say_raw("{\"context_id\": \"bad\"").await;
    let error = socket.receive_until(|message| message["error"].is_string()).await.pop().unwrap();
    assert_eq!((&error["contextId"], &error["code"]), (&Value::Null, &json!("invalid_json")));
    // the other context is not affected
    socket.say_all([more("good", "वाक्य।"), close("good")]).await;
    let messages = socket.receive_until(is_final("good")).await;
    assert!(messages.iter().all(|message| message["contextId"] == "good"));
}

#[tokio::test]
async fn an_error_in_an_open_context_ends_it() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    socket.say(more("a", &long_text(3_000))).await;
    socket.receive_until(|message| message["audio"].is_string()).await;
    socket.say_all([json!({"text": {}, "context_id": "a"}), more("marker", "हाँ।"), close("marker")]).await;
    let messages = socket.receive_until(is_final("marker")).await;
    let end = messages.iter().rfind(|message| message["contextId"] == "a").unwrap();
    assert_eq!(end["code"], "invalid_field", "no message follows the end: {end}");
    server.idle().await;
}

#[tokio::test]
async fn an_error_on_a_single_text_stream_ends_it() {
    let server = TestServer::start().await;
    for wrong in ["not JSON", r#"{"text": 5}"#] {
        let mut socket = open(&server, SINGLE).await;
        socket.say(json!({"text": long_text(3_000)})).await;
        socket.receive_until(|message| message["audio"].is_string()).await;
        socket.say_raw(wrong).await;
        let (code, messages) = socket.closed().await;
        let end = messages.last().unwrap();
        assert_eq!(
            (code, end["error"].is_string(), end["message"] == end["error"]),
            (1000, true, true),
            "{end}"
        );
        server.idle().await;
    }
}

#[tokio::test]
async fn a_client_that_sends_only_errors_is_disconnected() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    for _ in 0..12 {
        socket.say_raw("not JSON").await;
    }
    let (code, messages) = socket.closed().await;
    assert_eq!((code, messages.len()), (1011, 11));
    assert!(
        messages.iter().all(|message| message["contextId"].is_null() && message["code"] == "invalid_json")
    );
}

#[tokio::test]
async fn two_hundred_contexts_are_limited_and_accepted_ones_are_spoken() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    // the contexts are never closed
    socket.say_all((0..200).map(|number| more(&number.to_string(), "हाँ "))).await;
    let mut refused = 0;
    let messages = socket
        .receive_until(|message| {
            refused += i32::from(message["error"].is_string());
            refused == 120
        })
        .await;
    let mut errors = messages.iter().filter(|message| message["error"].is_string());
    assert!(errors.all(|error| error["code"] == "too_many_concurrent_requests"));
    assert_eq!(server.engine.stats().active, 16, "no more contexts are spoken concurrently");
    // when the active contexts are closed, the queued contexts start; each context ends exactly once
    let names: Vec<String> = (0..80).map(|number| number.to_string()).collect();
    socket.say_all(names.iter().flat_map(|name| [close(name), close(name)])).await;
    let mut ended = Vec::new();
    socket
        .receive_until(|message| {
            if message["isFinal"] == true {
                ended.push(message["contextId"].as_str().unwrap().to_owned());
            }
            ended.len() == 80
        })
        .await;
    ended.sort_by_key(|name| name.parse::<u32>().unwrap());
    assert_eq!(ended, names);
    server.idle().await;
    socket.say_all([more("after", "हाँ।"), close("after")]).await;
    let messages = socket.receive_until(is_final("after")).await;
    assert!(messages.iter().all(|message| message["contextId"] == "after"), "no context ends twice");
}

#[tokio::test]
async fn a_context_stopped_before_its_audio_ends_once() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    // a close before the context exists has no effect
    socket.say_all([close("a"), close("a"), close("a")]).await;
    // a close before any text ends the context; later text then starts a new context
    socket.say_all([more("a", " "), close("a"), close("a"), close("a")]).await;
    let messages = socket.receive_until(is_final("a")).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    socket.say_all([more("a", "हाँ।"), close("a")]).await;
    let messages = socket.receive_until(is_final("a")).await;
    assert!(messages.iter().any(|message| message["audio"].is_string()));
    server.idle().await;
}

#[tokio::test]
async fn a_socket_closed_twice_stops_once() {
    let server = TestServer::start().await;
    for path in [PATH, SINGLE] {
        let mut socket = open(&server, path).await;
        socket.say(more("a", &long_text(4_000))).await;
        socket.receive_until(|message| message["audio"].is_string()).await;
        socket.say_all([json!({"close_socket": true}), json!({"close_socket": true})]).await;
        assert_eq!(socket.closed().await.0, 1000);
        server.idle().await;
    }
}

#[tokio::test]
async fn unclosed_contexts_make_room_for_waiting_ones() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let mut socket = open(&server, PATH).await;
    // open contexts that have nothing to speak
    socket.say_all((0..16).map(|number| more(&number.to_string(), " "))).await;
    socket.say_all([more("waiting", "नहीं।"), close("waiting")]).await;
    // an invalid message is answered immediately; the response shows that all earlier messages have been processed
    socket.say_raw("{").await;
    socket.receive_until(|message| message["error"].is_string()).await;
    // a context ends 10 s after it has nothing left to speak. Each step advances the clock by at most 10 s,
    // so that the idle timeout of the socket does not expire
    let step = Duration::from_secs(10);
    let time_goes_on = async {
        loop {
            let now = clock.elapsed();
            clock.advance_to(clock.wait_for_waiter(|at| at > now && at <= now + step).await);
        }
    };
    let ended = tokio::select! {
        messages = socket.receive_until(|message| message["isFinal"] == true) => messages.last().cloned(),
        () = time_goes_on => None,
    };
    let ended = ended.unwrap();
    assert_ne!(ended["contextId"], "waiting", "the contexts that it waits for end first");
    socket.receive_until(is_final("waiting")).await;
    // the names of ended contexts can be used again
    let name = ended["contextId"].as_str().unwrap();
    socket.say_all([more(name, "नहीं।"), close(name)]).await;
    let messages = socket.receive_until(is_final(name)).await;
    assert!(messages.iter().any(|message| message["contextId"] == name && message["audio"].is_string()));
}

#[tokio::test]
async fn text_above_the_waiting_limit_ends_its_context() {
    let server = TestServer::start().await;
    let path = "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000";
    let mut socket = open(&server, path).await;
    let text = long_text(5_000);
    socket.say_all((0..6).map(|_| more("a", &text))).await;
    let error = socket.receive_until(|message| message["error"].is_string()).await.pop().unwrap();
    assert_eq!((&error["contextId"], &error["code"]), (&json!("a"), &json!("max_character_limit_exceeded")));
}

#[tokio::test]
async fn a_repeatedly_reused_context_is_bounded() {
    let server = TestServer::start().await;
    let mut socket =
        open(&server, "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000").await;
    socket.say_all([more("a", &long_text(900)), close("a")]).await;
    socket.receive_until(|message| message["audio"].is_string()).await;
    for _ in 0..8 {
        socket.say_all([more("a", "हाँ।"), close("a")]).await;
    }
    socket.say(more("a", "हाँ।")).await;
    let error = socket.receive_until(|message| message["error"].is_string()).await.pop().unwrap();
    assert_eq!(error["code"], "too_many_concurrent_requests", "{error}");
    // the context that is being spoken continues
    socket.receive_until(|message| message["audio"].is_string()).await;
    socket.say(json!({"close_socket": true})).await;
    socket.closed().await;
    server.idle().await;
}

#[tokio::test]
async fn a_dropped_socket_stops_all_its_work() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    socket.say_all((0..10).map(|number| more(&number.to_string(), &long_text(4_000)))).await;
    socket.receive_until(|message| message["audio"].is_string()).await;
    drop(socket);
    server.idle().await;
}
