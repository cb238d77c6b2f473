//! Tests of responses while another connection has locked the database, or after the database has been deleted.

use std::fs;

use http::StatusCode;
use rusqlite::Connection;
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::KeySpec;
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{Reply, TestServer};
use tokio::time::timeout;

/// Repeats a request until its response meets a condition.
async fn until(mut ask: impl AsyncFnMut() -> Reply, is_right: impl Fn(&Reply) -> bool) -> Reply {
    let asking = async {
        loop {
            let reply = ask().await;
            if is_right(&reply) {
                return reply;
            }
        }
    };
    timeout(PATIENCE, asking).await.expect("the expected response never arrives")
}

#[tokio::test(flavor = "multi_thread")]
async fn while_another_process_writes_reads_succeed_and_writes_are_rejected() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 100_000).await;
    let metered = server.create_key_of(&account, KeySpec::named("a")).await;
    let fresh = server.create_key_of(&account, KeySpec::named("b")).await;
    let metered = server.client().with_key(Some(metered.secret.reveal()));
    let fresh = server.client().with_key(Some(fresh.secret.reveal()));
    metered.speak(&json!({"text": "hello"})).await;
    let token = server.client().token().await;
    let other = Connection::open(server.data_dir().join("shruti.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    server.client().speak(&json!({"text": "hello"})).await.assert_speech("a key without an allowance");
    metered
        .speak(&json!({"text": "hello again"}))
        .await
        .assert_speech("the granted allowance can still be used");
    let hello = r#"{"text":"hello"}"#;
    for refused in [
        fresh.post(hello).await,
        server.client().with_key(Some(&token)).post(hello).await,
        server.client().send(server.client().request(http::Method::POST, "/v1/tokens", "{}")).await,
    ] {
        refused.assert_error(ErrorCode::Overloaded);
        assert_eq!(refused.header("retry-after"), "1");
    }
    assert_eq!(server.client().get("/readyz").await.status, StatusCode::OK);

    drop(other);
    fresh.speak(&json!({"text": "hello"})).await.assert_speech("the lock was released");
    server
        .client()
        .with_key(Some(&token))
        .speak(&json!({"text": "hello"}))
        .await
        .assert_speech("not used up");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_or_damaged_database_makes_the_server_unready() {
    let server = TestServer::start().await;
    let client = server.client();
    client.speak(&json!({"text": "hello"})).await;
    let file = server.data_dir().join("shruti.db");
    let aside = server.data_dir().join("aside");
    let is_ready = |reply: &Reply| reply.status == StatusCode::OK;
    let is_not = |reply: &Reply| reply.status == StatusCode::SERVICE_UNAVAILABLE;
    fs::rename(&file, &aside).unwrap();
    until(async || client.get("/readyz").await, is_not).await.assert_error(ErrorCode::Overloaded);
    assert_eq!(client.get("/healthz").await.status, StatusCode::OK, "the process is healthy");
    // synthesis is refused only after the cached key has expired
    let refused = until(async || client.post(r#"{"text":"hello"}"#).await, is_not).await;
    refused.assert_error(ErrorCode::Overloaded);
    fs::rename(&aside, &file).unwrap();
    until(async || client.get("/readyz").await, is_ready).await;
    client.speak(&json!({"text": "hello"})).await.assert_speech("the store is available again");

    // checkpoint first, because data in the write-ahead log would be read from there
    server.store.checkpoint().await.unwrap();
    let sound = fs::read(&file).unwrap();
    fs::write(&file, vec![0x5a; sound.len()]).unwrap();
    until(async || client.get("/readyz").await, is_not).await.assert_error(ErrorCode::Overloaded);
    fs::write(&file, sound).unwrap();
    until(async || client.get("/readyz").await, is_ready).await;
}
