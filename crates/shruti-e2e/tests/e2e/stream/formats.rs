//! Tests of turns in the formats of `output_format`.

use serde_json::{Value, json};
use shruti_audio::Format;
use shruti_testkit::TestServer;

use super::ws_client::{Received, WsClient};

const TEXT: &str = "Good morning, Ramesh.";

/// Runs a turn. Returns its joined frames, and its `turn.started`, `words` and `turn.done`.
async fn turn(ws: &mut WsClient, id: &str, text: &str) -> (Vec<u8>, Value, Vec<Value>, Value) {
    ws.say(json!({"text": text, "turn_id": id, "final": true})).await;
    let (mut bytes, mut started, mut words) = (Vec::new(), Value::Null, Vec::new());
    loop {
        match ws.receive().await {
            Received::Sound(sound) => {
                assert!(!started.is_null() && !sound.is_empty());
                bytes.extend_from_slice(&sound);
            }
            Received::Message(message) if message["type"] == "turn.started" => started = message,
            Received::Message(message) if message["type"] == "words" => {
                words.extend(message["words"].as_array().unwrap().iter().cloned());
            }
            Received::Message(message) if message["type"] == "turn.done" => {
                return (bytes, started, words, message);
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn configure(ws: &mut WsClient, format: &str) {
    ws.say(json!({"type": "config", "output_format": format})).await;
    assert_eq!(ws.message_of("config").await["output_format"], format);
}

#[tokio::test]
async fn a_turn_is_one_stream_in_its_format_with_the_same_marks() {
    let server = TestServer::start().await;
    let native = server.client().speak(&json!({ "text": TEXT })).await.samples;
    let for_phones = server.client().speak(&json!({"text": TEXT, "clarity": "phone"})).await.samples;
    let mut ws = WsClient::open_fast(&server).await;
    let (_, _, marks, done) = turn(&mut ws, "native", TEXT).await;
    for name in ["mulaw_8000", "pcm_f32_48000", "wav_16000", "mp3_24000_64", "opus_48000_32", "pcm_24000"] {
        configure(&mut ws, name).await;
        let format: Format = name.parse().unwrap();
        let mut encoder = format.message_encoder();
        let samples = if format.sample_rate() == 8_000 { &for_phones } else { &native };
        let expected = [encoder.header(None), encoder.encode(samples), encoder.finish()].concat();
        for id in ["one", "another"] {
            let id = format!("{name} {id}");
            let (bytes, started, words, reported) = turn(&mut ws, &id, TEXT).await;
            assert!(bytes == expected, "{id}");
            assert_eq!(started["output_format"], name);
            assert_eq!(words, marks, "{id}");
            assert_eq!(
                (&reported["audio_ms"], &reported["chars"]),
                (&done["audio_ms"], &done["chars"]),
                "{id}"
            );
        }
    }
}

#[tokio::test]
async fn no_audio_follows_a_cancel_and_the_next_turn_starts_a_new_stream() {
    let server = TestServer::start().await;
    let native = server.client().speak(&json!({ "text": TEXT })).await.samples;
    let mut ws = WsClient::open(&server).await;
    ws.say(json!({"type": "config", "clarity": "off"})).await;
    ws.message_of("config").await;
    for name in ["mp3_44100_64", "opus_48000_64", "wav_mulaw_8000"] {
        configure(&mut ws, name).await;
        let long = crate::long_text(400);
        ws.say(json!({"text": long, "turn_id": format!("{name} long"), "final": true})).await;
        while !matches!(ws.receive().await, Received::Sound(_)) {}
        ws.say(json!({"type": "cancel", "turn_id": format!("{name} long")})).await;
        ws.message_of("turn.cancelled").await;
        let (bytes, ..) = turn(&mut ws, &format!("{name} next"), TEXT).await;
        let mut encoder = name.parse::<Format>().unwrap().encoder();
        let expected = [encoder.header(None), encoder.encode(&native), encoder.finish()].concat();
        assert!(bytes == expected, "{name}");
    }
}

#[tokio::test]
async fn cancelling_a_queued_turn_does_not_change_the_live_one() {
    let server = TestServer::start().await;
    let native = server.client().speak(&json!({ "text": TEXT })).await.samples;
    let mut ws = WsClient::open(&server).await;
    configure(&mut ws, "opus_48000_32").await;
    ws.say_all([
        json!({"text": TEXT, "turn_id": "sounds", "final": true}),
        json!({"text": TEXT, "turn_id": "waits", "final": true}),
        json!({"type": "cancel", "turn_id": "waits"}),
    ])
    .await;
    let mut bytes = Vec::new();
    let (mut is_cancelled, mut is_done) = (false, false);
    while !(is_cancelled && is_done) {
        match ws.receive().await {
            Received::Sound(sound) => bytes.extend_from_slice(&sound),
            Received::Message(message) if message["type"] == "turn.cancelled" => is_cancelled = true,
            Received::Message(message) => is_done |= message["type"] == "turn.done",
            other => panic!("{other:?}"),
        }
    }
    let mut encoder = "opus_48000_32".parse::<Format>().unwrap().encoder();
    assert!(bytes == [encoder.header(None), encoder.encode(&native), encoder.finish()].concat());
}

#[tokio::test]
async fn unsupported_formats_and_formats_in_text_messages_are_errors() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open(&server).await;
    for message in [
        json!({"type": "config", "output_format": "flac_24000"}),
        json!({"type": "config", "output_format": 8_000}),
        json!({"text": "a", "output_format": "mulaw_8000"}),
    ] {
        ws.say(message).await;
        let error = ws.message_of("error").await["error"].clone();
        assert_eq!(
            (&error["code"], &error["param"]),
            (&json!("invalid_field"), &json!("output_format")),
            "{error}"
        );
    }
    let (bytes, started, ..) = turn(&mut ws, "a", TEXT).await;
    assert_eq!(started["output_format"], "pcm_24000");
    assert_eq!(bytes.len(), 2 * server.client().speak(&json!({ "text": TEXT })).await.samples.len());
}
