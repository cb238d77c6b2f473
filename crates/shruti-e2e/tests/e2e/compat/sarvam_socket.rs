//! Tests of `/text-to-speech/ws` as Sarvam's clients use it.

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::json_socket::{JsonSocket, decoded};
use crate::long_text;
use crate::metering::usage;

const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है।";
const SOCKET_PATH: &str = "/text-to-speech/ws?model=bulbul:v3&send_completion_event=True&max_lead_ms=0";

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    JsonSocket::open(server, path, &[("api-subscription-key", &server.key)]).await.expect("refused")
}

async fn clip(server: &TestServer, text: &str, voice: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": voice, "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

/// Returns a `config` message for native raw samples.
fn config(speaker: &str) -> Value {
    let data = json!({
        "target_language_code": "hi-IN", "speaker": speaker, "output_audio_codec": "linear16",
        "speech_sample_rate": "24000", "min_buffer_size": 50, "max_chunk_length": 150, "model": "bulbul:v3",
    });
    json!({"type": "config", "data": data})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "data": {"text": text}})
}

fn message(kind: &str) -> Value {
    json!({"type": kind})
}

fn is_final(message: &Value) -> bool {
    message["type"] == "event" && message["data"]["event_type"] == "final"
}

/// Returns the audio up to the end of a flush, and its content type.
async fn heard(socket: &mut JsonSocket) -> (Vec<u8>, Option<String>) {
    let (mut sound, mut content_type) = (Vec::new(), None);
    for message in socket.receive_until(is_final).await {
        match message["type"].as_str() {
            Some("audio") => {
                sound.extend(decoded(&message["data"]["audio"]));
                assert!(message["data"]["request_id"].as_str().unwrap().starts_with("req_"));
                content_type = message["data"]["content_type"].as_str().map(str::to_owned);
            }
            Some("event") => {}
            _ => panic!("{message}"),
        }
    }
    (sound, content_type)
}

#[tokio::test]
async fn a_flush_is_answered_after_its_last_sample_for_any_chunks() {
    let server = TestServer::start().await;
    let native = clip(&server, TEXT, "Arjun").await;
    for path in [SOCKET_PATH, "/text-to-speech/ws/v2?send_completion_event=true&max_lead_ms=0"] {
        let mut socket = open(&server, path).await;
        for _ in 0..2 {
            socket.say(config("arjun")).await;
            socket.say_all(TEXT.split_inclusive(' ').map(text)).await;
            socket.say_all([message("ping"), message("flush")]).await;
            assert_eq!(heard(&mut socket).await.0, native, "the same samples each time");
        }
        socket.say(message("flush")).await;
        assert_eq!(heard(&mut socket).await, (Vec::new(), None), "nothing to speak");
        socket.say_all([text("🙏"), message("flush")]).await;
        assert_eq!(heard(&mut socket).await.0.len(), 4_800, "a tenth of a second of silence");
        socket.say_all([text(" "), message("flush")]).await;
        assert_eq!(heard(&mut socket).await.0.len(), 0, "white space has no audio");
    }
}

#[tokio::test]
async fn a_config_applies_to_later_text() {
    let server = TestServer::start().await;
    let (one, other) = (clip(&server, TEXT, "Arjun").await, clip(&server, "हाँ।", "Ananya").await);
    let mut socket = open(&server, SOCKET_PATH).await;
    let mut wav = config("Ananya");
    wav["data"]["output_audio_codec"] = json!("wav");
    // the text before a config is spoken with the earlier settings, and one flush gets one response
    socket.say_all([config("Arjun"), text(TEXT), wav.clone(), wav, text("हाँ।"), message("flush")]).await;
    let (sound, content_type) = heard(&mut socket).await;
    assert_eq!(&sound[..one.len()], one);
    assert_eq!((&sound[one.len()..][..4], &sound[one.len() + 44..]), (&b"RIFF"[..], &other[..]));
    assert_eq!(content_type.as_deref(), Some("audio/wav"));
    // a config ends the text before it. A flush after the config is answered after the audio of that text,
    // including the last frames of MP3
    let mp3 = json!({"type": "config", "data": {"language_code": "hi-IN", "speaker": "Ananya"}});
    socket.say_all([mp3.clone(), text("हाँ।"), mp3, message("flush")]).await;
    let (sound, content_type) = heard(&mut socket).await;
    assert_eq!(content_type.as_deref(), Some("audio/mp3"));
    let body = json!({"text": "हाँ।", "speaker": "Ananya", "language_code": "hi-IN"}).to_string();
    let client = server.client();
    let reply = client.send(client.request(http::Method::POST, "/text-to-speech/stream", body)).await;
    assert_eq!(sound, reply.body, "as over HTTP");
}

#[tokio::test]
async fn sentences_without_a_space_are_separated() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SOCKET_PATH).await;
    socket.say(config("Ananya")).await;
    socket.say_all([text("Your order is ready."), text("It will come today."), message("flush")]).await;
    let (sound, _) = heard(&mut socket).await;
    assert_eq!(sound, clip(&server, "Your order is ready. It will come today.", "Ananya").await);
}

#[tokio::test]
async fn end_events_are_sent_only_on_request() {
    let server = TestServer::start().await;
    let mut socket = open(&server, "/text-to-speech/ws?max_lead_ms=0").await;
    socket
        .say_all([config("Ananya"), text("हाँ।"), message("flush"), message("flush"), message("sing")])
        .await;
    let messages = socket.receive_until(|message| message["type"] == "error").await;
    assert!(messages.iter().all(|message| message["type"] != "event"), "{messages:?}");
    let expected = clip(&server, "हाँ।", "Ananya").await.len();
    let mut sound: usize = sound_of(&messages);
    while sound < expected {
        let message = socket.receive().await.unwrap();
        assert_eq!(message["type"], "audio");
        sound += sound_of(&[message]);
    }
    assert_eq!(sound, expected);
}

fn sound_of(messages: &[Value]) -> usize {
    let audio = messages.iter().filter(|message| message["type"] == "audio");
    audio.map(|message| decoded(&message["data"]["audio"]).len()).sum()
}

#[tokio::test]
async fn hostile_clients_get_errors_and_do_not_affect_others() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SOCKET_PATH).await;
    let wrong_data = |field: &str, value: Value| {
        let mut wrong = config("Ananya");
        wrong["data"][field] = value;
        wrong
    };
    let cases = [
        (json!({}), "missing_field", "type"),
        (json!({"type": 5}), "invalid_field", "type"),
        (message("sing"), "invalid_field", "type"),
        (message("text"), "missing_field", "data"),
        (json!({"type": "text", "data": {"text": 5}}), "invalid_field", "text"),
        (text(&"क".repeat(5_001)), "text_too_long", "text"),
        (wrong_data("speaker", json!("nobody")), "unknown_voice", "speaker"),
        (wrong_data("target_language_code", json!("fr-FR")), "unsupported_language", "target_language_code"),
        (wrong_data("output_audio_codec", json!("flac")), "invalid_field", "output_audio_codec"),
    ];
    for (wrong, code, param) in cases {
        socket.say(wrong.clone()).await;
        let error = socket.receive().await.unwrap();
        assert_eq!((&error["type"], &error["data"]["code"]), (&json!("error"), &json!(400)), "{wrong}");
        assert_eq!(error["data"]["details"], json!({"code": code, "param": param}), "{wrong}");
        assert!(error["data"]["message"].is_string() && error["data"]["request_id"].is_string());
    }
    socket.say_raw("{\"type\": ").await;
    assert_eq!(socket.receive().await.unwrap()["data"]["details"]["code"], "invalid_json");
    // none of the invalid messages has changed anything: without a config, the default voice speaks in MP3
    socket.say_all([text("हाँ।"), message("flush")]).await;
    let (sound, content_type) = heard(&mut socket).await;
    assert!(!sound.is_empty() && content_type.as_deref() == Some("audio/mp3"));
}

#[tokio::test]
async fn two_hundred_flushes_are_answered_and_bounded() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SOCKET_PATH).await;
    socket.say_all((0..200).map(|_| message("flush"))).await;
    for _ in 0..200 {
        assert!(is_final(&socket.receive().await.unwrap()), "before any text");
    }
    // send more turns than the queue can hold: excess turns and excess flushes are rejected
    socket.say(config("Ananya")).await;
    socket.say_all((0..200).flat_map(|_| [text("हाँ।"), message("flush")])).await;
    let (mut finals, mut not_spoken, mut not_awaited) = (0, 0, 0);
    while finals + not_awaited < 200 {
        let reported = socket.receive().await.expect("closed");
        finals += usize::from(is_final(&reported));
        if reported["type"] == "error" {
            assert_eq!(reported["data"]["code"], 429, "{reported}");
            match reported["data"]["details"]["code"].as_str() {
                Some("queue_full") => not_spoken += 1,
                Some("rate_limited") => not_awaited += 1,
                _ => panic!("{reported}"),
            }
        }
    }
    assert!((1..200).contains(&not_spoken) && not_awaited < not_spoken, "{not_spoken} {not_awaited}");
    // many flushes of one long text: flushes beyond the limit are rejected, and the others are answered at
    // the end of the text
    socket.say_all([text(&long_text(1_000)), message("flush")]).await;
    socket.say_all((0..100).map(|_| message("flush"))).await;
    let mut reported = socket.receive_until(is_final).await;
    let refused = reported.iter().filter(|reported| reported["type"] == "error").count();
    for _ in 1..(101 - refused) {
        reported = vec![socket.receive().await.unwrap()];
        assert!(is_final(&reported[0]), "{reported:?}");
    }
    socket.say_all([text("हाँ।"), message("flush")]).await;
    assert_eq!(heard(&mut socket).await.0, clip(&server, "हाँ।", "Ananya").await, "the connection continues");
}

#[tokio::test]
async fn a_dropped_socket_stops_and_sent_audio_is_charged() {
    let server = TestServer::start().await;
    let mut socket = open(&server, SOCKET_PATH).await;
    socket.say_all([config("Ananya"), text("नमस्ते।"), message("flush")]).await;
    heard(&mut socket).await;
    assert_eq!(usage(&server.client()).await.total.chars, 7);
    socket.say_all([text(&long_text(4_000)), message("flush")]).await;
    socket.receive_until(|message| message["type"] == "audio").await;
    // clients interrupt by opening a new socket
    drop(socket);
    server.idle().await;
}

#[tokio::test]
async fn rejections_precede_the_upgrade() {
    let server = TestServer::start().await;
    let key = server.key.as_str();
    for (path, key, status, code) in [
        ("/text-to-speech/ws", "sk_no", 403, "invalid_api_key"),
        ("/text-to-speech/ws/v2", "sk_no", 403, "invalid_api_key"),
        ("/text-to-speech/ws?send_completion_event=maybe", key, 400, "invalid_field"),
        ("/text-to-speech/ws?max_lead_ms=never", key, 400, "invalid_field"),
    ] {
        let refused = JsonSocket::open(&server, path, &[("api-subscription-key", key)]).await.err().unwrap();
        assert_eq!(
            (refused.status.as_u16(), &refused.body["error"]["code"]),
            (status, &json!(code)),
            "{path}"
        );
    }
}
