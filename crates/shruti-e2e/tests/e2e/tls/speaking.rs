//! Tests that the API works the same over TLS as over plain HTTP.

use std::sync::Arc;

use http::StatusCode;
use rustls::HandshakeKind;
use rustls::version::{TLS12, TLS13};
use serde_json::json;
use shruti_client::{Client, Event};
use shruti_protocol::{ErrorCode, SynthesisRequest};
use shruti_testkit::raw::End;
use shruti_testkit::{Audio, RawConnection, TestServer, raw};

use super::{client, trusting, trusting_by, trusting_server};

const TEXT: &str = "नमस्ते, आप कैसे हैं? सब ठीक है।";

/// Returns the samples of the text from a server without TLS.
async fn plain() -> Audio {
    TestServer::start().await.client().speak(&json!({"text": TEXT})).await
}

async fn speak(client: &Client) -> Audio {
    let mut clip = client.speak(&SynthesisRequest::new(TEXT)).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(samples) = clip.next().await {
        bytes.extend_from_slice(&samples.unwrap());
    }
    Audio::from_bytes(&bytes)
}

#[tokio::test]
async fn clips_over_tls_match_plain_clips_in_both_http_versions() {
    let server = TestServer::builder().tls().start().await;
    let alone = plain().await;
    assert_eq!(speak(&client(&server)).await, alone, "HTTP/2");
    let mut connection = RawConnection::open_secure(server.address, trusting_server(&server)).await;
    assert_eq!(connection.tls().alpn_protocol(), Some(&b"http/1.1"[..]));
    for _ in 0..2 {
        let body = json!({"text": TEXT}).to_string();
        connection.send(raw::post_tts(&server.key, &body)).await;
        assert_eq!(connection.read_reply().await.audio(), alone, "HTTP/1.1");
        connection.send(raw::post_tts(&server.key, "{}")).await;
        connection.read_reply().await.assert_error(ErrorCode::MissingField);
    }
}

#[tokio::test]
async fn http_2_is_negotiated_if_the_client_offers_it() {
    let server = TestServer::builder().tls().start().await;
    let config = Arc::new(trusting(&server.certificate(), b"h2"));
    let connection = RawConnection::open_secure(server.address, config).await;
    assert_eq!(connection.tls().alpn_protocol(), Some(&b"h2"[..]));
}

#[tokio::test]
async fn a_conversation_works_over_tls() {
    let server = TestServer::builder().tls().start().await;
    let mut conversation = client(&server).converse().await.unwrap();
    let turn = conversation.begin("नमस्ते, आप ").await.unwrap();
    conversation.append(&turn, "कैसे हैं? सब ठीक है।").await.unwrap();
    conversation.end(&turn).await.unwrap();
    let mut bytes = Vec::new();
    loop {
        match conversation.next().await.unwrap().unwrap() {
            Event::Audio { samples, .. } => bytes.extend_from_slice(&samples),
            Event::Done(_) => break,
            _ => {}
        }
    }
    assert_eq!(Audio::from_bytes(&bytes), plain().await);

    conversation.begin(&crate::long_text(2_000)).await.unwrap();
    while !matches!(conversation.next().await.unwrap().unwrap(), Event::Audio { .. }) {}
    let cancelled = conversation.barge_in(None).await.unwrap();
    assert!(!cancelled.unheard_text.is_empty());
    server.idle().await;
}

#[tokio::test]
async fn a_session_is_resumed() {
    let server = TestServer::builder().tls().start().await;
    for version in [&TLS13, &TLS12] {
        let only = Arc::new(trusting_by(&[version], &server.certificate(), b"http/1.1"));
        for expected in [HandshakeKind::Full, HandshakeKind::Resumed, HandshakeKind::Resumed] {
            let mut connection = RawConnection::open_secure(server.address, Arc::clone(&only)).await;
            connection.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
            // reading the response also reads the session tickets; they arrive before the response
            assert_eq!(connection.read_reply().await.status, StatusCode::OK);
            assert_eq!(connection.tls().handshake_kind(), Some(expected), "{version:?}");
            assert_eq!(connection.tls().protocol_version(), Some(version.version));
        }
    }
}

#[tokio::test]
async fn a_missing_head_is_answered_inside_tls() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.head = std::time::Duration::from_millis(50))
        .tls()
        .start()
        .await;
    let mut connection = RawConnection::open_secure(server.address, trusting_server(&server)).await;
    connection.send("GET /heal").await;
    connection.read_reply().await.assert_error(ErrorCode::RequestTimeout);
}

#[tokio::test]
async fn a_clip_completes_while_the_server_drains() {
    let mut server = TestServer::builder().tls().start().await;
    let mut connection = RawConnection::open_secure(server.address, trusting_server(&server)).await;
    let body = json!({"text": crate::long_text(4_000)}).to_string();
    connection.send(raw::post_tts(&server.key, &body)).await;
    let (status, headers) = connection.read_head().await;
    assert_eq!(status, StatusCode::OK);
    server.begin_shutdown();
    let (bytes, end) = connection.read_body(&headers).await;
    assert!(end == End::Whole && bytes.len() > 1_000_000, "{} bytes", bytes.len());
    server.stop().await;
}
