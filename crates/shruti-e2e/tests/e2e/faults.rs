//! Tests of voices that fail before or after the first byte, and while other streams are active.

use http::StatusCode;
use serde_json::json;
use shruti_engine::Engine;
use shruti_protocol::ErrorCode;
use shruti_testkit::{FaultyBackend, RawConnection, SimulatedFailure, TestServer, raw};

async fn server(failure: SimulatedFailure) -> TestServer {
    TestServer::builder().start_with(Engine::builder().backend(FaultyBackend::new(failure))).await
}

#[tokio::test]
async fn a_fault_before_the_first_byte_returns_an_error() {
    for failure in [
        SimulatedFailure::ErrorInPrepare,
        SimulatedFailure::PanicInPrepare,
        SimulatedFailure::ErrorAfter(0),
        SimulatedFailure::PanicAfter(0),
    ] {
        let server = server(failure).await;
        for _ in 0..3 {
            let error = server.client().post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::Internal);
            assert!(
                !error.to_string().contains("told"),
                "{failure:?}: internal details are not exposed: {error}"
            );
        }
        server.idle().await;
        assert_eq!(server.client().get("/healthz").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_fault_after_the_first_byte_aborts_the_connection() {
    for failure in [SimulatedFailure::ErrorAfter(20), SimulatedFailure::PanicAfter(20)] {
        let server = server(failure).await;
        let mut connection = RawConnection::open(server.address).await;
        connection.send(raw::post_tts(&server.key, r#"{"text":"a"}"#)).await;
        let (status, headers) = connection.read_head().await;
        assert_eq!(status, StatusCode::OK);
        let (body, end) = connection.read_body(&headers).await;
        assert!(!body.is_empty(), "{failure:?}");
        assert_eq!(end, raw::End::CutOff, "{failure:?}: no closing chunk");
        server.idle().await;

        let client = server.client().over_http2();
        let response = client.open(client.request(http::Method::POST, "/v1/tts", r#"{"text":"a"}"#)).await;
        let (_, body) = response.into_parts();
        let collected = http_body_util::BodyExt::collect(body).await;
        assert!(collected.is_err(), "{failure:?}: the stream is reset");
        assert_eq!(client.get("/healthz").await.status, StatusCode::OK, "the connection stays open");
    }
}

#[tokio::test]
async fn draining_rejects_new_work_and_finishes_running_work() {
    let mut server = TestServer::start().await;
    let long = json!({"text": crate::long_text(5_000)}).to_string();
    let expected = server.client().post(long.clone()).await.body;
    let mut running = RawConnection::open_small(server.address).await;
    running.send(raw::post_tts(&server.key, &long)).await;
    let (_, headers) = running.read_head().await;
    assert_eq!(server.client().get("/readyz").await.status, StatusCode::OK);

    server.begin_shutdown();
    let client = server.client();
    while client.get("/readyz").await.status == StatusCode::OK {}
    let not_ready = client.get("/readyz").await;
    not_ready.assert_error(ErrorCode::Draining);
    assert_eq!(not_ready.header("connection"), "close");
    assert_eq!(client.get("/healthz").await.status, StatusCode::OK, "healthy until the end");
    client.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::Draining);

    let (body, end) = running.read_body(&headers).await;
    assert_eq!(end, raw::End::Whole);
    assert_eq!(body, expected);
    server.stop().await;
}

#[tokio::test]
async fn a_drain_has_a_timeout() {
    let mut server = TestServer::builder()
        .config(|config| config.timeouts.drain = std::time::Duration::from_millis(50))
        .start()
        .await;
    let long = json!({"text": crate::long_text(5_000)}).to_string();
    let mut running = RawConnection::open_small(server.address).await;
    running.send(raw::post_tts(&server.key, &long)).await;
    let (_, headers) = running.read_head().await;
    server.begin_shutdown();
    server.stop().await;
    let (_, end) = running.read_body(&headers).await;
    assert_eq!(end, raw::End::CutOff);
}
