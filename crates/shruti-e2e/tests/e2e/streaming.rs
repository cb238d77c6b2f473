//! Tests of streaming clips: early first bytes, bounded memory, and the end of synthesis when the client
//! disconnects.

use http::StatusCode;
use serde_json::json;
use shruti_testkit::{Audio, RawConnection, TestServer, raw};

use crate::long_text;

#[tokio::test]
async fn the_first_bytes_arrive_before_five_percent_are_rendered() {
    let server = TestServer::start().await;
    let long = json!({"text": long_text(5_000)}).to_string();
    let mut reader = RawConnection::open_small(server.address).await;
    reader.send(raw::post_tts(&server.key, &long)).await;
    let (status, _) = reader.read_head().await;
    assert_eq!(status, StatusCode::OK);
    let first = reader.read_chunk().await.unwrap();
    let rendered = server.engine.stats().samples;
    Audio::from_bytes(&first);

    let mut total = first.len();
    while let Some(chunk) = reader.read_chunk().await.filter(|chunk| !chunk.is_empty()) {
        assert_eq!(chunk.len() % 2, 0, "whole samples");
        total += chunk.len();
    }
    let total = (total / 2) as u64;
    assert!(rendered * 20 < total, "{rendered} of {total} samples were rendered");
    assert_eq!(server.engine.stats().samples, total);
}

#[tokio::test]
async fn a_stalled_reader_holds_little_memory() {
    let server = TestServer::start().await;
    let long = json!({"text": long_text(5_000)}).to_string();
    let mut stalled = RawConnection::open_small(server.address).await;
    stalled.send(raw::post_tts(&server.key, &long)).await;
    stalled.read_head().await;
    // while these clips are rendered, the stalled clip has enough time to reach its maximum lead
    let mut of_others = 0;
    for _ in 0..5 {
        of_others += server.client().post(long.clone()).await.audio().samples.len() as u64;
    }
    let bytes_held = (server.engine.stats().samples - of_others) * 2;
    assert!(bytes_held < 256 * 1024, "{bytes_held} bytes of sound are buffered for a stalled reader");
    assert_eq!(server.engine.stats().active, 1);
    drop(stalled);
    server.idle().await;
    assert_eq!(server.engine.stats().cancelled, 1);
}

#[tokio::test]
async fn a_stalled_reader_is_disconnected_eventually() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.stalled_reader = std::time::Duration::from_millis(50))
        .start()
        .await;
    let long = json!({"text": long_text(5_000)}).to_string();
    let mut stalled = RawConnection::open_small(server.address).await;
    stalled.send(raw::post_tts(&server.key, &long)).await;
    let (_, headers) = stalled.read_head().await;
    server.idle().await;
    let (_, end) = stalled.read_body(&headers).await;
    assert_eq!(end, raw::End::CutOff, "a truncated clip does not look complete");
}

#[tokio::test]
async fn streaming_limits_apply_over_http_2() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.stalled_reader = std::time::Duration::from_millis(50))
        .start()
        .await;
    let client = server.client().over_http2();
    let long = json!({"text": long_text(5_000)}).to_string();
    let request = client.request(http::Method::POST, "/v1/tts", long);
    // the flow-control window of the stream fills up, because nobody reads
    let stalled = client.open(request).await;
    assert_eq!(stalled.version(), http::Version::HTTP_2);
    server.idle().await;
    assert_eq!(server.engine.stats().cancelled, 1);
    client.post(r#"{"text":"hello"}"#).await.audio().assert_speech("the connection stays open");
}

#[tokio::test]
async fn a_disconnected_listener_ends_the_work() {
    let server = TestServer::start().await;
    let long = json!({"text": long_text(5_000)}).to_string();
    for http2 in [false, true] {
        let client = if http2 { server.client().over_http2() } else { server.client() };
        let response = client.open(client.request(http::Method::POST, "/v1/tts", long.clone())).await;
        assert_eq!(response.status(), StatusCode::OK);
        drop(response);
        server.idle().await;
    }
    let stats = server.engine.stats();
    assert_eq!((stats.cancelled, stats.completed), (2, 0));
    // each clip would have 14 MB of audio if it were rendered completely
    assert!(stats.samples < 2_000_000, "{} samples were rendered without a listener", stats.samples);
}
