//! Tests of `/v1/audio/speech` and the lists of OpenAI's API.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_store::KeySpec;
use shruti_testkit::{Reply, TestServer};

use super::cartesia_http::events;
use super::json_socket::decoded;

const TEXT: &str = "नमस्ते, आप कैसे हैं? Your order is ready.";
const PATH: &str = "/v1/audio/speech";

async fn speak(server: &TestServer, body: &Value) -> Reply {
    let client = server.client();
    client.send(client.request(Method::POST, PATH, body.to_string())).await
}

async fn clip(server: &TestServer) -> Vec<u8> {
    server.client().post(json!({"text": TEXT, "voice": "Arjun"}).to_string()).await.body.to_vec()
}

#[tokio::test]
async fn each_format_matches_the_clip() {
    let server = TestServer::start().await;
    let expected = clip(&server).await;
    let seconds = expected.len() as f64 / 48_000.0;
    for (format, content_type) in [
        (None, "audio/mpeg"),
        (Some("mp3"), "audio/mpeg"),
        (Some("opus"), "audio/ogg"),
        (Some("wav"), "audio/wav"),
        (Some("pcm"), "audio/pcm"),
        (Some("ulaw"), "audio/basic"),
        (Some("alaw"), "audio/x-alaw-basic"),
    ] {
        let request_body =
            json!({"model": "tts-1", "input": TEXT, "voice": "onyx", "response_format": format});
        let reply = speak(&server, &request_body).await;
        assert_eq!(reply.header("content-type"), content_type, "{format:?}");
        let body = reply.body.as_ref();
        match format.unwrap_or("mp3") {
            "pcm" => assert_eq!(body, expected),
            "wav" => {
                assert_eq!(
                    (&body[..4], &body[4..8], &body[44..]),
                    (&b"RIFF"[..], &[0xff; 4][..], &expected[..])
                );
            }
            "ulaw" | "alaw" => assert!(body.len().abs_diff(expected.len() / 6) <= 1),
            "opus" => assert_eq!(&body[..4], b"OggS"),
            // MP3 at 64 kbit/s, plus a delay of one or two frames
            _ => assert!(
                (body.len() as f64 / 8_000.0 - seconds).abs() < 0.15,
                "{} s of {seconds}",
                body.len() / 8_000
            ),
        }
    }
}

#[tokio::test]
async fn events_contain_the_same_bytes() {
    let server = TestServer::start().await;
    for format in ["pcm", "mp3", "wav"] {
        let mut body = json!({"input": TEXT, "voice": "arjun", "response_format": format});
        let expected = speak(&server, &body).await.body;
        body["stream_format"] = json!("sse");
        let reply = speak(&server, &body).await;
        assert_eq!(reply.header("content-type"), "text/event-stream");
        let mut events = events(&reply.body);
        let (_, done) = events.pop().unwrap();
        let chars = TEXT.chars().count();
        let usage = json!({"input_tokens": chars, "output_tokens": 0, "total_tokens": chars});
        assert_eq!(done, json!({"type": "speech.audio.done", "usage": usage}));
        let sound = events.iter().flat_map(|(_, event)| {
            assert_eq!(event["type"], "speech.audio.delta");
            decoded(&event["audio"])
        });
        assert!(sound.collect::<Vec<u8>>() == expected, "{format}");
    }
}

#[tokio::test]
async fn extension_fields_and_the_language_of_the_model_are_applied() {
    let server = TestServer::start().await;
    let native = async |body: Value| server.client().post(body.to_string()).await.body;
    let theirs = async |body: Value| speak(&server, &body).await.body;
    let expected = native(json!({"text": "25", "language": "ta", "pitch": 2.0, "lexicon": {"a": "b"}})).await;
    assert!(expected == theirs(json!({"input": "25", "response_format": "pcm", "model": "tts-1:ta-IN", "pitch": 2.0, "lexicon": {"a": "b"}})).await);
    assert!(
        expected
            == theirs(json!({"input": "25", "response_format": "pcm", "language": "ta-LK", "pitch": 2.0}))
                .await
    );
    assert!(
        expected
            != theirs(json!({"input": "25", "response_format": "pcm", "language": "hi", "pitch": 2.0})).await
    );
    let fast = native(json!({"text": "नमस्ते।", "speed": 2.0})).await;
    assert!(fast == theirs(json!({"input": "नमस्ते।", "response_format": "pcm", "speed": 4})).await);
}

#[tokio::test]
async fn text_without_words_yields_100_ms_and_white_space_no_audio() {
    let server = TestServer::start().await;
    for (text, bytes) in [("🙂", 4_800), (" ", 0)] {
        let reply = speak(&server, &json!({"input": text, "response_format": "pcm"})).await;
        assert_eq!((reply.status, reply.body.len()), (StatusCode::OK, bytes), "{text:?}");
    }
}

#[tokio::test]
async fn operators_can_define_voice_aliases() {
    let server = TestServer::builder().config(|config| config.voice_aliases = "asha=Arjun".parse().unwrap());
    let server = server.start().await;
    let reply = speak(&server, &json!({"input": TEXT, "voice": "Asha", "response_format": "pcm"})).await;
    assert_eq!((reply.header("x-tts-voice"), reply.body == clip(&server).await), ("Arjun", true));
}

#[tokio::test]
async fn lists_are_served_and_some_need_no_key() {
    let server = TestServer::start().await;
    let client = server.client();
    let models = client.get("/v1/models").await.json();
    let model = json!({"id": "tts-1", "object": "model", "created": 0, "owned_by": "shruti"});
    assert_eq!(models, json!({"object": "list", "data": [model]}));
    let anonymous = client.with_key(None);
    assert_eq!(anonymous.get("/v1/models").await.status, StatusCode::UNAUTHORIZED);
    let voices = anonymous.get("/v1/audio/voices?limit=100").await.json();
    let named = |name: &str| json!({"id": name, "name": name});
    assert_eq!(voices, json!({"voices": [named("Ananya"), named("Arjun")]}));
    assert_eq!(anonymous.get("/v1/audio/models").await.json(), json!({"models": [named("tts-1")]}));
}

#[tokio::test]
async fn all_errors_use_the_openai_format() {
    let server = TestServer::start().await;
    let spent = server.create_account("asha@example.org", 5).await;
    let spent = server.create_key_of(&spent, KeySpec::named("a")).await.secret.reveal().to_owned();
    let good = server.key.clone();
    let long = json!({"input": "क".repeat(5_001)}).to_string();
    let huge = json!({"input": "a".repeat(70_000)}).to_string();
    let plain = || json!({"input": "नमस्ते, आप"}).to_string();
    let cases = [
        (
            Method::POST,
            Some(&good),
            json!({"input": "a", "voice": "Anita"}).to_string(),
            400,
            "unknown_voice",
            json!("voice"),
        ),
        (Method::POST, Some(&good), json!({"input": ""}).to_string(), 400, "empty_text", json!("input")),
        (Method::POST, Some(&good), long, 400, "text_too_long", json!("input")),
        (Method::POST, Some(&good), "{".to_owned(), 400, "invalid_json", Value::Null),
        (Method::POST, Some(&good), huge, 413, "body_too_large", Value::Null),
        (Method::POST, None, plain(), 401, "missing_api_key", Value::Null),
        (Method::POST, Some(&spent), plain(), 402, "quota_exhausted", Value::Null),
        (Method::PUT, Some(&good), plain(), 405, "method_not_allowed", Value::Null),
    ];
    for (method, key, body, status, code, param) in cases {
        let client = server.client().with_key(key.map(String::as_str));
        let answer = client.open(client.request(method, PATH, body)).await;
        let (parts, body) = answer.into_parts();
        let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let error = &body["error"];
        assert_eq!((parts.status.as_u16(), &error["code"]), (status, &json!(code)), "{body}");
        assert_eq!((&error["param"], error.as_object().unwrap().len()), (&param, 4), "{body}");
        let retry = parts.headers.get("x-should-retry").map(|value| value.to_str().unwrap());
        assert_eq!(retry, (status == 402).then_some("false"));
        assert!(parts.headers.contains_key("x-request-id"));
    }
}
