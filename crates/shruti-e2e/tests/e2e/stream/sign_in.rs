//! Tests of conversations in browsers: opened with a single-use token, from pages that the key allows.

use http::StatusCode;
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, Issuance, KeyLimits, KeySpec, Scope};
use shruti_testkit::{RawConnection, Reply, TestServer, raw};

use super::ws_client::WsClient;

const PATH: &str = "/v1/tts/stream";
const PAGE: &str = "https://shop.example";

fn with_page() -> KeySpec {
    KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") }
}

/// Returns the response to a rejected upgrade.
async fn refused_upgrade(server: &TestServer, query: &str, lines: &[String]) -> Reply {
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade_with(&format!("{PATH}{query}"), lines)).await;
    connection.read_reply().await
}

/// Returns the headers of the response to an accepted upgrade.
async fn accepted_upgrade(server: &TestServer, query: &str, lines: &[String]) -> http::HeaderMap {
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade_with(&format!("{PATH}{query}"), lines)).await;
    let (status, headers) = connection.read_head().await;
    assert_eq!(status, StatusCode::SWITCHING_PROTOCOLS, "{lines:?}");
    headers
}

#[tokio::test]
async fn a_token_in_any_position_opens_one_conversation() {
    let server = TestServer::start().await;
    let client = server.client();
    for place in ["query", "subprotocol", "header"] {
        let token = client.token().await;
        let (query, protocol) = (format!("?token={token}"), format!("tts.v1, token.{token}"));
        let bearer = format!("Bearer {token}");
        let mut ws = match place {
            "query" => WsClient::open_by(&server, &query, &[]).await,
            "subprotocol" => WsClient::open_by(&server, "", &[("sec-websocket-protocol", &protocol)]).await,
            _ => WsClient::open_by(&server, "", &[("authorization", &bearer)]).await,
        };
        for turn in ["a", "b"] {
            ws.say(json!({"text": "Hello there.", "turn_id": turn, "final": true})).await;
            assert_eq!(ws.clip(turn).await.done["reason"], "complete", "{place}");
        }
        for (query, lines) in [
            (query.clone(), vec![]),
            (String::new(), vec![format!("sec-websocket-protocol: {protocol}")]),
            (String::new(), vec![format!("authorization: {bearer}")]),
        ] {
            let refused = refused_upgrade(&server, &query, &lines).await;
            let error = refused.assert_error(ErrorCode::InvalidToken);
            assert!(!error.to_string().contains("tok_"), "no token is repeated: {error}");
        }
    }
}

#[tokio::test]
async fn the_response_names_the_protocol_and_not_the_token() {
    let server = TestServer::start().await;
    let token = server.client().token().await;
    let headers =
        accepted_upgrade(&server, "", &[format!("sec-websocket-protocol: tts.v1, token.{token}")]).await;
    let chosen: Vec<_> = headers.get_all("sec-websocket-protocol").iter().collect();
    assert_eq!(chosen, ["tts.v1"]);
    assert!(!format!("{headers:?}").contains(&token));
    let token = server.client().token().await;
    let headers = accepted_upgrade(&server, &format!("?token={token}"), &[]).await;
    assert!(!headers.contains_key("sec-websocket-protocol"), "none was offered");
}

#[tokio::test]
async fn only_one_upgrade_per_token_is_accepted() {
    let server = TestServer::start().await;
    let token = server.client().token().await;
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (address, token) = (server.address, token.clone());
        tries.spawn(async move {
            let (query, line) = match i % 2 {
                0 => (format!("?token={token}"), vec![]),
                _ => (String::new(), vec![format!("sec-websocket-protocol: tts.v1,token.{token}")]),
            };
            let mut connection = RawConnection::open(address).await;
            connection.send(raw::upgrade_with(&format!("{PATH}{query}"), &line)).await;
            let (status, headers) = connection.read_head().await;
            if status == StatusCode::SWITCHING_PROTOCOLS {
                return true;
            }
            let (body, _) = connection.read_body(&headers).await;
            Reply { status, headers, body }.assert_error(ErrorCode::InvalidToken);
            false
        });
    }
    let let_in = tries.join_all().await.into_iter().filter(|&let_in| let_in).count();
    assert_eq!(let_in, 1);
}

#[tokio::test]
async fn invalid_tokens_are_rejected() {
    let server = TestServer::start().await;
    let key = server.store.list_keys(Actor::Operator).await.unwrap()[0].prefix.clone();
    let Issuance::Issued(old) = server.store.issue_token(key, 1).await.unwrap() else { panic!() };
    let never_made = format!("tok_{}", "a".repeat(40));
    for token in [old.secret.reveal(), &never_made, "tok_", "x", "", "tok_%zz"] {
        refused_upgrade(&server, &format!("?token={token}"), &[]).await.assert_error(ErrorCode::InvalidToken);
    }
    for offer in [&never_made, "", "x"] {
        let line = format!("sec-websocket-protocol: tts.v1, token.{offer}");
        refused_upgrade(&server, "", &[line]).await.assert_error(ErrorCode::InvalidToken);
    }
    let key_as_token = format!("sec-websocket-protocol: tts.v1, token.{}", server.key);
    refused_upgrade(&server, "", &[key_as_token]).await.assert_error(ErrorCode::InvalidToken);
    let key_in_url = format!("?token={}", server.key);
    refused_upgrade(&server, &key_in_url, &[]).await.assert_error(ErrorCode::InvalidApiKey);
}

#[tokio::test]
async fn a_token_rejected_for_another_reason_remains_valid() {
    let server = TestServer::builder().config(|config| config.max_streams = 1).start().await;
    let token = server.create_key(with_page()).await;
    let token = server.client().with_key(Some(token.secret.reveal())).token().await;
    let query = format!("?token={token}");
    let plain = server.client().with_key(None).get(&format!("{PATH}{query}")).await;
    plain.assert_error(ErrorCode::WebsocketRequired);
    let elsewhere = vec!["origin: https://elsewhere.example".to_owned()];
    refused_upgrade(&server, &query, &elsewhere).await.assert_error(ErrorCode::OriginNotAllowed);
    let alone = vec![format!("sec-websocket-protocol: token.{token}")];
    let error = refused_upgrade(&server, "", &alone).await.assert_error(ErrorCode::InvalidField);
    assert_eq!(error["param"], "sec-websocket-protocol");
    let both = vec![format!("authorization: Bearer {}", server.key)];
    refused_upgrade(&server, &query, &both).await.assert_error(ErrorCode::InvalidToken);
    let full = WsClient::open(&server).await;
    refused_upgrade(&server, &query, &[]).await.assert_error(ErrorCode::Overloaded);
    drop(full);
    // the stream is released once the server has seen the end of the connection
    let entered = async {
        loop {
            let mut connection = RawConnection::open(server.address).await;
            connection.send(raw::upgrade_with(&format!("{PATH}{query}"), &[format!("origin: {PAGE}")])).await;
            let (status, headers) = connection.read_head().await;
            if status == StatusCode::SWITCHING_PROTOCOLS {
                return;
            }
            let (body, _) = connection.read_body(&headers).await;
            Reply { status, headers, body }.assert_error(ErrorCode::Overloaded);
        }
    };
    tokio::time::timeout(super::ws_client::PATIENCE, entered).await.expect("the stream is not released");
    refused_upgrade(&server, &query, &[]).await.assert_error(ErrorCode::InvalidToken);
}

#[tokio::test]
async fn only_origins_allowed_by_the_key_are_accepted() {
    let server = TestServer::start().await;
    let paged = server.create_key(with_page()).await.secret;
    let own = format!("http://{}", server.address);
    let host = format!("host: {}", server.address);
    for (key, origin, allowed) in [
        (paged.reveal(), PAGE, true),
        (paged.reveal(), "HTTPS://shop.example:443", true),
        (paged.reveal(), "http://shop.example", false),
        (paged.reveal(), "https://shop.example:8443", false),
        (paged.reveal(), "https://www.shop.example", false),
        (paged.reveal(), "null", false),
        (paged.reveal(), own.as_str(), true),
        (server.key.as_str(), PAGE, false),
        (server.key.as_str(), "null", false),
        (server.key.as_str(), own.as_str(), true),
    ] {
        let token = server.client().with_key(Some(key)).token().await;
        for (query, sign_in) in [
            (String::new(), format!("authorization: Bearer {key}")),
            (format!("?token={token}"), "a: b".into()),
        ] {
            // the origin has the same host as the request, as it does for the server's own pages
            let lines = [format!("origin: {origin}"), sign_in];
            let request =
                raw::upgrade_with(&format!("{PATH}{query}"), &lines).replace("host: localhost", &host);
            let mut connection = RawConnection::open(server.address).await;
            connection.send(request).await;
            let (status, headers) = connection.read_head().await;
            if allowed {
                assert_eq!(status, StatusCode::SWITCHING_PROTOCOLS, "{origin}");
            } else {
                let (body, _) = connection.read_body(&headers).await;
                Reply { status, headers, body }.assert_error(ErrorCode::OriginNotAllowed);
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_opened_with_a_token_belongs_to_its_key() {
    let server = TestServer::start().await;
    let limits = KeyLimits { rate: Some(0.01), burst: Some(4), streams: Some(1) };
    let made = server.create_key(KeySpec { limits, ..with_page() }).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    let (first, second) = (client.token().await, client.token().await);
    let mut ws = WsClient::open_by(&server, &format!("?token={first}"), &[]).await;
    let refused = refused_upgrade(&server, &format!("?token={second}"), &[]).await;
    refused.assert_error(ErrorCode::ConcurrencyLimited);
    assert_eq!(refused.header("ratelimit-remaining"), "0", "two tokens, two upgrades");
    let refused = refused_upgrade(&server, &format!("?token={second}"), &[]).await;
    refused.assert_error(ErrorCode::RateLimited);

    ws.say(json!({"text": "Before.", "turn_id": "before", "final": true})).await;
    ws.clip("before").await;
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    refused_upgrade(&server, &format!("?token={second}"), &[]).await.assert_error(ErrorCode::InvalidToken);
    let error = ws.refused_turn().await;
    assert_eq!((&error["scope"], &error["error"]["code"]), (&json!("session"), &json!("revoked_api_key")));
    assert_eq!(ws.closed().await.0, 4410);
}

#[tokio::test]
async fn a_key_without_permission_creates_no_token() {
    let server = TestServer::start().await;
    let spec = KeySpec { scopes: vec![Scope::UsageRead], ..KeySpec::named("reader") };
    let reader = server.create_key(spec).await;
    let client = server.client().with_key(Some(reader.secret.reveal()));
    let reply = client.send(client.request(http::Method::POST, "/v1/tokens", "")).await;
    reply.assert_error(ErrorCode::InsufficientScope);
}
