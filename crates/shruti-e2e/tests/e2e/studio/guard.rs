//! Tests of the checks before every handler: requests from other sites, bodies, proxies.

use std::sync::Arc;

use http::{Method, StatusCode, header};
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::Actor;
use shruti_testkit::{RawConnection, TestServer};

use super::browser::{ASHA, Browser, Expect, PASSWORD};
use super::operator;

/// Requests with a method that can change data, except those to operator endpoints. The first five do not require a
/// sign-in.
const CHANGES: [(Method, &str); 17] = [
    (Method::POST, "sign-up"),
    (Method::POST, "sign-in"),
    (Method::POST, "link"),
    (Method::POST, "forgotten-password"),
    (Method::POST, "verify"),
    (Method::POST, "verification"),
    (Method::POST, "sign-out"),
    (Method::POST, "password"),
    (Method::POST, "promo"),
    (Method::POST, "keys"),
    (Method::PATCH, "keys/sk_AbCd1234"),
    (Method::POST, "keys/sk_AbCd1234/rotate"),
    (Method::DELETE, "keys/sk_AbCd1234"),
    (Method::POST, "token"),
    (Method::POST, "delete-account"),
    (Method::DELETE, "sessions/x"),
    (Method::PUT, "lexicon"),
];

#[tokio::test]
async fn pages_of_other_origins_cannot_change_anything() {
    // at most 12 requests are sent to one server, because of the rate limit per address
    let all: Vec<_> = CHANGES.iter().chain(&operator::CHANGES).cloned().collect();
    for changes in all.chunks(12) {
        nothing_is_changed_by_another_page(changes).await;
    }
}

async fn nothing_is_changed_by_another_page(changes: &[(Method, &str)]) {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let keys = server.store.list_keys(Actor::Operator).await.unwrap().len();
    let body = json!({
        "email": "b@example.org", "password": PASSWORD, "secret": "x", "everywhere": true, "current": PASSWORD,
        "new": "another-kettle-10", "code": "x", "name": "x", "scopes": ["tts"], "overlap_hours": 0,
    });
    for (method, path) in changes {
        let refused = async |origin: Option<&str>, mark: Option<&str>| {
            let mut request = browser.request(method, path, &body.to_string());
            let headers = request.headers_mut();
            headers.remove(header::ORIGIN);
            headers.remove("x-studio");
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            if let Some(mark) = mark {
                headers.insert("x-studio", mark.parse().unwrap());
            }
            browser.send(request).await.assert_error(ErrorCode::OriginNotAllowed);
        };
        let own = browser.origin.as_str();
        refused(Some(own), None).await;
        refused(Some(own), Some("0")).await;
        refused(None, Some("1")).await;
        for origin in ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "*", "what?"]
        {
            refused(Some(origin), Some("1")).await;
        }
        let other_scheme = own.replace("http:", "ftp:");
        refused(Some(&other_scheme), Some("1")).await;
    }
    assert_eq!(browser.account().await["email"], ASHA, "no session was ended");
    assert_eq!(server.store.list_keys(Actor::Operator).await.unwrap().len(), keys, "no key was created");
    let preflight = server.client().preflight("https://evil.example", "/studio/api/keys").await;
    assert!(preflight.status.is_client_error());
    assert_eq!(preflight.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn requests_without_a_session_get_an_error() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    for (method, path) in CHANGES[5..].iter().chain(&operator::CHANGES) {
        browser.send(browser.request(method, path, "{}")).await.assert_error(ErrorCode::NotSignedIn);
    }
    let read = ["keys", "sessions", "usage?from=2026-01-01&to=2026-01-02"];
    for path in read.iter().chain(&operator::PAGES) {
        browser.get(path).await.assert_error(ErrorCode::NotSignedIn);
    }
}

#[tokio::test]
async fn bodies_are_json_and_bounded() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    let sign_in = |body: &str| browser.request(&Method::POST, "sign-in", body);
    for body in ["{", "[]", "7", "\"x\"", "{\"email\": \"\\ud800\"}"] {
        browser.send(sign_in(body)).await.assert_error(ErrorCode::InvalidJson);
    }
    let deep = format!("{{\"email\": {}1{}}}", "[".repeat(1_000), "]".repeat(1_000));
    browser.send(sign_in(&deep)).await.assert_error(ErrorCode::InvalidJson);
    let long = format!("{{\"email\": \"{}\"}}", "a".repeat(65_536));
    browser.send(sign_in(&long)).await.assert_error(ErrorCode::BodyTooLarge);
    let mut empty = sign_in("");
    empty.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    browser.send(empty).await.assert_error(ErrorCode::InvalidJson);
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let mut request = sign_in(&json!({"email": ASHA, "password": PASSWORD}).to_string());
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.parse().unwrap());
        browser.send(request).await.assert_error(ErrorCode::UnsupportedMediaType);
    }
}

#[tokio::test]
async fn errors_for_other_methods_and_paths_name_them() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    for path in ["nothing", "keys/sk_AbCd1234/nothing", "setup/", "..", "%2e%2e/keys", "%ff"] {
        browser.get(path).await.assert_error(ErrorCode::NotFound);
        browser.post(path, &json!({})).await.assert_error(ErrorCode::NotFound);
    }
    for (method, path, allow) in [
        (Method::GET, "sign-in", "POST"),
        (Method::POST, "account", "GET,HEAD"),
        (Method::PUT, "keys", "GET,HEAD,POST"),
        (Method::GET, "keys/sk_AbCd1234", "PATCH,DELETE"),
    ] {
        let reply = browser.send(browser.request(&method, path, "{}")).await;
        reply.assert_error(ErrorCode::MethodNotAllowed);
        assert_eq!(reply.header("allow"), allow, "{method} {path}");
    }
}

#[tokio::test]
async fn pages_receive_the_features_of_the_server() {
    let server = TestServer::start().await;
    let setup = Browser::new(&server).get("setup").await.ok();
    assert_eq!((&setup["open_playground"], &setup["max_text_chars"]), (&json!(false), &json!(5_000)));
    assert_eq!(setup["password_min_chars"], json!(10));
    assert_eq!(setup["version"], env!("CARGO_PKG_VERSION"));
    let languages = setup["languages"].as_array().unwrap();
    assert_eq!(languages.len(), 15);
    assert_eq!(
        (&languages[0]["code"], &languages[0]["native_name"]),
        (&json!("hi"), &json!("हिन्दी")),
        "{}",
        languages[0]
    );
    let head = Browser::new(&server);
    let head = head.client.send(head.request(&Method::HEAD, "setup", "")).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
}

#[tokio::test]
async fn a_proxy_must_forward_the_host() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    let body = json!({"email": ASHA, "password": PASSWORD}).to_string();
    let through = async |origin: &str, host: &str| {
        let mut request = browser.request(&Method::POST, "sign-up", &body);
        request.headers_mut().insert(header::ORIGIN, origin.parse().unwrap());
        request.headers_mut().insert(header::HOST, host.parse().unwrap());
        browser.send(request).await
    };
    through("https://tts.example", "127.0.0.1:8080").await.assert_error(ErrorCode::OriginNotAllowed);
    // over plain HTTP, a browser would not store the session, so the server creates no account, because nobody
    // could sign in to it
    let plain = through("http://tts.example", "tts.example").await;
    plain.assert_error(ErrorCode::OriginNotAllowed);
    assert!(String::from_utf8_lossy(&plain.body).contains("plain HTTP"));
    browser.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    assert_ne!(through("https://tts.example", "tts.example").await.ok(), Value::Null);
}

#[tokio::test]
async fn only_https_origins_are_accepted_over_https() {
    let server = TestServer::builder().tls().start().await;
    let config = Arc::new(crate::tls::trusting(&server.certificate(), b"http/1.1"));
    let body = json!({"email": ASHA, "password": PASSWORD}).to_string();
    let host = format!("localhost:{}", server.address.port());
    for (scheme, status) in [("http", StatusCode::FORBIDDEN), ("https", StatusCode::OK)] {
        let mut connection = RawConnection::open_secure(server.address, Arc::clone(&config)).await;
        let head = format!(
            "POST /studio/api/sign-up HTTP/1.1\r\nhost: {host}\r\norigin: {scheme}://{host}\r\nx-studio: 1\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        connection.send(head).await;
        assert_eq!(connection.read_head().await.0, status, "{scheme}");
    }
}
