//! Tests of `…/stream-input` and `…/multi-stream-input` as ElevenLabs' clients use them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_store::KeySpec;
use shruti_testkit::{TestClock, TestServer};

use super::json_socket::{JsonSocket, decoded};
use crate::long_text;
use crate::metering::usage;

const MULTI: &str = "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000&language_code=hi";
const SINGLE: &str = "/v1/text-to-speech/Ananya/stream-input?output_format=pcm_24000&language_code=hi";
const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! ";

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    JsonSocket::open(server, path, &[("xi-api-key", &server.key)]).await.expect("refused")
}

fn fast() -> String {
    format!("{MULTI}&max_lead_ms=0")
}

/// Returns the message with which the `livekit` and `pipecat` plugins open a context.
fn first(context: &str) -> Value {
    json!({"text": " ", "context_id": context, "voice_settings": {"stability": 0.5, "speed": 1.0}})
}

fn more(context: &str, text: &str) -> Value {
    json!({"text": text, "context_id": context})
}

fn close(context: &str) -> Value {
    json!({"context_id": context, "close_context": true})
}

/// Returns messages that open a context, speak a text and close the context.
fn turn(context: &str, text: &str) -> [Value; 3] {
    [first(context), more(context, text), close(context)]
}

fn is_final(context: &str) -> impl FnMut(&Value) -> bool {
    move |message| message["contextId"] == context && message["isFinal"] == true
}

/// Data from the messages of one context. [`of`](Self::of) panics if a message is invalid.
#[derive(Debug, Default)]
struct ReceivedContext {
    sound: Vec<u8>,
    /// Each character with its start and its end, in milliseconds from the start of the context.
    chars: Vec<(char, u64, u64)>,
    is_final: bool,
}

impl ReceivedContext {
    fn of(context: &Value, messages: &[Value], is_sync: bool) -> Self {
        let mut received = Self::default();
        let mut reported_ms = 0;
        for message in messages.iter().filter(|message| message["contextId"] == *context) {
            assert_eq!(message["contextId"], message["context_id"], "{message}");
            assert!(message["error"].is_null() && !received.is_final, "{message}");
            received.is_final = message["isFinal"] == true;
            if received.is_final {
                continue;
            }
            assert_eq!(message["alignment"], message["normalizedAlignment"]);
            let list = |name: &str| message["alignment"][name].as_array().cloned().unwrap_or_default();
            let times = list("charStartTimesMs").into_iter().zip(list("charDurationsMs"));
            let base = if is_sync { 0 } else { reported_ms };
            for (text, (start, length)) in list("chars").iter().zip(times) {
                let start = base + start.as_u64().unwrap();
                reported_ms = start + length.as_u64().unwrap();
                let text = text.as_str().unwrap().parse().unwrap();
                assert!(received.chars.last().is_none_or(|&(_, _, end)| end <= start), "{message}");
                received.chars.push((text, start, reported_ms));
            }
            if message["audio"].is_string() {
                let sound = decoded(&message["audio"]);
                assert!(sound.len() <= 4_800, "more than 100 ms at once: {}", sound.len());
                received.sound.extend(sound);
                // the alignment covers the audio received so far
                let reported =
                    received.chars.iter().rev().find(|(c, ..)| !c.is_whitespace()).map_or(0, |c| c.1);
                assert!(
                    reported > 0 || received.chars.iter().any(|c| !c.0.is_whitespace()),
                    "sound before its alignment"
                );
            }
        }
        received
    }

    fn text(&self) -> String {
        self.chars.iter().map(|(text, ..)| text).collect()
    }

    /// Returns the start times of the words.
    fn starts(&self) -> Vec<u64> {
        let begins = |index: usize| index == 0 || self.chars[index - 1].0.is_whitespace();
        let words =
            (0..self.chars.len()).filter(|&index| begins(index) && !self.chars[index].0.is_whitespace());
        words.map(|index| self.chars[index].1).collect()
    }
}

async fn clip(server: &TestServer, text: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": "Ananya", "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

#[tokio::test]
async fn a_chunked_context_matches_the_clip_and_has_character_times() {
    let server = TestServer::start().await;
    let expected = clip(&server, TEXT).await;
    let mut starts = Vec::new();
    for (path, is_sync) in [(format!("{MULTI}&sync_alignment=true"), true), (MULTI.to_owned(), false)] {
        let mut socket = open(&server, &path).await;
        socket.say(first("a")).await;
        socket.say_all(TEXT.chars().map(|piece| more("a", &piece.to_string()))).await;
        socket.say(close("a")).await;
        let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_final("a")).await, is_sync);
        assert!(received.sound == expected, "{} of {} bytes", received.sound.len(), expected.len());
        assert_eq!(received.text(), format!(" {TEXT}"));
        let (end, length) = (received.chars.last().unwrap().2, expected.len() as u64 / 48);
        assert!(length - 500 < end && end <= length, "the times end with the sound: {end} of {length} ms");
        starts.push(received.starts());
    }
    assert_eq!(starts[0], starts[1], "both ways of counting agree");
    assert_eq!(starts[0].len(), TEXT.split_whitespace().count());
    assert!(starts[0].is_sorted_by(|one, other| one < other), "{starts:?}");
}

#[tokio::test]
async fn stream_input_speaks_one_text_and_closes() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SINGLE).await;
    socket
        .say(json!({"text": " ", "try_trigger_generation": true, "voice_settings": null,
        "generation_config": {"chunk_length_schedule": [50]}}))
        .await;
    for piece in ["नमस्ते, ", "आप कैसे हैं?"] {
        socket.say(json!({"text": piece, "try_trigger_generation": true})).await;
    }
    // messages after the end are ignored
    socket.say_all([json!({"text": ""}), json!({"text": "और।"}), json!({"text": ""})]).await;
    let (code, messages) = socket.closed().await;
    let received = ReceivedContext::of(&Value::Null, &messages, false);
    assert_eq!((code, received.is_final, received.text().as_str()), (1000, true, " नमस्ते, आप कैसे हैं?"));
    assert_eq!(received.sound, clip(&server, "नमस्ते, आप कैसे हैं?").await);
    // the connection also ends if there was no text
    let mut socket = open(&server, SINGLE).await;
    socket.say(json!({"text": ""})).await;
    let (code, messages) = socket.closed().await;
    assert_eq!((code, messages.len(), &messages[0]["isFinal"]), (1000, 1, &json!(true)));
}

#[tokio::test]
async fn a_flush_speaks_held_text_and_auto_mode_flushes_each_message() {
    let server = TestServer::start().await;
    let clock = Arc::new(TestClock::new());
    // the clock does not advance, so nothing is spoken because of a timeout
    let held = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let mut socket = open(&held, &fast()).await;
    socket.say_all([first("a"), more("a", "एक अधूरा वाक्य "), json!({"context_id": "a", "flush": true})]).await;
    socket.receive_until(|message| message["audio"].is_string()).await;
    socket.say_all([more("b", "एक अधूरा"), json!({"text": "", "context_id": "b", "flush": true})]).await;
    socket.receive_until(|message| message["contextId"] == "b" && message["audio"].is_string()).await;

    let auto = format!("{}&auto_mode=true", fast());
    let mut socket = open(&held, &auto).await;
    socket.say_all([first("a"), more("a", "एक अधूरा")]).await;
    socket.receive_until(|message| message["audio"].is_string()).await;
    // sentences as an aggregator sends them: without spaces between them
    let mut socket = open(&server, &auto).await;
    let sentences = ["It is ready.", "It works."];
    socket.say(first("b")).await;
    socket.say_all((0..100).map(|number| more("b", sentences[number % 2]))).await;
    socket.say(close("b")).await;
    let received = ReceivedContext::of(&json!("b"), &socket.receive_until(is_final("b")).await, false);
    assert_eq!(received.text(), format!(" {}", sentences.concat().repeat(50)));
}

#[tokio::test]
async fn the_first_close_finishes_the_context_and_the_second_stops_it() {
    let server = TestServer::start().await;
    let mut socket = open(&server, &fast()).await;
    let text = long_text(4_000);
    for round in 0..10 {
        socket.say_all(turn("a", &text)).await;
        let mut pieces = 0;
        socket
            .receive_until(|message| {
                pieces += usize::from(message["audio"].is_string());
                pieces > round
            })
            .await;
        // the text of the marker arrives after the second close, so any message about the marker follows the close
        socket.say(close("a")).await;
        socket.say_all(turn("marker", "हाँ।")).await;
        let messages = socket.receive_until(is_final("marker")).await;
        let end = messages.iter().position(is_final("a")).expect("the context has no end");
        assert!(messages[end + 1..].iter().all(|message| message["contextId"] == "marker"), "round {round}");
        assert_eq!(messages.iter().filter(|message| message["isFinal"] == true).count(), 2);
        server.idle().await;
    }
    // the name of the context can be used again for a complete context
    socket.say_all(turn("a", TEXT)).await;
    let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_final("a")).await, false);
    assert_eq!((received.sound == clip(&server, TEXT).await, received.text()), (true, format!(" {TEXT}")));
}

#[tokio::test]
async fn text_after_a_close_is_spoken_with_separate_times() {
    let server = TestServer::start().await;
    let mut socket = open(&server, &fast()).await;
    socket.say_all([more("a", "नमस्ते।"), close("a"), more("a", "धन्यवाद।"), close("a")]).await;
    for text in ["नमस्ते।", "धन्यवाद।"] {
        let received = ReceivedContext::of(&json!("a"), &socket.receive_until(is_final("a")).await, false);
        assert_eq!((received.sound == clip(&server, text).await, received.text().as_str()), (true, text));
        assert!(received.chars[0].1 < 100, "times are relative to the start of each context: {received:?}");
    }
}

#[tokio::test]
async fn contexts_run_concurrently_and_an_unclosed_one_delays_no_other() {
    let server = TestServer::start().await;
    let mut socket = open(&server, MULTI).await;
    // the audio of the first text is longer than the lead of 10 s, so its turn stays active for a while; the other
    // context is never closed
    socket.say_all(turn("long", &long_text(900))).await;
    socket.say_all([first("open"), more("open", "एक अधूरा वाक्य ")]).await;
    socket.receive_until(|message| message["contextId"] == "long").await;
    let mut messages = Vec::new();
    for name in ["next", "other"] {
        socket.say_all(turn(name, TEXT)).await;
        messages.extend(socket.receive_until(is_final(name)).await);
    }
    let expected = clip(&server, TEXT).await;
    for name in ["next", "other"] {
        let received = ReceivedContext::of(&json!(name), &messages, false);
        assert_eq!((received.sound == expected, received.is_final), (true, true), "{name}");
    }
    assert!(!messages.iter().any(is_final("long")), "the long context continued meanwhile");
    // `close_socket` stops all contexts
    socket.say(json!({"close_socket": true})).await;
    let (code, messages) = socket.closed().await;
    assert_eq!((code, messages.iter().any(|message| message["isFinal"] == true)), (1000, false));
    server.idle().await;
}

#[tokio::test]
async fn keep_alives_create_nothing_and_messages_need_no_context() {
    let server = TestServer::start().await;
    let mut socket = open(&server, &fast()).await;
    socket
        .say_all([json!({"text": ""}), more("a", ""), json!({"flush": true}), close("a"), close("b")])
        .await;
    socket.say_all([json!({"text": "नमस्ते।"}), json!({"close_context": true})]).await;
    let messages = socket.receive_until(|message| message["isFinal"] == true).await;
    assert!(messages.iter().all(|message| message["contextId"].is_null()), "{messages:?}");
    assert_eq!(ReceivedContext::of(&Value::Null, &messages, false).sound, clip(&server, "नमस्ते।").await);
}

#[tokio::test]
async fn text_without_words_yields_100_ms_and_white_space_no_audio() {
    let server = TestServer::start().await;
    let mut socket = open(&server, MULTI).await;
    for (text, bytes) in [("🙂", 4_800), ("…", 4_800), ("", 0), (" ", 0), ("\n ", 0)] {
        socket.say_all(turn("a", text)).await;
        let messages = socket.receive_until(is_final("a")).await;
        let sound: Vec<u8> =
            messages.iter().filter(|m| m["audio"].is_string()).flat_map(|m| decoded(&m["audio"])).collect();
        assert_eq!((sound.len(), sound.iter().any(|&byte| byte != 0)), (bytes, false), "{text:?}");
    }
}

#[tokio::test]
async fn the_speed_is_that_of_the_first_message_and_the_format_that_of_the_query() {
    let server = TestServer::start().await;
    let length = async |query: &str, speed: f64| {
        let mut socket =
            open(&server, &format!("/v1/text-to-speech/Ananya/multi-stream-input?{query}")).await;
        let mut begins = first("a");
        begins["voice_settings"]["speed"] = json!(speed);
        let mut later = more("a", "नमस्ते, आप कैसे हैं?");
        later["voice_settings"] = json!({"speed": 0.5});
        socket.say_all([begins, later, close("a")]).await;
        let messages = socket.receive_until(is_final("a")).await;
        messages.iter().filter(|m| m["audio"].is_string()).map(|m| decoded(&m["audio"]).len()).sum::<usize>()
    };
    let normal = length("output_format=pcm_24000", 1.0).await;
    let fast = length("output_format=pcm_24000", 1.2).await;
    assert!(fast < normal * 9 / 10, "{fast} of {normal}");
    let ulaw = length("output_format=ulaw_8000", 1.0).await;
    assert_eq!(ulaw, (normal / 6).next_multiple_of(160), "of {normal}, in frames of 20 ms");
    // MP3 at 128 kbit/s has 16 bytes per millisecond
    let mp3 = length("", 1.0).await;
    assert!(mp3.abs_diff(normal / 48 * 16) < 3_000, "{mp3} bytes of MP3 for {normal}");
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_the_requested_timeout() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let mut socket = open(&server, &format!("{MULTI}&inactivity_timeout=15")).await;
    while clock.elapsed() < Duration::from_secs(15) {
        let due = clock.wait_for_waiter(|at| at > clock.elapsed()).await;
        clock.advance_to(due);
    }
    let (code, messages) = socket.closed().await;
    assert_eq!((code, messages.len(), clock.elapsed() < Duration::from_mins(5)), (1000, 0, true));
}

#[tokio::test]
async fn contexts_are_charged_for_spoken_text_and_count_as_requests() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 10_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned();
    let mut socket = JsonSocket::open(&server, &fast(), &[("xi-api-key", &key)]).await.unwrap();
    for (name, text) in [("a", " नमस्ते। "), ("b", "हाँ।"), ("c", "🙂")] {
        socket.say_all(turn(name, text)).await;
        socket.receive_until(is_final(name)).await;
    }
    let client = server.client().with_key(Some(&key));
    let days = usage(&client).await.days;
    let chars: u64 = days.iter().map(|day| day.amount.chars).sum();
    let requests: u64 = days.iter().map(|day| day.amount.requests).sum();
    // 🙂 is not spoken
    assert_eq!((chars, requests), ("नमस्ते।".chars().count() as u64 + 4, 2));
}

#[tokio::test]
async fn an_exhausted_allowance_fails_the_context_and_ends_the_connection() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 20).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned();
    let mut socket = JsonSocket::open(&server, &fast(), &[("xi-api-key", &key)]).await.unwrap();
    socket.say_all(turn("a", &long_text(500))).await;
    let (code, messages) = socket.closed().await;
    let error = messages.iter().find(|message| message["contextId"] == "a" && message["error"].is_string());
    assert_eq!((&error.expect("no error")["code"], code), (&json!("quota_exceeded"), 1011));
}

#[tokio::test]
async fn rejections_precede_the_upgrade_and_tokens_open_one_socket() {
    let server = TestServer::start().await;
    let in_url = format!("{MULTI}&xi-api-key={}", server.key);
    let as_token = format!("{MULTI}&single_use_token={}", server.key);
    let foreign = "/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM/multi-stream-input";
    let key = ("xi-api-key", server.key.as_str());
    for (path, headers, status, word) in [
        (MULTI, vec![("xi-api-key", "sk_wrong")], 401, "invalid_api_key"),
        (&in_url, vec![], 401, "invalid_api_key"),
        (&as_token, vec![], 401, "invalid_api_key"),
        (foreign, vec![], 404, "voice_not_found"),
        (foreign, vec![key], 404, "voice_not_found"),
        ("/v1/text-to-speech/Ananya/stream-input?output_format=aac", vec![key], 400, "invalid_field"),
        ("/v1/text-to-speech/Ananya/stream-input?inactivity_timeout=900", vec![key], 400, "invalid_field"),
    ] {
        let refusal = JsonSocket::open(&server, path, &headers).await.err().expect("accepted");
        let reported = (refusal.status.as_u16(), &refusal.body["detail"]["status"]);
        assert_eq!(reported, (status, &json!(word)), "{path} {refusal:?}");
    }
    let token = server.client().token().await;
    let path = format!("{MULTI}&single_use_token={token}");
    let mut socket = JsonSocket::open(&server, &path, &[]).await.expect("refused");
    socket.say_all(turn("a", "हाँ।")).await;
    socket.receive_until(is_final("a")).await;
    let refusal = JsonSocket::open(&server, &path, &[]).await.err().expect("accepted twice");
    assert_eq!((refusal.status.as_u16(), &refusal.body["detail"]["status"]), (401, &json!("invalid_token")));
}
