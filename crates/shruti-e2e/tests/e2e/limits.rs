//! Tests of the limits of keys and of the server.

use http::StatusCode;
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{KeyLimits, KeySpec};
use shruti_testkit::{RawConnection, TestServer, raw};

use crate::long_text;

#[tokio::test]
async fn the_rate_limit_of_a_key_is_enforced_and_reported() {
    let server = TestServer::start().await;
    // one request per hundred seconds, so that no further request is allowed during the test
    let limits = KeyLimits { rate: Some(0.01), burst: Some(3), streams: None };
    let made = server.create_key(KeySpec { limits, ..KeySpec::named("slow") }).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    for remaining in ["2", "1"] {
        let reply = client.post(r#"{"text":"a"}"#).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!((reply.header("ratelimit-limit"), reply.header("ratelimit-remaining")), ("3", remaining));
    }
    let failed = client.post("{}").await;
    failed.assert_error(ErrorCode::MissingField);
    assert_eq!(failed.header("ratelimit-remaining"), "0", "a failed request counts as a request");
    assert_eq!(failed.header("ratelimit-reset"), "300");
    let refused = client.post(r#"{"text":"a"}"#).await;
    let error = refused.assert_error(ErrorCode::RateLimited);
    assert!(error["retry_after_ms"].as_u64().is_some_and(|ms| (95_000..=100_000).contains(&ms)), "{error}");
    assert_eq!(refused.header("ratelimit-remaining"), "0");
    server.client().post(r#"{"text":"a"}"#).await.audio();
}

#[tokio::test]
async fn streams_of_a_key_count_until_they_end() {
    let server = TestServer::start().await;
    let limits = KeyLimits { streams: Some(1), ..KeyLimits::default() };
    let made = server.create_key(KeySpec { limits, ..KeySpec::named("one at a time") }).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    let long = json!({"text": long_text(5_000)}).to_string();
    let mut reader = RawConnection::open_small(server.address).await;
    reader.send(raw::post_tts(made.secret.reveal(), &long)).await;
    reader.read_head().await;
    client.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::ConcurrencyLimited);
    server.client().post(r#"{"text":"a"}"#).await.audio();
    drop(reader);
    server.idle().await;
    client.post(r#"{"text":"a"}"#).await.audio();
}

#[tokio::test]
async fn a_full_server_rejects_immediately() {
    let long = json!({"text": long_text(5_000)}).to_string();
    for (what, builder) in [
        ("streams", TestServer::builder().config(|config| config.max_streams = 1)),
        ("speeches", TestServer::builder().max_speeches(1)),
    ] {
        let server = builder.start().await;
        let mut reader = RawConnection::open_small(server.address).await;
        reader.send(raw::post_tts(&server.key, &long)).await;
        reader.read_head().await;
        let error = server.client().post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::Overloaded);
        assert!(error["retry_after_ms"].as_u64().is_some(), "{what}: {error}");
        assert_eq!(server.client().get("/healthz").await.status, StatusCode::OK);
        drop(reader);
        server.idle().await;
        server.client().post(r#"{"text":"a"}"#).await.audio();
    }
}
