//! Tests of `/tts/bytes` and `/tts/sse`.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::{Reply, TestServer};

use super::json_socket::decoded;

const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you!";

fn request(text: &str) -> Value {
    json!({
        "model_id": "sonic-3",
        "transcript": text,
        "voice": {"mode": "id", "id": "Arjun"},
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
        "language": "hi",
    })
}

async fn post(server: &TestServer, path: &str, body: &Value) -> Reply {
    let client = server.client();
    client.send(client.request(Method::POST, path, body.to_string())).await
}

async fn clip(server: &TestServer) -> Vec<u8> {
    let body = json!({"text": TEXT, "voice": "Arjun", "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

/// Returns the events in a body, each as its name and its data.
pub(crate) fn events(body: &[u8]) -> Vec<(String, Value)> {
    let body = std::str::from_utf8(body).unwrap();
    assert!(body.ends_with("\n\n"));
    let event = |block: &str| {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let data = serde_json::from_str(field("data:").unwrap()).unwrap();
        (field("event:").unwrap_or_default().to_owned(), data)
    };
    body.split_terminator("\n\n").map(event).collect()
}

#[tokio::test]
async fn bytes_match_the_clip() {
    let server = TestServer::start().await;
    let expected = clip(&server).await;
    let reply = post(&server, "/tts/bytes", &request(TEXT)).await;
    assert_eq!(reply.header("content-type"), "audio/L16; rate=24000; channels=1");
    assert_eq!(reply.body, expected);
    let mut wav = request(TEXT);
    wav["output_format"]["container"] = json!("wav");
    let reply = post(&server, "/tts/bytes", &wav).await;
    assert_eq!((&reply.body[..4], &reply.body[44..]), (&b"RIFF"[..], &expected[..]));
    let mut mulaw = request(TEXT);
    mulaw["output_format"] = json!({"container": "raw", "encoding": "pcm_mulaw", "sample_rate": 8_000});
    let reply = post(&server, "/tts/bytes", &mulaw).await;
    assert_eq!(
        (reply.header("content-type"), reply.body.len().abs_diff(expected.len() / 6) <= 1),
        ("audio/basic", true)
    );
}

#[tokio::test]
async fn events_contain_the_clip_and_a_time_for_each_token() {
    let server = TestServer::start().await;
    let mut body = request(TEXT);
    body["add_timestamps"] = json!(true);
    body["context_id"] = json!("c");
    let reply = post(&server, "/tts/sse", &body).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    let (mut sound, mut words) = (Vec::new(), Vec::new());
    let events = events(&reply.body);
    for (name, data) in &events {
        assert_eq!((name.as_str(), &data["context_id"]), (data["type"].as_str().unwrap(), &json!("c")));
        match name.as_str() {
            "chunk" => sound.extend(decoded(&data["data"])),
            "timestamps" => {
                let reported = data["word_timestamps"]["words"].as_array().unwrap();
                words.extend(reported.iter().map(|word| word.as_str().unwrap().to_owned()));
            }
            "done" => assert_eq!(data["done"], true),
            other => panic!("{other}"),
        }
    }
    assert_eq!(sound, clip(&server).await);
    assert_eq!(words, TEXT.split_whitespace().collect::<Vec<_>>());
    assert_eq!(events.iter().filter(|(name, _)| name == "done").count(), 1);
    assert_eq!(events.last().unwrap().0, "done");

    let reply = post(&server, "/tts/sse", &request(TEXT)).await;
    assert!(!self::events(&reply.body).iter().any(|(name, _)| name == "timestamps"), "they were requested");
}

#[tokio::test]
async fn text_without_words_yields_100_ms_and_white_space_no_audio() {
    let server = TestServer::start().await;
    for (text, bytes) in [("🙂", 4_800), (" ", 0), ("", 0)] {
        let reply = post(&server, "/tts/bytes", &request(text)).await;
        assert_eq!((reply.status, reply.body.len()), (StatusCode::OK, bytes), "{text:?}");
        let reply = post(&server, "/tts/sse", &request(text)).await;
        let events = events(&reply.body);
        assert_eq!((events.len(), events.last().unwrap().0.as_str()), (1 + usize::from(bytes > 0), "done"));
    }
}

#[tokio::test]
async fn all_errors_use_the_cartesia_format() {
    let server = TestServer::start().await;
    let client = server.client();
    let mut unknown = request("a");
    unknown["voice"] = json!("Anita");
    let long = request(&"क".repeat(5_001));
    let huge = request(&"a".repeat(70_000));
    for (method, body, status, code) in [
        (Method::POST, unknown.to_string(), 400, "unknown_voice"),
        (Method::POST, long.to_string(), 400, "text_too_long"),
        (Method::POST, "{".to_owned(), 400, "invalid_json"),
        (Method::POST, huge.to_string(), 413, "body_too_large"),
        (Method::GET, String::new(), 405, "method_not_allowed"),
    ] {
        for path in ["/tts/bytes", "/tts/sse"] {
            // not checked against the OpenAPI document, because it does not describe methods that are not allowed
            let answer = client.open(client.request(method.clone(), path, body.clone())).await;
            let (parts, body) = answer.into_parts();
            let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(
                (parts.status.as_u16(), &body["error_code"]),
                (status, &json!(code)),
                "{method} {path}: {body}"
            );
            assert_eq!(body["request_id"], parts.headers["x-request-id"].to_str().unwrap());
            for field in ["title", "message", "doc_url"] {
                assert!(body[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {body}");
            }
        }
    }
}
