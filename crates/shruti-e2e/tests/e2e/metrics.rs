//! Tests of the server's metrics.

use http::Method;
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_testkit::{RawConnection, TestServer, raw};

use crate::stream::ws_client::WsClient;
use crate::tls::trusting_server;

/// Returns the value of the metric with this name and labels.
fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
}

async fn read(server: &TestServer) -> String {
    let reply = server.client().with_key(None).get("/metrics").await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-type").starts_with("application/openmetrics-text"));
    String::from_utf8(reply.body.to_vec()).unwrap()
}

#[tokio::test]
async fn work_is_counted_without_labels_from_client_input() {
    let server = TestServer::start().await;
    assert_eq!(server.client().post(r#"{"text":"One clip."}"#).await.status, 200);
    server.client().post(r#"{"text":"a","speed":9}"#).await.assert_error(ErrorCode::InvalidField);
    server.client().get("/secret-path").await.assert_error(ErrorCode::NotFound);
    for path in
        ["/docs/languages", "/docs/http", "/studio/keys", "/studio/assets/theme.js", "/studio/secret-page"]
    {
        assert_eq!(server.client().get(path).await.status, 200, "{path}");
    }
    let mut ws = WsClient::open(&server).await;
    ws.say(json!({"text": "One turn.", "turn_id": "whole", "final": true})).await;
    ws.message_of("turn.done").await;
    ws.say(json!({"text": "Another, that stays open. ", "turn_id": "secret-turn"})).await;
    ws.sound().await;
    ws.say(json!({"type": "cancel", "turn_id": "secret-turn"})).await;
    ws.message_of("turn.cancelled").await;
    ws.say(json!({"type": "dance"})).await;
    ws.message_of("error").await;

    let text = read(&server).await;
    for (name, count) in [
        (r#"shruti_requests_total{path="/v1/tts",status="200"}"#, 1.0),
        (r#"shruti_requests_total{path="/v1/tts",status="400"}"#, 1.0),
        (r#"shruti_requests_total{path="/v1/tts/stream",status="101"}"#, 1.0),
        (r#"shruti_requests_total{path="/docs/{page}",status="200"}"#, 2.0),
        (r#"shruti_requests_total{path="/studio/{*page}",status="200"}"#, 2.0),
        (r#"shruti_requests_total{path="/studio/assets/{*name}",status="200"}"#, 1.0),
        (r#"shruti_requests_total{path="other",status="404"}"#, 1.0),
        (r#"shruti_errors_total{code="invalid_field"}"#, 2.0),
        (r#"shruti_errors_total{code="not_found"}"#, 1.0),
        (r#"shruti_first_audio_seconds_count{api="clip"}"#, 1.0),
        (r#"shruti_first_audio_seconds_count{api="turn"}"#, 1.0),
        ("shruti_cancel_seconds_count", 1.0),
        ("shruti_lead_seconds_count", 1.0),
        ("shruti_underruns_total", 0.0),
        ("shruti_streams", 1.0),
        ("shruti_max_streams", 1_000.0),
        ("shruti_speeches", 0.0),
        ("shruti_speeches_completed_total", 2.0),
        ("shruti_speeches_cancelled_total", 1.0),
        ("shruti_speeches_broken_total", 0.0),
    ] {
        assert_eq!(value(&text, name), count, "{name}");
    }
    assert!(value(&text, "shruti_audio_seconds_total") > 1.0);
    assert!(value(&text, r#"shruti_first_audio_seconds_sum{api="clip"}"#) > 0.0);
    assert!(!text.contains("secret") && !text.contains(&server.key[..10]), "{text}");
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn responses_before_a_complete_request_are_counted() {
    let short = std::time::Duration::from_millis(50);
    let server = TestServer::builder().config(|config| config.timeouts.head = short).start().await;
    for (sent, code) in [("GET /", ErrorCode::RequestTimeout), ("GET /\r\n\r\n", ErrorCode::MalformedRequest)]
    {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(sent).await;
        connection.read_reply().await.assert_error(code);
        let name = format!(r#"shruti_errors_total{{code="{}"}}"#, code.as_str());
        assert_eq!(value(&read(&server).await, &name), 1.0, "{code}");
    }

    let server = TestServer::builder().tls().start().await;
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade("/v1/tts/stream", Some(&server.key))).await;
    connection.read_reply().await.assert_error(ErrorCode::HttpsRequired);
    let mut connection = RawConnection::open_secure(server.address, trusting_server(&server)).await;
    connection.send("GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let text = String::from_utf8(connection.read_reply().await.body.to_vec()).unwrap();
    assert_eq!(value(&text, r#"shruti_errors_total{code="https_required"}"#), 1.0);
}

#[tokio::test]
async fn clients_outside_the_allowed_networks_get_no_metrics() {
    let server = TestServer::start().await;
    let mut through_proxy = server.client().request(Method::GET, "/metrics", "");
    through_proxy.headers_mut().insert("x-forwarded-for", "198.51.100.7".parse().unwrap());
    server.client().send(through_proxy).await.assert_error(ErrorCode::NotFound);
    let elsewhere =
        TestServer::builder().config(|config| config.metrics_for = "192.0.2.0/24".parse().unwrap());
    let server = elsewhere.start().await;
    server.client().get("/metrics").await.assert_error(ErrorCode::NotFound);
}
