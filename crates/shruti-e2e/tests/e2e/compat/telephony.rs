//! Tests of `/v1/jambonz`, `/v1/jambonz/stream` and `/v1/vapi` as these platforms use them.

use http::{HeaderName, Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::{Reply, TestServer};

use super::json_socket::{JsonSocket, Received};
use crate::long_text;
use crate::metering::usage;

const TEXT: &str = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है।";
const STREAM: &str = "/v1/jambonz/stream?voice=arjun&language=hi-IN&sampleRate=24000&max_lead_ms=0";

async fn native(server: &TestServer, text: &str, format: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": "Arjun", "language": "hi", "output_format": format});
    server.client().post(body.to_string()).await.body.to_vec()
}

/// Sends a request with a key in the given header.
async fn post(server: &TestServer, path: &str, header: (&str, &str), body: &Value) -> Reply {
    let client = server.client().with_key(None);
    let mut request = client.request(Method::POST, path, body.to_string());
    let name: HeaderName = header.0.parse().unwrap();
    request.headers_mut().insert(name, header.1.parse().unwrap());
    client.send(request).await
}

async fn jambonz(server: &TestServer, body: &Value) -> Reply {
    post(server, "/v1/jambonz", ("authorization", &format!("Bearer {}", server.key)), body).await
}

async fn vapi(server: &TestServer, query: &str, body: &Value) -> Reply {
    post(server, &format!("/v1/vapi?{query}"), ("x-vapi-secret", &server.key), body).await
}

/// Returns a request in the format of Vapi, including its data about the call.
fn voice_request(text: &str, sample_rate: u32) -> Value {
    let call = json!({"id": "7b3c2f8e", "orgId": "eb166faa"});
    json!({"message": {
        "type": "voice-request", "text": text, "sampleRate": sample_rate, "timestamp": 1_677_123_456_789_u64,
        "call": call, "assistant": {"name": "a"}, "customer": {"number": "+911234567890"},
    }})
}

async fn open(server: &TestServer, path: &str) -> JsonSocket {
    let key = format!("Bearer {}", server.key);
    JsonSocket::open(server, path, &[("authorization", &key)]).await.expect("refused")
}

fn stream(text: &str) -> Value {
    json!({"type": "stream", "text": text})
}

fn message(kind: &str) -> Value {
    json!({"type": kind})
}

/// Reads audio until at least `bytes` bytes have arrived. Panics if a text message arrives first.
async fn heard(socket: &mut JsonSocket, bytes: usize) -> Vec<u8> {
    let mut sound = Vec::new();
    while sound.len() < bytes {
        match socket.hear_any().await.expect("closed") {
            Received::Sound(more) => sound.extend(more),
            Received::Json(reported) => panic!("{reported}"),
        }
    }
    sound
}

#[tokio::test]
async fn clips_of_each_api_match_the_samples_of_the_native_route() {
    let server = TestServer::start().await;
    let samples = native(&server, TEXT, "pcm_24000").await;
    let body = json!({"language": "hi-IN", "voice": "Arjun", "type": "text", "text": TEXT});
    let reply = jambonz(&server, &body).await;
    assert_eq!((reply.status, reply.header("content-type")), (StatusCode::OK, "audio/wav"));
    assert_eq!((&reply.body[..4], &reply.body[44..]), (&b"RIFF"[..], &samples[..]));

    for rate in [8_000, 16_000, 24_000] {
        let reply = vapi(&server, "voice=Arjun&language=hi", &voice_request(TEXT, rate)).await;
        assert_eq!(reply.header("content-type"), "application/octet-stream");
        assert_eq!(reply.body, native(&server, TEXT, &format!("pcm_{rate}")).await, "{rate}");
    }
    let reply = vapi(&server, "voice=Arjun", &voice_request("🙏", 8_000)).await;
    assert_eq!(reply.body, vec![0; 1_600], "nothing to say is a tenth of a second of silence");
}

#[tokio::test]
async fn errors_are_sent_before_any_audio() {
    let server = TestServer::start().await;
    for (body, code, param) in [
        (json!({"text": TEXT, "type": "song"}), "invalid_field", "type"),
        (json!({"text": TEXT, "voice": "nobody"}), "unknown_voice", "voice"),
        (json!({"text": TEXT, "language": "fr-FR"}), "unsupported_language", "language"),
        (json!({"type": "text"}), "missing_field", "text"),
        (json!({"text": "क".repeat(5_001)}), "text_too_long", "text"),
    ] {
        let reply = jambonz(&server, &body).await;
        assert_error(&reply, code, param);
    }
    let with = |field: &str, value: Value| {
        let mut wrong = voice_request(TEXT, 8_000);
        wrong["message"][field] = value;
        wrong
    };
    for (query, body, code, param) in [
        ("voice=nobody", with("type", json!("voice-request")), "unknown_voice", "voice"),
        ("language=fr", with("type", json!("voice-request")), "unsupported_language", "language"),
        ("", json!({"text": TEXT}), "missing_field", "message"),
        ("", with("type", json!("status-update")), "invalid_field", "message.type"),
        ("", with("sampleRate", json!(9_000)), "invalid_field", "message.sampleRate"),
        ("", with("text", json!("क".repeat(5_001))), "text_too_long", "message.text"),
    ] {
        assert_error(&vapi(&server, query, &body).await, code, param);
    }
    for (path, header) in [("/v1/jambonz", "authorization"), ("/v1/vapi", "x-vapi-secret")] {
        let key = if header == "authorization" { "Bearer sk_no" } else { "sk_no" };
        let reply = post(&server, path, (header, key), &voice_request(TEXT, 8_000)).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

fn assert_error(reply: &Reply, code: &str, param: &str) {
    let reported: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!((reply.status.as_u16(), &reported["error"]["code"]), (400, &json!(code)), "{reported}");
    assert_eq!(reported["error"]["param"], param, "{reported}");
}

#[tokio::test]
async fn a_call_is_spoken_per_flush() {
    let server = TestServer::start().await;
    let samples = native(&server, TEXT, "pcm_24000").await;
    let mut socket = open(&server, STREAM).await;
    let connect = json!({"type": "connect", "data": {"sample_rate": 24_000, "base64_encoding": false}});
    assert_eq!(socket.receive().await.unwrap(), connect);
    for _ in 0..2 {
        socket.say_all(TEXT.split_inclusive(' ').map(stream)).await;
        socket.say_all([message("keepalive"), message("flush")]).await;
        assert_eq!(heard(&mut socket, samples.len()).await, samples);
    }
    socket.say_all([stream("🙏"), message("flush")]).await;
    assert_eq!(heard(&mut socket, 4_800).await, vec![0; 4_800]);
    socket.say_all([stream("Your order is ready."), stream("It will come."), message("flush")]).await;
    let apart = native(&server, "Your order is ready. It will come.", "pcm_24000").await;
    assert_eq!(heard(&mut socket, apart.len()).await, apart);

    let mut narrow = open(&server, "/v1/jambonz/stream?voice=Arjun&language=hi-IN&max_lead_ms=0").await;
    assert_eq!(narrow.receive().await.unwrap()["data"]["sample_rate"], 8_000);
    narrow.say_all([stream(TEXT), message("flush")]).await;
    let samples = native(&server, TEXT, "pcm_8000").await;
    assert_eq!(heard(&mut narrow, samples.len()).await, samples);
}

#[tokio::test]
async fn a_stop_ends_the_stream_and_sent_audio_is_charged() {
    let server = TestServer::start().await;
    let mut socket = open(&server, STREAM).await;
    socket.receive().await.unwrap();
    socket.say_all([stream("नमस्ते।"), message("flush")]).await;
    heard(&mut socket, native(&server, "नमस्ते।", "pcm_24000").await.len()).await;
    assert_eq!(usage(&server.client()).await.total.chars, 14, "charged once per request");
    socket.say_all([stream(&long_text(4_000)), message("flush")]).await;
    heard(&mut socket, 1).await;
    socket.say_all([message("stop"), message("stop")]).await;
    let mut sound = 0;
    let code = loop {
        match socket.hear_any().await {
            Ok(Received::Sound(more)) => sound += more.len(),
            Ok(Received::Json(reported)) => panic!("{reported}"),
            Err(code) => break code,
        }
    };
    assert_eq!(code, 1000);
    assert!(sound < 48_000 * 60, "{sound} bytes of some minutes were sent");
    server.idle().await;
}

#[tokio::test]
async fn hostile_callers_get_errors_and_do_not_affect_others() {
    let server = TestServer::start().await;
    let mut socket = open(&server, STREAM).await;
    socket.receive().await.unwrap();
    // flushes without text have no effect
    socket.say_all((0..200).map(|_| message("flush"))).await;
    for (wrong, code) in [
        (json!({}), "missing_field"),
        (json!({"type": 5}), "invalid_field"),
        (message("sing"), "invalid_field"),
        (message("stream"), "missing_field"),
        (json!({"type": "stream", "text": ["a"]}), "invalid_field"),
        (stream(&"क".repeat(5_001)), "text_too_long"),
    ] {
        socket.say(wrong.clone()).await;
        let error = socket.receive().await.unwrap();
        assert_eq!((&error["type"], &error["code"]), (&json!("error"), &json!(code)), "{wrong}");
        assert!(error["error"].is_string());
    }
    socket.say_raw("{").await;
    assert_eq!(socket.receive().await.unwrap()["code"], "invalid_json");
    // send more turns than the queue can hold: excess turns are rejected, and the others are spoken
    socket.say_all((0..40).flat_map(|_| [stream("हाँ।"), message("flush")])).await;
    let (mut sound, mut refused) = (0, 0);
    let one = native(&server, "हाँ।", "pcm_24000").await.len();
    while sound < (40 - refused) * one {
        match socket.hear_any().await.expect("closed") {
            Received::Sound(more) => sound += more.len(),
            Received::Json(reported) => {
                assert_eq!(reported["code"], "queue_full", "{reported}");
                refused += 1;
            }
        }
    }
    assert!((1..=31).contains(&refused), "{refused}");

    for (path, status, code) in [
        ("/v1/jambonz/stream?voice=nobody", 400, "unknown_voice"),
        ("/v1/jambonz/stream?language=fr", 400, "unsupported_language"),
        ("/v1/jambonz/stream?sampleRate=9000", 400, "invalid_field"),
    ] {
        let key = format!("Bearer {}", server.key);
        let refusal = JsonSocket::open(&server, path, &[("authorization", &key)]).await.err().unwrap();
        assert_eq!((refusal.status.as_u16(), &refusal.body["error"]["code"]), (status, &json!(code)));
    }
    let refusal =
        JsonSocket::open(&server, STREAM, &[("authorization", "Bearer sk_no")]).await.err().unwrap();
    assert_eq!(refusal.status, StatusCode::UNAUTHORIZED);
}
