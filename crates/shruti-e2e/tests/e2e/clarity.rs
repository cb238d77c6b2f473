//! Tests of `clarity` over HTTP, in the stream and in the APIs that are compatible with other services.

use http::Method;
use serde_json::{Value, json};
use shruti_audio::{ClarityFilter, Format};
use shruti_engine::Engine;
use shruti_protocol::ErrorCode;
use shruti_testkit::slow::SlowBackend;
use shruti_testkit::{SomeVoices, TestServer};
use shruti_voice::ParametricBackend;

use crate::stream::ws_client::{Received, WsClient};

const TEXT: &str = "आपका Rs. 1,25,000 का भुगतान मिल गया है। धन्यवाद!";

/// Returns the bytes of the clip for a request with additional fields.
async fn clip(server: &TestServer, fields: Value) -> Vec<u8> {
    let mut body = json!({"text": TEXT, "voice": "Arjun", "language": "hi"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let reply = server.client().post(body.to_string()).await;
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    reply.body.to_vec()
}

fn samples(bytes: &[u8]) -> Vec<i16> {
    bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn encoded(name: &str, native: &[u8]) -> Vec<u8> {
    let mut encoder = name.parse::<Format>().unwrap().encoder();
    [encoder.header(None), encoder.encode(&samples(native)), encoder.finish()].concat()
}

/// Encodes native samples in a format, as the messages of a turn contain them.
fn framed(name: &str, native: &[u8]) -> Vec<u8> {
    let mut encoder = name.parse::<Format>().unwrap().message_encoder();
    [encoder.header(None), encoder.encode(&samples(native)), encoder.finish()].concat()
}

fn shaped(mut filter: ClarityFilter, native: &[u8]) -> Vec<u8> {
    let mut samples = samples(native);
    filter.shape(&mut samples);
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// Returns the joined frames of a turn up to its end, and ignores other messages.
async fn sound_of_turn(ws: &mut WsClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        match ws.receive().await {
            Received::Sound(sound) => bytes.extend_from_slice(&sound),
            Received::Message(message) if message["type"] == "turn.done" => return bytes,
            Received::Message(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn clarity_applies_on_request_and_at_8000_hz() {
    let server = TestServer::start().await;
    let plain = clip(&server, json!({})).await;
    let phone = clip(&server, json!({"clarity": "phone"})).await;
    assert!(plain == clip(&server, json!({"clarity": "off"})).await);
    assert!(plain == clip(&server, json!({"clarity": null})).await);
    assert!(phone == shaped(ClarityFilter::phone(), &plain));
    assert!(clip(&server, json!({"clarity": "room"})).await == shaped(ClarityFilter::room(), &plain));
    for name in ["mulaw_8000", "alaw_8000", "pcm_8000", "pcm_f32_8000", "mp3_8000_32"] {
        let by_itself = clip(&server, json!({ "output_format": name })).await;
        assert!(by_itself == encoded(name, &phone), "{name}");
        let refused = clip(&server, json!({"output_format": name, "clarity": "off"})).await;
        assert!(refused == encoded(name, &plain), "{name}");
    }
    for name in ["mulaw_16000", "pcm_11025", "opus_48000_32"] {
        assert!(clip(&server, json!({ "output_format": name })).await == encoded(name, &plain), "{name}");
    }
}

#[tokio::test]
async fn clarity_applies_with_other_pitches_and_back_ends() {
    let third = SomeVoices::new(SlowBackend::new().named("Third"), |_, _| true);
    let engine = Engine::builder().backend(ParametricBackend::new()).backend(third);
    let server = TestServer::builder().start_with(engine).await;
    for fields in [json!({"voice": "Third"}), json!({"pitch": 4.0}), json!({"speed": 0.7})] {
        let plain = clip(&server, fields.clone()).await;
        let mut fields = fields;
        fields["clarity"] = json!("room");
        assert!(clip(&server, fields.clone()).await == shaped(ClarityFilter::room(), &plain), "{fields}");
    }
}

#[tokio::test]
async fn invalid_clarity_is_rejected() {
    let server = TestServer::start().await;
    for wrong in [json!("loud"), json!(1), json!(true), json!(["room"])] {
        let body = json!({"text": "a", "clarity": wrong}).to_string();
        let error = server.client().post(body).await.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "clarity");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(r#""off", "phone" or "room""#), "{message}");
        let mut ws = WsClient::open(&server).await;
        ws.say(json!({"type": "config", "clarity": wrong})).await;
        let error = ws.message_of("error").await["error"].clone();
        assert_eq!((&error["code"], &error["param"]), (&json!("invalid_field"), &json!("clarity")));
    }
}

#[tokio::test]
async fn clarity_of_turns_is_independent_of_chunks_and_keeps_marks() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"type": "config", "voice": "Arjun", "language": "hi"})).await;
    ws.message_of("config").await;
    ws.say(json!({"text": TEXT, "turn_id": "plain", "final": true})).await;
    let plain = ws.clip("plain").await;
    let marks = |words: &[(Value, u64)]| words.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();

    ws.say(json!({"type": "config", "clarity": "room"})).await;
    assert_eq!(ws.message_of("config").await["clarity"], "room");
    let expected = shaped(ClarityFilter::room(), &plain.bytes);
    for size in [1, 4, 1_000] {
        let turn = format!("pieces of {size}");
        let chars: Vec<char> = TEXT.chars().collect();
        let pieces =
            chars.chunks(size).map(|piece| json!({"text": String::from_iter(piece), "turn_id": turn}));
        ws.say_all(pieces).await;
        ws.say(json!({"type": "end", "turn_id": turn})).await;
        let clip = ws.clip(&turn).await;
        assert!(clip.bytes == expected, "{turn}");
        assert_eq!(marks(&clip.words), marks(&plain.words), "{turn}");
    }
}

#[tokio::test]
async fn a_turn_keeps_its_clarity_and_can_override_the_default() {
    let server = TestServer::start().await;
    let plain = clip(&server, json!({})).await;
    let phone = shaped(ClarityFilter::phone(), &plain);
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"type": "config", "voice": "Arjun", "language": "hi"})).await;
    assert_eq!(ws.message_of("config").await["clarity"], Value::Null);
    // a turn in progress keeps its settings
    let (first, rest) = TEXT.split_at(TEXT.find(" का").unwrap());
    ws.say(json!({"text": first, "turn_id": "begun"})).await;
    ws.say(json!({"type": "config", "clarity": "phone"})).await;
    ws.say(json!({"text": rest, "turn_id": "begun", "final": true})).await;
    assert!(sound_of_turn(&mut ws).await == plain);
    let turns = [
        ("sticky", json!({}), &phone),
        ("own", json!({"clarity": "off"}), &plain),
        ("again", json!({}), &phone),
    ];
    for (turn, own, expected) in turns {
        let mut text = json!({"text": TEXT, "turn_id": turn, "final": true});
        text.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        ws.say(text).await;
        assert!(&ws.clip(turn).await.bytes == expected, "{own}");
    }
    // `null` restores the default of the format
    ws.say(json!({"type": "config", "clarity": null, "output_format": "mulaw_8000"})).await;
    assert_eq!(ws.message_of("config").await["clarity"], Value::Null);
    ws.say(json!({"text": TEXT, "turn_id": "narrow", "final": true})).await;
    assert!(sound_of_turn(&mut ws).await == framed("mulaw_8000", &phone));
    ws.say(json!({"text": TEXT, "turn_id": "refused", "final": true, "clarity": "off"})).await;
    assert!(sound_of_turn(&mut ws).await == framed("mulaw_8000", &plain));
}

#[tokio::test]
async fn compatible_routes_apply_clarity_at_8000_hz_unless_disabled_in_the_query() {
    let server = TestServer::start().await;
    let body = |fields: Value| fields.to_string();
    let (text, output) = (TEXT, json!({"container": "raw", "encoding": "pcm_mulaw", "sample_rate": 8_000}));
    for (path, body, name) in [
        (
            "/v1/speak?model=Arjun-hi&encoding=mulaw&sample_rate=8000&container=none",
            body(json!({"text": text})),
            "mulaw_8000",
        ),
        (
            "/v1/audio/speech?",
            body(json!({"input": text, "voice": "Arjun", "language": "hi", "response_format": "alaw"})),
            "alaw_8000",
        ),
        (
            "/tts/bytes?",
            body(json!({"transcript": text, "voice": "Arjun", "language": "hi", "output_format": output})),
            "mulaw_8000",
        ),
        (
            "/v1/text-to-speech/Arjun?output_format=ulaw_8000&language_code=hi",
            body(json!({"text": text})),
            "mulaw_8000",
        ),
        (
            "/v1/vapi?voice=Arjun&language=hi",
            body(json!({"message": {"text": text, "sampleRate": 8_000}})),
            "pcm_8000",
        ),
        (
            "/text-to-speech/stream?",
            body(
                json!({"text": text, "speaker": "Arjun", "language_code": "hi-IN", "speech_sample_rate": 8_000,
                "output_audio_codec": "mulaw"}),
            ),
            "mulaw_8000",
        ),
    ] {
        let client = server.client();
        for (query, clarity) in [("", "phone"), ("&clarity=off", "off"), ("&clarity=room", "room")] {
            let reply =
                client.send(client.request(Method::POST, &format!("{path}{query}"), body.clone())).await;
            let expected = clip(&server, json!({"output_format": name, "clarity": clarity})).await;
            assert!(reply.body == expected, "{path}{query}");
        }
        let wrong = client.send(client.request(Method::POST, &format!("{path}&clarity=loud"), body)).await;
        assert_eq!(wrong.status, 400, "{path}");
    }
}
