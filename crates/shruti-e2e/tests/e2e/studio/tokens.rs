//! Tests of tokens for the playground, and of the playground that is open to visitors.

use std::sync::Arc;

use http::{HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_service::{OpenPlayground, Visitors};
use shruti_store::{Actor, KeyPurpose, KeyRecord};
use shruti_testkit::{RawConnection, Reply, TestClock, TestServer};

use super::browser::{ASHA, Browser, Expect};
use crate::stream::ws_client::WsClient;

async fn token(browser: &Browser) -> Reply {
    browser.send(browser.request(&Method::POST, "token", "")).await
}

/// Opens a conversation and speaks a text, as the playground does.
async fn talk(server: &TestServer, browser: &Browser, answer: &Value) {
    let protocols = format!("tts.v1, token.{}", answer["token"].as_str().unwrap());
    let headers = [("sec-websocket-protocol", protocols.as_str()), ("origin", &browser.origin)];
    let mut ws = WsClient::open_by(server, "", &headers).await;
    ws.say(json!({"text": "नमस्ते", "turn_id": "a", "final": true})).await;
    assert_eq!(ws.clip("a").await.done["reason"], "complete");
}

async fn playgrounds(server: &TestServer) -> Vec<KeyRecord> {
    let keys = server.store.list_keys(Actor::Operator).await.unwrap();
    keys.into_iter().filter(|key| key.purpose == KeyPurpose::Playground).collect()
}

#[tokio::test]
async fn accounts_with_access_get_tokens_of_one_hidden_key() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let answers = [token(&browser).await.ok(), token(&browser).await.ok()];
    assert_ne!(answers[0]["token"], answers[1]["token"]);
    for answer in &answers {
        assert_eq!(answer["expires_in_ms"], 60_000);
        talk(&server, &browser, answer).await;
    }
    let keys = playgrounds(&server).await;
    assert_eq!(keys.len(), 1);
    assert!(keys[0].account.is_some());
    // the playground key allows only the origin of this server's pages
    let other = token(&browser).await.ok();
    let client = server.client().with_key(other["token"].as_str());
    let refused = client.post_from("https://evil.example", r#"{"text":"hello"}"#).await;
    refused.assert_error(ErrorCode::OriginNotAllowed);
}

#[tokio::test]
async fn accounts_without_access_get_no_tokens() {
    let server = TestServer::start().await;
    let visitor = Browser::new(&server);
    token(&visitor).await.assert_error(ErrorCode::NotSignedIn);
    let locked = Browser::signed_up(&server, ASHA).await;
    let error = token(&locked).await.assert_error(ErrorCode::AccessLocked);
    assert!(error["message"].as_str().unwrap().contains("promo code"), "{error}");
    assert_eq!(playgrounds(&server).await.len(), 0, "no key is created without need");
}

#[tokio::test]
async fn a_closed_playground_issues_no_tokens_until_reopened() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let before = token(&browser).await.ok();
    let prefix = playgrounds(&server).await[0].prefix.clone();
    server.store.revoke_key(Actor::Operator, prefix.clone(), 1).await.unwrap();
    let error = token(&browser).await.assert_error(ErrorCode::AccessLocked);
    assert!(error["message"].as_str().unwrap().contains("closed this playground"), "{error}");
    let client = server.client().with_key(before["token"].as_str());
    client.post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::InvalidToken);
    server.store.reopen_playground(prefix, 1).await.unwrap();
    let answer = token(&browser).await.ok();
    talk(&server, &browser, &answer).await;
}

#[tokio::test]
async fn locking_an_account_ends_its_tokens() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let answer = token(&browser).await.ok();
    server.store.lock_account(Actor::Operator, ASHA.parse().unwrap(), 1).await.unwrap();
    let client = server.client().with_key(answer["token"].as_str());
    client.post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::InvalidToken);
    token(&browser).await.assert_error(ErrorCode::NotSignedIn);
}

#[tokio::test]
async fn visitors_can_synthesize_if_the_playground_is_open() {
    let open = |config: &mut shruti_service::Config| {
        config.open_playground = Some(OpenPlayground { monthly_chars: 7_000, visitors: Visitors::All });
        config.trusted_proxies = "loopback".parse().unwrap();
    };
    let server = TestServer::builder().clock(Arc::new(TestClock::new())).config(open).start().await;
    let visitor = Browser::new(&server);
    assert_eq!(visitor.get("setup").await.ok()["open_playground"], true);
    let answer = token(&visitor).await.ok();
    talk(&server, &visitor, &answer).await;
    let keys = playgrounds(&server).await;
    assert_eq!((keys.len(), &keys[0].account, keys[0].monthly_cap), (1, &None, Some(7_000)));
    assert!(keys[0].limits.streams.is_some() && keys[0].limits.rate.is_some());

    // an account without a promo code has the permissions of a visitor; an account with a promo code has its own
    // playground
    let locked = Browser::signed_up(&server, ASHA).await;
    talk(&server, &locked, &token(&locked).await.ok()).await;
    assert_eq!(playgrounds(&server).await.len(), 1);
    let unlocked = Browser::unlocked(&server, "b@example.org").await;
    talk(&server, &unlocked, &token(&unlocked).await.ok()).await;
    assert_eq!(playgrounds(&server).await.len(), 2);
    let locked_out = Browser::signed_up(&server, "c@example.org").await;
    server.store.lock_account(Actor::Operator, "c@example.org".parse().unwrap(), 1).await.unwrap();
    token(&locked_out).await.ok();

    let from = async |address: &'static str| {
        let mut request = visitor.request(&Method::POST, "token", "");
        request.headers_mut().insert("x-forwarded-for", HeaderValue::from_static(address));
        visitor.send(request).await
    };
    for _ in 0..10 {
        from("192.0.2.1").await.ok();
    }
    let error = from("192.0.2.1").await.assert_error(ErrorCode::RateLimited);
    assert!(error["message"].as_str().unwrap().contains("this address"), "{error}");
}

#[tokio::test]
async fn a_local_playground_rejects_proxied_visitors() {
    let open = OpenPlayground { monthly_chars: 7_000, visitors: Visitors::Direct };
    let server = TestServer::builder().config(|config| config.open_playground = Some(open)).start().await;
    let visitor = Browser::new(&server);
    token(&visitor).await.ok();
    // simulates a proxy that sends this machine's address as the host, with a request that claims to come
    // from the server's pages
    let passed_on = async |name: &'static str, method: &Method, path: &str, body: &str| {
        let mut request = visitor.request(method, path, body);
        request.headers_mut().insert(name, HeaderValue::from_static("198.51.100.7"));
        visitor.send(request).await
    };
    for name in ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] {
        passed_on(name, &Method::POST, "token", "").await.assert_error(ErrorCode::NotSignedIn);
        let normalized = passed_on(name, &Method::POST, "normalize", r#"{"text":"a"}"#).await;
        normalized.assert_error(ErrorCode::NotSignedIn);
        let setup = passed_on(name, &Method::GET, "setup", "").await.ok();
        assert_eq!(setup["open_playground"], false, "{name}");
    }
    // a request as nginx sends it with its default settings: HTTP/1.0 without forwarding headers
    let mut connection = RawConnection::open(server.address).await;
    let head = format!(
        "POST /studio/api/token HTTP/1.0\r\nhost: {0}\r\norigin: http://{0}\r\nx-studio: 1\r\ncontent-length: 0\r\n\r\n",
        server.address
    );
    connection.send(&head).await;
    assert_eq!(connection.read_reply().await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_server_issues_no_tokens_during_shutdown() {
    let mut server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let long = json!({"text": crate::long_text(5_000)}).to_string();
    let client = server.client();
    let running = client.open(client.request(Method::POST, "/v1/tts", long)).await;
    server.begin_shutdown();
    // the server has received the signal when it is no longer ready
    while client.get("/readyz").await.status == StatusCode::OK {}
    token(&browser).await.assert_error(ErrorCode::Draining);
    let mut page = client.request(Method::GET, "/studio", "");
    page.headers_mut().remove(header::CONTENT_TYPE);
    assert_eq!(client.send(page).await.status, StatusCode::OK, "the pages are still there");
    drop(running);
    server.stop().await;
}
