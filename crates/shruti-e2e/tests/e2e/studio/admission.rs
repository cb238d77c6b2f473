//! Tests of the rate limits per address.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_testkit::{Reply, TestClock, TestServer};

use super::browser::{ASHA, Browser};

/// Sends a request through a proxy from a client address.
async fn ask(browser: &Browser, from: &str, path: &str, body: &Value) -> Reply {
    let mut request = browser.request(&Method::POST, path, &body.to_string());
    request.headers_mut().insert("x-forwarded-for", from.parse().unwrap());
    browser.send(request).await
}

#[tokio::test]
async fn attempts_are_limited_per_ip_address() {
    let proxies = |config: &mut shruti_service::Config| config.trusted_proxies = "loopback".parse().unwrap();
    let server = TestServer::builder().clock(Arc::new(TestClock::new())).config(proxies).start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    // none of these requests hashes a password
    let cases = [
        ("sign-in", json!({"email": "no address", "password": "x"}), ErrorCode::InvalidField),
        ("sign-up", json!({"email": ASHA, "password": "short"}), ErrorCode::InvalidField),
        ("password", json!({"current": "x", "new": "short"}), ErrorCode::InvalidField),
        ("link", json!({"secret": "x"}), ErrorCode::InvalidLink),
        ("promo", json!({"code": 1}), ErrorCode::InvalidField),
    ];
    for (at, (path, body, code)) in cases.into_iter().enumerate() {
        let own = format!("2001:db8:0:{at}::1");
        for _ in 0..20 {
            ask(&browser, &own, path, &body).await.assert_error(code);
        }
        for from in [own, format!("2001:db8:0:{at}:ffff::2")] {
            let error = ask(&browser, &from, path, &body).await.assert_error(ErrorCode::RateLimited);
            assert!(error["retry_after_ms"].as_u64().is_some_and(|ms| (1..=30_000).contains(&ms)), "{error}");
        }
        for from in [format!("2001:db8:1:{at}::1"), format!("192.0.2.{at}")] {
            ask(&browser, &from, path, &body).await.assert_error(code);
        }
    }
}

#[tokio::test]
async fn requests_per_ip_address_are_limited() {
    let server = TestServer::builder().clock(Arc::new(TestClock::new())).start().await;
    let browser = Browser::new(&server);
    let mut count = 0;
    let refused = loop {
        let reply = browser.get("setup").await;
        if !reply.status.is_success() || count > 200 {
            break reply;
        }
        count += 1;
    };
    refused.assert_error(ErrorCode::RateLimited);
    assert_eq!(count, 200);
}
