//! Tests of clients that do not use TLS or have not completed the handshake.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use shruti_protocol::ErrorCode;
use shruti_testkit::{Client, RawConnection, TestServer, raw};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::trusting_server;

/// The beginning of a handshake that is never completed.
const HALF: [u8; 5] = [0x16, 3, 1, 2, 0];

async fn is_served(server: &TestServer) {
    let mut connection = RawConnection::open_secure(server.address, trusting_server(server)).await;
    connection.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(connection.read_reply().await.status, StatusCode::OK);
}

#[tokio::test]
async fn plain_http_requests_get_an_error_that_names_https() {
    let server = TestServer::builder().tls().start().await;
    let client = Client::new(server.address, &server.key);
    let long = serde_json::json!({"text": "a".repeat(50_000)}).to_string();
    let post = client.request(http::Method::POST, "/v1/tts", long);
    let (parts, body) = client.open(post).await.into_parts();
    let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
    let reply = shruti_testkit::Reply { status: parts.status, headers: parts.headers, body };
    let error = reply.assert_error(ErrorCode::HttpsRequired);
    assert!(error["message"].as_str().unwrap().contains("this port speaks HTTPS"), "{error}");
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade("/v1/tts/stream", Some(&server.key))).await;
    connection.read_reply().await.assert_error(ErrorCode::HttpsRequired);
    assert!(connection.read_to_end().await.is_empty());
    is_served(&server).await;
}

#[tokio::test]
async fn stalled_handshakes_delay_no_other() {
    let server = TestServer::builder().tls().start().await;
    let mut stalled = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(&HALF[..n % HALF.len()]).await.unwrap();
        stalled.push(stream);
    }
    is_served(&server).await;
}

#[tokio::test]
async fn a_slow_handshake_times_out() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.handshake = Duration::from_millis(50))
        .tls()
        .start()
        .await;
    for begun in [&HALF[..], &[], b"GET / HTTP/1.1\r\n"] {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(begun).await;
        // the server ends the connection, possibly after an alert
        connection.read_to_end().await;
    }
}

#[tokio::test]
async fn the_oldest_handshake_is_evicted_above_the_limit() {
    let server = TestServer::builder()
        .config(|config| {
            config.max_handshakes = 2;
            config.timeouts.handshake = Duration::from_hours(1);
        })
        .tls()
        .start()
        .await;
    let mut first = RawConnection::open(server.address).await;
    first.send(HALF).await;
    let mut others = Vec::new();
    for _ in 0..2 {
        let mut other = RawConnection::open(server.address).await;
        other.send(HALF).await;
        others.push(other);
    }
    assert!(first.read_to_end().await.is_empty());
    is_served(&server).await;
}

#[tokio::test]
async fn bytes_that_are_neither_tls_nor_http_close_the_connection() {
    let server = TestServer::builder().tls().start().await;
    for nonsense in [&b"\0\0\0\0\0\0\0\0"[..], b"\x16\x03\x01\0\x05hello", b"hello", &[0x80; 100]] {
        let mut connection = RawConnection::open(server.address).await;
        connection.send_leniently(nonsense).await;
        connection.read_to_end().await;
    }
    is_served(&server).await;
}

#[tokio::test]
async fn a_client_that_disconnects_during_the_handshake_is_cleaned_up() {
    let server = TestServer::builder().tls().start().await;
    let config = trusting_server(&server);
    for _ in 0..20 {
        let mut connection = RawConnection::open_secure(server.address, Arc::clone(&config)).await;
        let body = serde_json::json!({"text": crate::long_text(4_000)}).to_string();
        connection.send(raw::post_tts(&server.key, &body)).await;
        connection.read_head().await;
    }
    server.idle().await;
}
