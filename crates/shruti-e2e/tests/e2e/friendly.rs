//! Tests of requests as people write them before they have read the documentation: short names, synonyms, misspelled
//! names.

use http::{HeaderValue, header};
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_testkit::{Reply, TestServer};

use crate::stream::ws_client::WsClient;

/// A text in Urdu.
const URDU: &str = "\u{622}\u{67e} \u{6a9}\u{6cc}\u{633}\u{6d2} \u{6c1}\u{6cc}\u{6ba}";

fn warning(reply: &Reply) -> &str {
    assert_eq!(reply.status.as_u16(), 200, "{:?}", reply.body);
    reply.header("x-shruti-warning")
}

#[tokio::test]
async fn common_names_of_formats_and_languages_are_accepted() {
    let server = TestServer::start().await;
    let client = server.client();
    for (format, content_type, encoding) in [
        ("mp3", "audio/mpeg", "mp3"),
        ("WAV", "audio/wav", "pcm_s16le"),
        ("opus", "audio/ogg", "opus"),
        ("pcm", "audio/L16; rate=24000; channels=1", "pcm_s16le"),
        ("ulaw", "audio/basic", "pcm_mulaw"),
        ("alaw", "audio/x-alaw-basic", "pcm_alaw"),
    ] {
        let reply = client.post(json!({"text": "नमस्ते", "output_format": format}).to_string()).await;
        assert_eq!(warning(&reply), "", "{format}");
        assert_eq!(reply.header("content-type"), content_type, "{format}");
        assert_eq!(reply.header("x-audio-encoding"), encoding, "{format}");
    }
    let hindi = client.speak(&json!({"text": "5 km", "language": "hi"})).await;
    for language in ["hindi", "हिन्दी", "हिंदी", "hin", "hi-IN", "HI_in", "ஹிந்தி"]
    {
        let body = json!({"text": "5 km", "language": language});
        assert_eq!(client.speak(&body).await, hindi, "{language}");
    }
}

#[tokio::test]
async fn a_conversation_accepts_the_same_names() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"type": "config", "output_format": "ulaw", "language": "தமிழ்"})).await;
    let config = ws.message_of("config").await;
    assert_eq!((&config["output_format"], &config["language"]), (&json!("mulaw_8000"), &json!("ta")));
    ws.say(json!({"type": "confg"})).await;
    let error = ws.message_of("error").await;
    assert!(error["error"]["message"].as_str().unwrap().contains("did you mean 'config'?"), "{error}");
}

#[tokio::test]
async fn unknown_fields_are_reported_or_rejected() {
    let server = TestServer::start().await;
    let client = server.client();
    let reply =
        client.post(json!({"text": "Hello.", "langauge": "hi", "sample_rate": 8000}).to_string()).await;
    assert_eq!(
        warning(&reply),
        "unknown field 'langauge' (did you mean 'language'?) was ignored; unknown field 'sample_rate' (did you mean \
         'output_format'?) was ignored"
    );
    let reply = client.post(json!({"text": "Hello.", "भाषा\n": 1}).to_string()).await;
    assert!(warning(&reply).contains("\\u{92d}"), "ASCII: {}", warning(&reply));
    let many: serde_json::Map<String, Value> = (0..200).map(|i| (format!("{i:0>200}"), json!(i))).collect();
    let reply = client.post(json!({"text": "Hello.", "strict": false, "x": many}).to_string()).await;
    assert!(warning(&reply).len() < 1_000);

    let strict = json!({"text": "Hello.", "langauge": "hi", "strict": true});
    let error = client.post(strict.to_string()).await.assert_error(ErrorCode::InvalidField);
    assert_eq!(error["param"], "langauge");
    client.speak(&json!({"text": "Hello.", "strict": true})).await.assert_speech("nothing is unknown");
    let error =
        client.post(json!({"input": "Hello."}).to_string()).await.assert_error(ErrorCode::MissingField);
    assert!(error["message"].as_str().unwrap().contains("use it instead of 'input'"), "{error}");
}

#[tokio::test]
async fn errors_suggest_the_nearest_name() {
    let server = TestServer::start().await;
    for (field, value, hint) in [
        ("voice", "Anania", "did you mean 'Ananya'?"),
        ("language", "hindhi", "did you mean hi (Hindi)?"),
        ("output_format", "mp4", "did you mean 'mp3'?"),
        ("clarity", "phon", "did you mean 'phone'?"),
        ("engine", "rule", "did you mean 'rules'?"),
    ] {
        let reply = server.client().post(json!({"text": "Hello.", field: value}).to_string()).await;
        assert_eq!(reply.status.as_u16(), 400);
        let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(hint), "{message}");
    }
}

#[tokio::test]
async fn text_in_arabic_script_is_urdu() {
    let server = TestServer::start().await;
    let client = server.client();
    let mixed = format!("यह उर्दू में ऐसे लिखा जाता है: {URDU}");
    for (text, language) in [(URDU, "ur"), (mixed.as_str(), "hi")] {
        let reply = client.post(json!({ "text": text, "strict": true }).to_string()).await;
        assert_eq!(reply.status.as_u16(), 200, "{:?}", reply.body);
        assert_eq!(reply.header("x-tts-language"), language);
        assert!(!reply.headers.contains_key("x-shruti-warning"), "{text}");
    }
}

#[tokio::test]
async fn an_error_links_to_its_documentation_and_explains_how_to_allow_a_page() {
    let server = TestServer::start().await;
    let client = server.client();
    let error = client.post("{}").await.assert_error(ErrorCode::MissingField);
    assert_eq!(error["doc_url"], format!("http://{}/docs/errors#missing_field", server.address));

    let mut request = client.request(http::Method::POST, "/v1/tts", json!({"text": "Hello."}).to_string());
    request.headers_mut().insert(header::ORIGIN, HeaderValue::from_static("https://shop.example"));
    let error = client.send(request).await.assert_error(ErrorCode::OriginNotAllowed);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("shruti keys create --origin https://shop.example"), "{message}");

    let mut request = client.request(http::Method::GET, "/v1/tts", "");
    request.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    let reply = client.send(request).await;
    assert_eq!(reply.header("allow"), "POST");
    let error = reply.assert_error(ErrorCode::MethodNotAllowed);
    assert!(error["message"].as_str().unwrap().contains("/v1/tts/stream"), "{error}");
}
