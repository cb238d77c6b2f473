//! Tests of the formats of `POST /v1/tts`.

use std::time::Duration;

use http::{HeaderValue, Method, header};
use serde_json::json;
use shruti_audio::{BIT_RATES, Encoding, Format, SAMPLE_RATES};
use shruti_protocol::ErrorCode;
use shruti_service::Config;
use shruti_testkit::TestServer;

use crate::long_text;

fn formats() -> Vec<Format> {
    let encodings = [Encoding::S16Le, Encoding::F32Le, Encoding::MuLaw, Encoding::ALaw];
    let mut formats = Vec::new();
    for rate in SAMPLE_RATES {
        formats.extend(encodings.map(|encoding| Format::raw(encoding, rate).unwrap()));
        formats.extend(encodings.map(|encoding| Format::wav(encoding, rate).unwrap()));
        formats.push(Format::mp3(rate, 64).unwrap());
    }
    formats.extend(BIT_RATES.map(|bit_rate| Format::ogg_opus(bit_rate).unwrap()));
    formats
}

/// Encodes samples. `known` is `true` if the header can contain their number.
fn encoded(format: Format, samples: &[i16], known: bool) -> Vec<u8> {
    let mut encoder = format.encoder();
    let header = encoder.header(known.then_some(samples.len() as u64));
    [header, encoder.encode(samples), encoder.finish()].concat()
}

#[tokio::test]
async fn each_format_contains_the_samples_of_the_clip() {
    let patient = |config: &mut Config| config.timeouts.whole_clip = Duration::from_mins(10);
    let server = TestServer::builder().config(patient).start().await;
    let client = server.client();
    for (text, is_short) in [("Good morning.".to_owned(), true), (long_text(181), false)] {
        let native = client.speak(&json!({ "text": text })).await.samples;
        let for_phones = client.speak(&json!({"text": text, "clarity": "phone"})).await.samples;
        // long clips differ from short ones only in the header, so one sample rate is enough for them
        for format in formats().into_iter().filter(|format| is_short || format.sample_rate() == 11_025) {
            let name = format.to_string();
            let reply = client.post(json!({"text": text, "output_format": name}).to_string()).await;
            assert_eq!(reply.header("content-type"), format.content_type(), "{name}");
            assert_eq!(reply.header("x-audio-encoding"), format.coding(), "{name}");
            let knows_length = is_short && format.has_length();
            let samples = if format.sample_rate() == 8_000 { &for_phones } else { &native };
            assert!(reply.body == encoded(format, samples, knows_length), "{name}");
            let length = if knows_length { reply.body.len().to_string() } else { String::new() };
            assert_eq!(reply.header("content-length"), length, "{name}");
        }
    }
}

#[tokio::test]
async fn the_field_overrides_the_header() {
    let server = TestServer::start().await;
    let client = server.client();
    let cases = [
        (json!("mp3_44100_128"), "audio/wav", "audio/mpeg"),
        (json!("alaw_8000"), "application/json", "audio/x-alaw-basic"),
        (json!(null), "audio/basic", "audio/basic"),
        (json!("pcm_24000"), "audio/pcm", "audio/L16; rate=24000; channels=1"),
    ];
    for (name, accept, content_type) in cases {
        let body = json!({"text": "Hello.", "output_format": name}).to_string();
        let mut request = client.request(Method::POST, "/v1/tts", body);
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(accept));
        let reply = client.send(request).await;
        assert_eq!(reply.header("content-type"), content_type, "{name}, {accept}");
    }
}

#[tokio::test]
async fn an_unsupported_format_is_an_error_of_the_field() {
    let server = TestServer::start().await;
    for (name, rule) in [
        (json!("flac_24000"), "is not a valid audio format"),
        (json!("pcm_96000"), "supported rates are 8000, 11025, 16000, 22050, 24000, 32000, 44100 and 48000"),
        (json!("mp3_24000_192"), "supported rates are 32, 48, 64, 96 and 128"),
        (json!(24_000), "must be a string"),
    ] {
        let body = json!({"text": "Hello.", "output_format": name}).to_string();
        let error = server.client().post(body).await.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "output_format");
        assert!(error["message"].as_str().unwrap().contains(rule), "{error}");
    }
}
