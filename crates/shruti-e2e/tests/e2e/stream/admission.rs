//! Tests of the conditions for accepting an upgrade, and of the time for which a key may open turns.

use http::StatusCode;
use serde_json::json;
use shruti_clock::{Clock, SystemClock};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, EmailAddress, Invitation, KeyCreation, KeySpec};
use shruti_testkit::{RawConnection, Reply, TestServer, raw};

use super::ws_client::WsClient;

/// Returns the response to an upgrade request.
pub(super) async fn upgrade(server: &TestServer, path: &str, key: Option<&str>) -> Reply {
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade(path, key)).await;
    connection.read_reply().await
}

#[tokio::test]
async fn requests_without_a_key_are_rejected_before_the_upgrade() {
    let server = TestServer::start().await;
    let path = "/v1/tts/stream";
    upgrade(&server, path, None).await.assert_error(ErrorCode::MissingApiKey);
    upgrade(&server, path, Some("sk_wrong")).await.assert_error(ErrorCode::InvalidApiKey);
    let lost = server.create_key(KeySpec::named("lost")).await;
    server.store.revoke_key(Actor::Operator, lost.record.prefix, 1).await.unwrap();
    upgrade(&server, path, Some(lost.secret.reveal())).await.assert_error(ErrorCode::RevokedApiKey);
    let in_url = format!("{path}?api_key={}", server.key);
    upgrade(&server, &in_url, None).await.assert_error(ErrorCode::InvalidApiKey);
    upgrade(&server, &in_url, Some(&server.key)).await.assert_error(ErrorCode::InvalidApiKey);
}

#[tokio::test]
async fn a_plain_request_gets_an_upgrade_error() {
    let server = TestServer::start().await;
    let reply = server.client().get("/v1/tts/stream").await;
    reply.assert_error(ErrorCode::WebsocketRequired);
    assert_eq!(reply.status, StatusCode::UPGRADE_REQUIRED);
}

#[tokio::test]
async fn a_revoked_key_opens_no_further_turn() {
    let server = TestServer::start().await;
    let made = server.create_key(KeySpec::named("soon gone")).await;
    let mut ws = WsClient::open_with(&server, made.secret.reveal()).await;
    ws.say(json!({"text": "Before.", "turn_id": "before", "final": true})).await;
    ws.clip("before").await;
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    let error = ws.refused_turn().await;
    assert_eq!((&error["scope"], &error["error"]["code"]), (&json!("session"), &json!("revoked_api_key")));
    assert_eq!(ws.closed().await.0, 4410);
}

#[tokio::test]
async fn a_key_of_a_locked_account_is_forbidden_until_it_is_unlocked() {
    let server = TestServer::start().await;
    let address: EmailAddress = "asha@example.org".parse().unwrap();
    let now_ms = SystemClock::new().now().wall_ms;
    let invited = server.store.invite_account(Actor::Operator, address.clone(), now_ms).await.unwrap();
    let Invitation::Invited(account, _) = invited else { panic!("{invited:?}") };
    let made =
        server.store.create_key(Actor::Account(account.id), KeySpec::named("hers"), now_ms).await.unwrap();
    let KeyCreation::Created(made) = made else { panic!("{made:?}") };
    let (path, key) = ("/v1/tts/stream", made.secret.reveal());
    let client = server.client().with_key(Some(key));
    upgrade(&server, path, Some(key)).await.assert_error(ErrorCode::AccessLocked);
    client.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::AccessLocked);

    // an unlocked key may be cached as locked for a moment
    server.store.unlock_account(Actor::Operator, address.clone(), Some(1_000), now_ms).await.unwrap();
    while client.post(r#"{"text":"a"}"#).await.status != StatusCode::OK {
        tokio::task::yield_now().await;
    }
    let mut ws = WsClient::open_with(&server, key).await;
    server.store.lock_account(Actor::Operator, address, now_ms).await.unwrap();
    let error = ws.refused_turn().await;
    assert_eq!((&error["scope"], &error["error"]["code"]), (&json!("session"), &json!("access_locked")));
    assert_eq!(ws.closed().await.0, 4403);
}
