//! Tests of clips: voices, languages, formats, settings.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use shruti_engine::Engine;
use shruti_lang::Language;
use shruti_service::Config;
use shruti_store::KeySpec;
use shruti_testkit::slow::{BLOCK, SlowBackend};
use shruti_testkit::{Audio, Client, SomeVoices, TestServer};
use shruti_voice::ParametricBackend;

use crate::metering::usage;
use crate::{SENTENCES, long_text};

#[tokio::test]
async fn every_voice_speaks_every_language() {
    let server = TestServer::start().await;
    for (language, text) in SENTENCES {
        for voice in ["Ananya", "Arjun"] {
            let body = json!({"text": text, "voice": voice, "language": language});
            let reply = server.client().post(body.to_string()).await;
            reply.audio().assert_speech(&format!("{voice} {language}"));
            assert_eq!(reply.header("x-tts-voice"), voice);
            assert_eq!(reply.header("x-tts-language"), language);
        }
    }
}

#[tokio::test]
async fn a_clip_has_the_headers_of_the_contract() {
    let server = TestServer::start().await;
    let client = server.client();
    let mut request = client.request(Method::POST, "/v1/tts", json!({"text": "  नमस्ते। "}).to_string());
    request.headers_mut().insert("x-client-request-id", HeaderValue::from_static("order-17"));
    let reply = client.send(request).await;
    reply.audio().assert_speech("नमस्ते");
    assert_eq!(reply.header("content-type"), "audio/L16; rate=24000; channels=1");
    assert_eq!(reply.header("x-audio-encoding"), "pcm_s16le");
    assert_eq!(reply.header("x-tts-voice"), "Ananya");
    assert_eq!(reply.header("x-tts-language"), "hi", "detected from the script");
    assert_eq!(reply.header("x-tts-chars"), "7", "counted after trimming");
    assert_eq!(reply.header("x-client-request-id"), "order-17");
    assert!(reply.header("x-request-id").starts_with("req_"));
    assert_eq!(reply.header("content-length"), "", "the length is not known when the clip begins");
    assert_eq!(reply.header("ratelimit-limit"), "", "the first key has no limit");
    let timing = reply.header("server-timing").strip_prefix("ttfa;dur=").unwrap();
    assert!(timing.parse::<f64>().is_ok_and(|ms| ms > 0.0), "{timing}");
}

#[tokio::test]
async fn the_language_is_detected_from_the_script() {
    let server = TestServer::start().await;
    for (language, text) in SENTENCES {
        let expected = if language == "mr" { "hi" } else { language };
        let reply = server.client().post(json!({ "text": text }).to_string()).await;
        assert_eq!(reply.header("x-tts-language"), expected, "{text}");
    }
}

#[tokio::test]
async fn a_romanised_text_is_reported_in_the_spoken_language() {
    let server = TestServer::start().await;
    let cases = [
        (json!({ "text": "aap kaise hain? mera naam Raj hai." }), "hi"),
        (json!({ "text": "aap kaise hain?", "language": "en" }), "en"),
        (json!({ "text": "The dosa is ready, please come." }), "en"),
    ];
    for (request, language) in cases {
        let reply = server.client().post(request.to_string()).await;
        assert_eq!(reply.header("x-tts-language"), language, "{request}");
    }
}

#[tokio::test]
async fn speed_pitch_and_lexicon_change_the_sound() {
    let server = TestServer::start().await;
    let client = server.client();
    let text = "नमस्ते AIIMS दिल्ली।";
    let plain = client.speak(&json!({ "text": text })).await;
    let seconds = |audio: &Audio| audio.duration().as_secs_f64();

    let fast = client.speak(&json!({"text": text, "speed": 2.0})).await;
    let slow = client.speak(&json!({"text": text, "speed": 0.5})).await;
    assert!(seconds(&fast) < 0.7 * seconds(&plain), "{} {}", seconds(&fast), seconds(&plain));
    assert!(seconds(&slow) > 1.4 * seconds(&plain), "{} {}", seconds(&slow), seconds(&plain));
    let high = client.speak(&json!({"text": text, "pitch": 6.0})).await;
    assert_ne!(high, plain);
    let read_otherwise = client.speak(&json!({"text": text, "lexicon": {"AIIMS": "पुस्तकालय"}})).await;
    assert_ne!(read_otherwise, plain);
    let unused = client.speak(&json!({"text": text, "lexicon": {"UNESCO": "यूनेस्को"}})).await;
    assert_eq!(unused, plain);
    let defaults = json!({"text": text, "voice": "ANANYA", "language": "hi-IN", "speed": 1, "pitch": 0,
        "lexicon": {}, "a_later_field": [1]});
    assert_eq!(client.speak(&defaults).await, plain);
}

#[tokio::test]
async fn every_format_contains_the_same_samples() {
    let server = TestServer::start().await;
    let client = server.client();
    let body = json!({"text": "Good morning.", "voice": "Arjun"}).to_string();
    let plain = client.post(body.clone()).await.body;
    let accepting = async |accept: &'static str| {
        let mut request = client.request(Method::POST, "/v1/tts", body.clone());
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(accept));
        client.send(request).await
    };
    for (accept, content_type) in [
        ("*/*", "audio/L16; rate=24000; channels=1"),
        ("audio/l16", "audio/L16; rate=24000; channels=1"),
        ("audio/pcm", "audio/pcm; rate=24000; channels=1"),
        ("audio/wav;q=0.1, audio/pcm;q=0.2", "audio/pcm; rate=24000; channels=1"),
    ] {
        let reply = accepting(accept).await;
        assert_eq!(reply.header("content-type"), content_type, "{accept}");
        assert_eq!(reply.body, plain, "{accept}");
    }
    let wav = accepting("audio/wav, */*;q=0.5").await;
    assert_eq!(wav.header("content-type"), "audio/wav");
    let (head, samples) = wav.body.split_at(44);
    assert_eq!(samples, plain);
    assert_eq!((&head[..4], &head[8..16], &head[36..40]), (&b"RIFF"[..], &b"WAVEfmt "[..], &b"data"[..]));
    let number = |at: usize, bytes: usize| {
        head[at..at + bytes].iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte))
    };
    assert_eq!((number(16, 4), number(20, 2), number(22, 2)), (16, 1, 1), "integer samples, one channel");
    assert_eq!((number(24, 4), number(28, 4)), (24_000, 48_000), "samples and bytes a second");
    assert_eq!((number(32, 2), number(34, 2)), (2, 16), "bytes and bits a sample");
}

/// Returns the two lengths in a WAV header, in bytes: the length of the file without its first eight bytes, and the
/// length of its samples.
fn wav_lengths(wav: &[u8]) -> [u32; 2] {
    [4, 40].map(|at| u32::from_le_bytes(wav[at..at + 4].try_into().unwrap()))
}

fn as_wav(client: &Client, body: &serde_json::Value) -> Request<Full<Bytes>> {
    let mut request = client.request(Method::POST, "/v1/tts", body.to_string());
    request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("audio/wav"));
    request
}

#[tokio::test]
async fn a_short_wav_has_its_length_and_a_long_one_an_unknown_length() {
    let patient = |config: &mut Config| config.timeouts.whole_clip = Duration::from_mins(10);
    let server = TestServer::builder().config(patient).start().await;
    let account = server.create_account("asha@example.org", 10_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    for client in [server.client(), server.client().over_http2()] {
        let client = client.with_key(Some(key.secret.reveal()));
        let before = usage(&client).await.total;
        let text = "आपका order कल शाम 5 बजे तक पहुँच जाएगा।";
        let plain = client.speak(&json!({ "text": text })).await;
        let short = client.send(as_wav(&client, &json!({ "text": text }))).await;
        assert_eq!(short.header("content-length"), short.body.len().to_string());
        let length = short.body.len() as u32;
        assert_eq!(wav_lengths(&short.body), [length - 8, length - 44]);
        assert_eq!(Audio::from_bytes(&short.body[44..]), plain);
        let reported = usage(&client).await.total;
        assert_eq!(
            reported.chars - before.chars,
            2 * text.chars().count() as u64,
            "equal to the raw samples"
        );
        assert_eq!(reported.audio_ms - before.audio_ms, 2 * (plain.samples.len() as u64 / 24));

        let long = client.send(as_wav(&client, &json!({"text": long_text(181)}))).await;
        assert_eq!(long.header("content-length"), "");
        assert_eq!(wav_lengths(&long.body), [u32::MAX; 2]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wav_that_is_not_complete_in_time_is_streamed() {
    let (slow, gate) = SlowBackend::gated();
    let engine = Engine::builder()
        .backend(SomeVoices::only("Ananya", ParametricBackend::new()))
        .backend(slow.named("Arjun"));
    let server = TestServer::builder().start_with(engine).await;
    gate.let_through(1);
    // the text has six words; the first call renders one and a half of them
    let body = json!({"text": "एक दो तीन चार पाँच छह।", "voice": "Arjun"});
    let client = server.client();
    let mut response = client.open(as_wav(&client, &body)).await;
    assert_eq!(response.headers().get("content-length"), None);
    let first = response.body_mut().frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(wav_lengths(&first), [u32::MAX; 2], "during the second call");
    gate.open();
    let rest = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(rest.len(), 2 * 4 * BLOCK);
}

#[tokio::test]
async fn languages_and_voices_are_listed() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let languages = client.get("/v1/languages").await.json();
    let codes: Vec<_> = languages["languages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, Language::ALL.map(Language::code));
    let voices = client.get("/v1/voices").await.json();
    assert_eq!(voices["voices"].as_array().unwrap().len(), 2);
    let ananya = &voices["voices"][0];
    assert_eq!((&ananya["name"], &ananya["gender"]), (&json!("Ananya"), &json!("female")));
    assert_eq!((&ananya["default"], &ananya["deterministic"]), (&json!(true), &json!(true)));
    assert_eq!((&ananya["engine"], &ananya["timestamps"]), (&json!("parametric"), &json!(["word"])));
    assert_eq!(ananya["languages"], json!(codes));
}
