//! Tests of `/text-to-speech` and its stream as Sarvam's clients use them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::{Reply, TestServer};

const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है।";

async fn post(server: &TestServer, path: &str, body: &Value) -> Reply {
    let client = server.client();
    client.send(client.request(Method::POST, path, body.to_string())).await
}

fn asking(codec: &str) -> Value {
    json!({
        "text": TEXT, "speaker": "arjun", "target_language_code": "hi-IN", "output_audio_codec": codec,
        "speech_sample_rate": "24000", "model": "bulbul:v3",
    })
}

#[tokio::test]
async fn a_clip_matches_the_samples_of_the_native_route() {
    let server = TestServer::start().await;
    let native = json!({"text": TEXT, "voice": "Arjun", "language": "hi"});
    let native = server.client().post(native.to_string()).await.body.to_vec();

    let reply = post(&server, "/text-to-speech/stream", &asking("linear16")).await;
    assert_eq!((reply.status, &reply.body[..]), (StatusCode::OK, &native[..]));

    let reply = post(&server, "/text-to-speech", &asking("wav")).await;
    assert_eq!(reply.header("content-type"), "application/json");
    let reported: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(reported["request_id"], json!(reply.header("x-request-id")));
    let wav = STANDARD.decode(reported["audios"][0].as_str().unwrap()).unwrap();
    assert_eq!((&wav[..4], &wav[44..]), (&b"RIFF"[..], &native[..]));

    let reply = post(&server, "/text-to-speech/stream", &json!({"text": TEXT})).await;
    assert_eq!(reply.header("content-type"), "audio/mpeg");
}

#[tokio::test]
async fn errors_use_the_format_of_the_service() {
    let server = TestServer::start().await;
    for path in ["/text-to-speech", "/text-to-speech/stream"] {
        for (body, code) in [
            (json!({}), "missing_field"),
            (json!({"text": 5}), "invalid_field"),
            (json!({"text": TEXT, "speaker": "nobody"}), "unknown_voice"),
            (json!({"text": TEXT, "language_code": "fr-FR"}), "unsupported_language"),
            (json!({"text": TEXT, "output_audio_codec": "flac"}), "invalid_field"),
            (json!({"text": "क".repeat(5_001)}), "text_too_long"),
        ] {
            let reply = post(&server, path, &body).await;
            let reported: Value = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!(
                (reply.status.as_u16(), &reported["error"]["code"]),
                (400, &json!(code)),
                "{path} {reported}"
            );
            assert_eq!(reported["error"]["request_id"], json!(reply.header("x-request-id")));
        }
        let client = server.client();
        let mut request = client.request(Method::POST, path, asking("wav").to_string());
        request.headers_mut().remove("authorization");
        request.headers_mut().insert("api-subscription-key", "sk_no".parse().unwrap());
        let reply = client.send(request).await;
        let reported: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(
            (reply.status, &reported["error"]["code"]),
            (StatusCode::FORBIDDEN, &json!("invalid_api_key"))
        );
    }
}
