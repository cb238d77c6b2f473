//! Tests of `POST /v1/tts/timed`: the clip of `POST /v1/tts` with its word timestamps.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};
use shruti_engine::Engine;
use shruti_protocol::ErrorCode;
use shruti_store::{KeyLimits, KeySpec};
use shruti_testkit::{Client, FaultyBackend, RawConnection, Reply, SimulatedFailure, TestServer, raw};

use crate::long_text;
use crate::metering::usage;
use crate::stream::ws_client::{WsClient, part, sound_ms};

const PATH: &str = "/v1/tts/timed";
const TEXT: &str = "\n नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! ";

async fn timed(client: &Client, accept: Option<&'static str>, body: &Value) -> Reply {
    let mut request = client.request(Method::POST, PATH, body.to_string());
    if let Some(accept) = accept {
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(accept));
    }
    client.send(request).await
}

fn lines(body: &[u8]) -> Vec<Value> {
    let body = std::str::from_utf8(body).unwrap();
    assert!(body.ends_with('\n'));
    body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bytes_of(piece: &Value) -> Vec<u8> {
    STANDARD.decode(piece["audio"].as_str().unwrap()).unwrap()
}

/// Returns the audio and the words in the JSON objects between the first and the last.
fn joined(objects: &[Value]) -> (Vec<u8>, Vec<Value>) {
    let pieces = &objects[1..objects.len() - 1];
    assert!(pieces.iter().all(|piece| piece["type"] == "audio"));
    let words = pieces.iter().flat_map(|piece| piece["words"].as_array().unwrap().clone());
    (pieces.iter().flat_map(bytes_of).collect(), words.collect())
}

#[tokio::test]
async fn lines_contain_the_clip_and_the_words_of_the_conversation() {
    let server = TestServer::start().await;
    let request = json!({"text": TEXT, "voice": "Arjun", "language": "hi"});
    let reply = timed(&server.client(), None, &request).await;
    assert_eq!(
        (reply.status, reply.header("content-type"), reply.header("cache-control")),
        (StatusCode::OK, "application/x-ndjson", "no-store")
    );
    let objects = lines(&reply.body);
    let plain = server.client().post(request.to_string()).await;
    assert_eq!(
        objects[0],
        json!({"type": "start", "voice": "Arjun", "language": "hi", "engine": "parametric", "output_format": "pcm_24000",
            "content_type": plain.header("content-type"), "sample_rate": 24_000})
    );
    let (sound, words) = joined(&objects);
    assert_eq!(sound, plain.body, "the samples of the clip");
    let chars = TEXT.trim().chars().count();
    assert_eq!(
        *objects.last().unwrap(),
        json!({"type": "done", "audio_ms": sound_ms(sound.len()), "chars": chars})
    );
    for name in ["x-tts-voice", "x-tts-language", "x-tts-engine", "x-tts-chars", "x-audio-encoding"] {
        assert_eq!(reply.header(name), plain.header(name), "{name}");
    }
    assert!(reply.header("server-timing").starts_with("ttfa;dur="));

    // each word is in the piece in which it begins
    let mut before = 0;
    for piece in &objects[1..objects.len() - 1] {
        let until = before + bytes_of(piece).len();
        for word in piece["words"].as_array().unwrap() {
            let start = word["start_ms"].as_u64().unwrap();
            assert!((sound_ms(before)..=sound_ms(until)).contains(&start), "{word} in {before}..{until}");
        }
        before = until;
    }
    let mut ws = WsClient::open_fast(&server).await;
    let turn = json!({"text": TEXT, "voice": "Arjun", "language": "hi", "turn_id": "t", "final": true});
    ws.say(turn).await;
    let spoken = ws.clip("t").await;
    assert_eq!(words, spoken.words.into_iter().map(|(word, _)| word).collect::<Vec<_>>());
    for word in &words {
        let place = |name: &str| word[name].as_u64().unwrap();
        assert_eq!(part(TEXT, place("char_start"), place("char_end")), word["text"].as_str().unwrap());
    }
}

#[tokio::test]
async fn events_contain_the_same_objects() {
    let server = TestServer::start().await;
    let request = json!({"text": TEXT, "language": "hi"});
    let objects = lines(&timed(&server.client(), Some("application/json"), &request).await.body);
    let reply = timed(&server.client(), Some("text/event-stream"), &request).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    let events = crate::compat::cartesia_http::events(&reply.body);
    for (name, data) in &events {
        assert_eq!(data["type"], name.as_str());
    }
    assert_eq!(events.into_iter().map(|(_, data)| data).collect::<Vec<_>>(), objects);
}

#[tokio::test]
async fn audio_is_available_in_every_format() {
    let server = TestServer::start().await;
    for format in ["mp3", "opus", "wav", "mulaw_8000", "pcm_f32_16000"] {
        let request = json!({"text": TEXT, "language": "hi", "output_format": format});
        let objects = lines(&timed(&server.client(), None, &request).await.body);
        let (sound, words) = joined(&objects);
        let mut clip = server.client().post(request.to_string()).await.body.to_vec();
        let header = if format == "wav" { 44 } else { 0 };
        assert_eq!(sound.len(), clip.len(), "{format}");
        // whether the header contains the length depends on the rendering time; an Ogg stream contains a random number
        if format == "opus" {
            assert_eq!(sound[..4], clip[..4], "{format}");
        } else {
            assert_eq!(sound[header..], clip.split_off(header), "{format}");
        }
        let first = &words[0];
        assert_eq!((&first["text"], &first["char_start"]), (&json!("नमस्ते,"), &json!(2)), "{format}");
        assert_eq!(words.len(), 10, "{format}: {words:?}");
    }
}

#[tokio::test]
async fn timed_clips_reject_the_same_requests_as_clips() {
    let server = TestServer::start().await;
    let client = server.client();
    let capped = server.create_key(KeySpec { monthly_cap: Some(3), ..KeySpec::named("capped") }).await;
    let capped = client.with_key(Some(capped.secret.reveal()));
    let long = "क".repeat(5_001);
    for (client, body, code) in [
        (&client, json!({"text": ""}), ErrorCode::EmptyText),
        (&client, json!({"text": "🙂"}), ErrorCode::EmptyText),
        (&client, json!({"text": long}), ErrorCode::TextTooLong),
        (&client, json!({"text": "a", "voice": "Anita"}), ErrorCode::UnknownVoice),
        (&client, json!({"text": "a", "language": "fr"}), ErrorCode::UnsupportedLanguage),
        (&client, json!({"text": "a", "output_format": "flac"}), ErrorCode::InvalidField),
        (&client, json!({"text": "a", "langauge": "hi", "strict": true}), ErrorCode::InvalidField),
        (&client, json!({}), ErrorCode::MissingField),
        (&capped, json!({"text": "hello"}), ErrorCode::QuotaExhausted),
        (&client.with_key(None), json!({"text": "a"}), ErrorCode::MissingApiKey),
        (&client.with_key(Some("sk_wrong")), json!({"text": "a"}), ErrorCode::InvalidApiKey),
    ] {
        for accept in [None, Some("text/event-stream")] {
            timed(client, accept, &body).await.assert_error(code);
        }
    }
    timed(&client, Some("audio/wav"), &json!({"text": "a"})).await.assert_error(ErrorCode::NotAcceptable);
    let get = client.get(PATH).await;
    get.assert_error(ErrorCode::MethodNotAllowed);
    assert_eq!(get.header("allow"), "POST");
    let mut text = client.request(Method::POST, PATH, r#"{"text":"a"}"#);
    text.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    client.send(text).await.assert_error(ErrorCode::UnsupportedMediaType);
    let misspelt = timed(&client, None, &json!({"text": "a", "langauge": "hi"})).await;
    assert!(misspelt.header("x-shruti-warning").contains("did you mean 'language'"));
}

#[tokio::test]
async fn timed_clips_are_charged_and_limited_like_clips() {
    let server = TestServer::start().await;
    let limits = KeyLimits { streams: Some(1), ..KeyLimits::default() };
    let key = server.create_key(KeySpec { limits, ..KeySpec::named("one at a time") }).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let token = client.with_key(Some(&client.token().await));
    timed(&token, None, &json!({"text": "hello", "voice": "Arjun"})).await;
    timed(&token, None, &json!({"text": "hello"})).await.assert_error(ErrorCode::InvalidToken);
    let reported = usage(&client).await;
    assert_eq!((reported.days.len(), reported.days[0].api.as_str(), reported.total.chars), (1, "clip", 5));

    let long = json!({"text": long_text(5_000)});
    let mut reader = RawConnection::open_small(server.address).await;
    reader.send(raw::post(PATH, key.secret.reveal(), &long.to_string())).await;
    let (status, _) = reader.read_head().await;
    assert_eq!(status, StatusCode::OK);
    let first = reader.read_chunk().await.unwrap();
    assert_eq!(lines(&first)[0]["type"], "start", "one object per chunk");
    timed(&client, None, &json!({"text": "a"})).await.assert_error(ErrorCode::ConcurrencyLimited);
    drop(reader);
    server.idle().await;
    let stats = server.engine.stats();
    assert_eq!(stats.cancelled, 1);
    assert!(stats.samples < 2_000_000, "{} samples were rendered without a listener", stats.samples);
    assert_eq!(timed(&client, None, &json!({"text": "a"})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_fault_after_the_first_byte_is_reported_in_the_last_object() {
    for failure in [SimulatedFailure::ErrorAfter(20), SimulatedFailure::PanicAfter(20)] {
        let server =
            TestServer::builder().start_with(Engine::builder().backend(FaultyBackend::new(failure))).await;
        let reply = timed(&server.client(), None, &json!({"text": "a"})).await;
        let objects = lines(&reply.body);
        let (sound, _) = joined(&objects);
        assert!(!sound.is_empty(), "{failure:?}");
        let last = objects.last().unwrap();
        assert_eq!(
            (&last["type"], &last["error"]["code"]),
            (&json!("error"), &json!("internal")),
            "{failure:?}"
        );
        assert_eq!(last["error"]["request_id"], reply.header("x-request-id"));
        assert!(last["error"]["doc_url"].as_str().unwrap().starts_with("http://"), "{last}");
        server.idle().await;
    }
}
