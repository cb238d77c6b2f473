//! Tests of `/tts/websocket` as Cartesia's clients use it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_store::KeySpec;
use shruti_testkit::{TestClock, TestServer};

use super::json_socket::{JsonSocket, decoded};
use crate::long_text;
use crate::metering::usage;

const PATH: &str = "/tts/websocket?cartesia_version=2026-03-01";
const FAST: &str = "/tts/websocket?max_lead_ms=0";
const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you!";

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    JsonSocket::open(server, path, &[("x-api-key", &server.key)]).await.expect("refused")
}

/// Returns a message with more text for a context, in the format of the `livekit` and `pipecat` plugins.
fn more(context: &str, text: &str) -> Value {
    json!({
        "context_id": context,
        "model_id": "sonic-3",
        "transcript": text,
        "voice": {"mode": "id", "id": "Ananya"},
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
        "language": "hi",
        "continue": true,
        "add_timestamps": true,
    })
}

fn last(context: &str, text: &str) -> Value {
    let mut message = more(context, text);
    message["continue"] = json!(false);
    message
}

fn is_done(context: &str) -> impl FnMut(&Value) -> bool {
    move |message| message["context_id"] == context && message["done"] == true
}

/// Data from the messages of one context. [`of`](Self::of) panics if a message is invalid.
#[derive(Debug, Default)]
struct ReceivedContext {
    sound: Vec<u8>,
    words: Vec<(String, f64, f64)>,
    flushes: Vec<u64>,
    end: Value,
}

impl ReceivedContext {
    fn of(context: &Value, messages: &[Value]) -> Self {
        let mut received = Self::default();
        for message in messages.iter().filter(|message| message["context_id"] == *context) {
            assert!(message.as_object().unwrap().contains_key("context_id"), "{message}");
            assert!(received.end.is_null(), "{message} after the end");
            match message["type"].as_str().unwrap() {
                "chunk" => {
                    assert_eq!((&message["status_code"], &message["done"]), (&json!(206), &json!(false)));
                    assert!(message["step_time"].as_f64().is_some_and(|ms| ms >= 0.0), "{message}");
                    let sound = decoded(&message["data"]);
                    assert!(sound.len() <= 4_800, "more than 100 ms at once: {}", sound.len());
                    received.sound.extend(sound);
                }
                "timestamps" => {
                    let reported = &message["word_timestamps"];
                    let list = |name: &str| reported[name].as_array().unwrap().clone();
                    for ((word, start), end) in list("words").into_iter().zip(list("start")).zip(list("end"))
                    {
                        let (start, end) = (start.as_f64().unwrap(), end.as_f64().unwrap());
                        let sent = received.sound.len() as f64 / 48_000.0;
                        assert!(sent <= start + 0.001, "{word} was reported {} s late", sent - start);
                        received.words.push((word.as_str().unwrap().to_owned(), start, end));
                    }
                }
                "flush_done" => {
                    assert_eq!(message["flush_done"], true);
                    received.flushes.push(message["flush_id"].as_u64().unwrap());
                }
                "done" | "error" => received.end = message.clone(),
                other => panic!("{other}"),
            }
        }
        received
    }

    fn text(&self) -> Vec<&str> {
        self.words.iter().map(|(word, ..)| word.as_str()).collect()
    }
}

/// Returns the bytes of a clip of the text from `POST /v1/tts`.
async fn clip(server: &TestServer, voice: &str, text: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": voice, "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

#[tokio::test]
async fn a_chunked_context_matches_the_clip_and_has_a_time_for_each_token() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    let pieces: Vec<String> = TEXT.chars().map(String::from).collect();
    socket.say_all(pieces.iter().map(|piece| more("a", piece))).await;
    socket.say(last("a", "")).await;
    let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_done("a")).await);
    assert_eq!(received.sound, clip(&server, "Ananya", TEXT).await);
    assert_eq!(received.text(), TEXT.split_whitespace().collect::<Vec<_>>());
    assert!(
        received.words.is_sorted_by(|one, other| one.1 < one.2 && one.2 <= other.1 + 1e-9),
        "{received:?}"
    );
    assert_eq!(received.end, json!({"type": "done", "context_id": "a", "status_code": 200, "done": true}));
}

#[tokio::test]
async fn audio_uses_the_format_of_the_first_message() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    let native = clip(&server, "Arjun", "नमस्ते।").await.len() as u64 / 2;
    for (encoding, rate, bytes, frame) in [
        // each case: encoding, sample rate, bytes per sample, samples per frame; samples are sent in complete
        // frames
        ("pcm_f32le", 44_100_u64, 4, 1),
        ("pcm_mulaw", 8_000, 1, 160),
        ("pcm_alaw", 8_000, 1, 160),
        ("pcm_s16le", 16_000, 2, 1),
    ] {
        let mut message = last(encoding, "नमस्ते।");
        message["voice"] = json!("arjun");
        message["output_format"] = json!({"container": "raw", "encoding": encoding, "sample_rate": rate});
        socket.say(message).await;
        let messages = socket.receive_until(is_done(encoding)).await;
        let sound: usize =
            messages.iter().filter(|m| m["type"] == "chunk").map(|m| decoded(&m["data"]).len()).sum();
        let samples = sound as u64 / bytes;
        let wanted = (native * rate / 24_000).next_multiple_of(frame);
        assert!(samples.abs_diff(wanted) <= 1, "{encoding}: {samples} of {native}");
    }
}

#[tokio::test]
async fn contexts_run_concurrently_and_an_unclosed_one_delays_no_other() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    // the audio of the first text is longer than the lead of 10 s, so its turn stays active for a while; the other
    // context is never closed
    socket.say(last("long", &long_text(900))).await;
    socket.say(more("open", "एक अधूरा वाक्य ")).await;
    socket.receive_until(|message| message["context_id"] == "long").await;
    let mut messages = Vec::new();
    for name in ["next", "other"] {
        socket.say(last(name, TEXT)).await;
        messages.extend(socket.receive_until(is_done(name)).await);
    }
    let expected = clip(&server, "Ananya", TEXT).await;
    for name in ["next", "other"] {
        let received = ReceivedContext::of(&json!(name), &messages);
        assert_eq!((received.sound == expected, &received.end["type"]), (true, &json!("done")), "{name}");
    }
    assert!(!messages.iter().any(is_done("long")), "the long context continued meanwhile");
}

#[tokio::test]
async fn a_cancelled_context_sends_no_more_messages_and_stops_its_speech() {
    let server = TestServer::start().await;
    let mut socket = open(&server, FAST).await;
    for round in 0..20 {
        socket.say(last("a", &long_text(4_000))).await;
        let mut chunks = 0;
        socket
            .receive_until(|message| {
                chunks += usize::from(message["type"] == "chunk");
                chunks > round
            })
            .await;
        // the text of the marker arrives after the cancel, so any message about the marker follows the cancel
        let cancel = json!({"context_id": "a", "cancel": true});
        socket.say_all([cancel.clone(), last("marker", "हाँ।"), cancel]).await;
        let messages = socket.receive_until(is_done("marker")).await;
        let first = messages.iter().position(|message| message["context_id"] == "marker").unwrap();
        assert!(messages[first..].iter().all(|message| message["context_id"] == "marker"), "round {round}");
        assert!(!messages.iter().any(is_done("a")), "a cancel has no response");
        server.idle().await;
    }
    // the name of the context can be used again
    socket.say(last("a", TEXT)).await;
    let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_done("a")).await);
    assert_eq!(received.sound, clip(&server, "Ananya", TEXT).await);
}

#[tokio::test]
async fn a_context_id_can_be_reused_with_another_voice_and_later_voices_are_ignored() {
    let server = TestServer::start().await;
    let mut socket = open(&server, FAST).await;
    for voice in ["Ananya", "Arjun"] {
        let mut first = more("a", "नमस्ते।");
        first["voice"] = json!(voice);
        // this message has the format of an SDK's `no_more_inputs()`
        let mut end = last("a", "");
        end["voice"] = json!("6ccbfb76-1fc6-48f7-b71d-91ac6298247b");
        socket.say_all([first, end]).await;
        let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_done("a")).await);
        assert_eq!(received.sound, clip(&server, voice, "नमस्ते।").await, "{voice}");
    }
    // the voice is also ignored if the context has already ended
    let mut end = last("a", " ");
    end["voice"] = json!("6ccbfb76-1fc6-48f7-b71d-91ac6298247b");
    socket.say(end).await;
    let messages = socket.receive_until(is_done("a")).await;
    assert_eq!((messages.len(), &messages[0]["type"]), (1, &json!("done")));
}

#[tokio::test]
async fn text_for_an_ended_context_is_spoken_after_it() {
    let server = TestServer::start().await;
    let mut socket = open(&server, FAST).await;
    socket.say_all([last("a", "नमस्ते।"), last("a", "धन्यवाद।")]).await;
    for text in ["नमस्ते।", "धन्यवाद।"] {
        let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_done("a")).await);
        assert_eq!(received.sound, clip(&server, "Ananya", text).await, "{text}");
        assert!(received.words[0].1 < 0.1, "times are relative to the start of each context: {received:?}");
    }
}

#[tokio::test]
async fn text_without_words_yields_100_ms_and_white_space_no_audio() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    for (text, bytes) in [("🙂", 4_800), ("…", 4_800), ("", 0), (" ", 0), ("\n ", 0)] {
        socket.say(last("a", text)).await;
        let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_done("a")).await);
        assert_eq!((received.sound.len(), &received.end["type"]), (bytes, &json!("done")), "{text:?}");
        assert!(received.sound.iter().all(|&byte| byte == 0));
    }
}

#[tokio::test]
async fn flushes_are_answered_and_complete_messages_are_spoken_separately() {
    let server = TestServer::start().await;
    let mut socket = open(&server, FAST).await;
    let mut flushed = more("a", "It is rea");
    flushed["flush"] = json!(true);
    let mut ended = last("a", "dy.");
    ended["flush"] = json!(true);
    socket.say_all([flushed, ended]).await;
    let messages = socket.receive_until(is_done("a")).await;
    let received = ReceivedContext::of(&json!("a"), &messages);
    assert_eq!((received.flushes.as_slice(), received.text()), (&[1, 2][..], vec!["It", "is", "rea", "dy."]));
    // sentences as an aggregator sends them: without spaces between them. The number of sentences exceeds the limit
    // of pending flushes in other APIs
    let message_of = |text: &str| {
        let mut message = more("b", text);
        message["max_buffer_delay_ms"] = json!(0);
        message
    };
    let sentences = ["It is ready.", "It works."];
    socket.say_all((0..100).map(|number| message_of(sentences[number % 2]))).await;
    socket.say(last("b", "")).await;
    let received = ReceivedContext::of(&json!("b"), &socket.receive_until(is_done("b")).await);
    let expected: Vec<&str> = (0..100).flat_map(|number| sentences[number % 2].split(' ')).collect();
    assert_eq!((received.text(), received.flushes.len()), (expected, 0));
}

#[tokio::test]
async fn messages_without_a_context_get_their_own_context() {
    let server = TestServer::start().await;
    let mut socket = open(&server, PATH).await;
    let mut message = last("", "नमस्ते।");
    message.as_object_mut().unwrap().remove("context_id");
    message["continue"] = json!(true);
    socket.say(message).await;
    let messages = socket.receive_until(|message| message["done"] == true).await;
    let received = ReceivedContext::of(&Value::Null, &messages);
    assert_eq!(received.sound, clip(&server, "Ananya", "नमस्ते।").await);
}

#[tokio::test]
async fn excess_contexts_wait_and_all_are_spoken() {
    let server = TestServer::start().await;
    let mut socket = open(&server, FAST).await;
    socket.say_all((0..40).map(|number| last(&number.to_string(), "नमस्ते।"))).await;
    let mut left = 40;
    let messages = socket
        .receive_until(|message| {
            left -= i32::from(message["done"] == true);
            left == 0
        })
        .await;
    let expected = clip(&server, "Ananya", "नमस्ते।").await;
    for number in 0..40 {
        assert_eq!(ReceivedContext::of(&json!(number.to_string()), &messages).sound, expected, "{number}");
    }
}

#[tokio::test]
async fn an_idle_context_times_out_earlier_while_others_wait() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let mut socket = open(&server, FAST).await;
    let flushed = |number: i32| {
        let mut message = more(&format!("open {number}"), "हाँ।");
        message["flush"] = json!(true);
        message
    };
    socket.say_all((0..16).map(flushed)).await;
    let mut sounding = 16;
    socket
        .receive_until(|message| {
            sounding -= i32::from(message["type"] == "flush_done");
            sounding == 0
        })
        .await;
    socket.say(last("waiting", "नहीं।")).await;
    // when the contexts have nothing left to speak, the server waits for 10 s
    let due = clock.wait_for_waiter(|at| at >= Duration::from_secs(10) && at < Duration::from_secs(15)).await;
    clock.advance_to(due);
    let messages = socket.receive_until(is_done("waiting")).await;
    assert!(messages.iter().any(|message| message["type"] == "done" && message["context_id"] != "waiting"));
}

#[tokio::test]
async fn contexts_are_charged_for_spoken_text_and_count_as_requests() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 10_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned();
    let mut socket = JsonSocket::open(&server, FAST, &[("x-api-key", &key)]).await.unwrap();
    socket.say_all([last("a", " नमस्ते। "), last("b", "हाँ।"), last("c", "🙂")]).await;
    let mut left = 3;
    socket
        .receive_until(|message| {
            left -= i32::from(message["done"] == true);
            left == 0
        })
        .await;
    let client = server.client().with_key(Some(&key));
    let days = usage(&client).await.days;
    let chars: u64 = days.iter().map(|day| day.amount.chars).sum();
    let requests: u64 = days.iter().map(|day| day.amount.requests).sum();
    // 🙂 is not spoken
    assert_eq!((chars, requests), ("नमस्ते।".chars().count() as u64 + 4, 2));
}

#[tokio::test]
async fn an_exhausted_allowance_fails_the_contexts_and_ends_the_connection() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 20).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned();
    let mut socket = JsonSocket::open(&server, FAST, &[("x-api-key", &key)]).await.unwrap();
    socket.say(last("a", &long_text(500))).await;
    let (code, messages) = socket.closed().await;
    let error = messages.iter().find(|message| message["context_id"] == "a").unwrap();
    assert_eq!((&error["type"], &error["status_code"]), (&json!("error"), &json!(402)), "{error}");
    assert_eq!((&error["error_code"], code), (&json!("quota_exhausted"), 1011));
}

#[tokio::test]
async fn only_the_context_without_capacity_fails() {
    let server = TestServer::builder().max_speeches(1).start().await;
    let mut socket = open(&server, PATH).await;
    socket.say(last("long", &long_text(900))).await;
    socket.receive_until(|message| message["type"] == "chunk").await;
    for number in 0..8 {
        let name = number.to_string();
        socket.say(last(&name, "हाँ।")).await;
        let messages = socket.receive_until(is_done(&name)).await;
        let error = messages.last().unwrap();
        assert_eq!((&error["type"], &error["status_code"]), (&json!("error"), &json!(503)), "{error}");
    }
    socket.say(json!({"context_id": "long", "cancel": true})).await;
    server.idle().await;
    socket.say(last("next", "हाँ।")).await;
    let messages = socket.receive_until(is_done("next")).await;
    assert_eq!(messages.last().unwrap()["type"], "done");
}
