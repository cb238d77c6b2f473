//! Tests of hostile text in fields: it is rejected, or stored as plain text.

use std::fmt::Write;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::browser::{ASHA, Browser, Expect, PASSWORD};

/// SQL that would end a statement or make a condition true, HTML that would run a script, a template, a log line, a
/// format string.
const TYPED: [&str; 6] = [
    "x'; DROP TABLE accounts; --",
    "' OR '1'='1",
    "<img src=x onerror=alert(1)>",
    "\"><script>alert(1)</script>",
    "{{7*7}}${7*7}%s%n",
    "a\r\nset-cookie: b=c",
];

/// Returns a request for every text field of the API, with a body that is otherwise valid.
fn requests(typed: &str) -> Vec<(Method, &'static str, Value)> {
    vec![
        (Method::POST, "sign-in", json!({"email": typed, "password": PASSWORD})),
        (Method::POST, "sign-in", json!({"email": ASHA, "password": typed})),
        (Method::POST, "sign-up", json!({"email": typed, "password": PASSWORD})),
        (Method::POST, "link", json!({"secret": typed})),
        (Method::POST, "password", json!({"current": typed, "new": "another-kettle-10"})),
        (Method::POST, "promo", json!({"code": typed})),
        (Method::POST, "keys", json!({"name": "x", "scopes": [typed]})),
        (Method::POST, "keys", json!({"name": "x", "scopes": ["tts"], "origins": [typed]})),
        (Method::POST, "keys", json!({"name": "x", "scopes": ["tts"], "monthly_cap": typed})),
        (Method::POST, "keys", json!({"name": "x", "scopes": ["tts"], "expires_in_days": typed})),
    ]
}

#[tokio::test]
async fn hostile_field_values_get_client_errors() {
    for typed in TYPED {
        // each text has its own server, because wrong passwords and codes are rate-limited
        let server = TestServer::start().await;
        let browser = Browser::unlocked(&server, ASHA).await;
        let before = browser.cookie();
        for (method, path, body) in requests(typed) {
            let reply = browser.send(browser.request(&method, path, &body.to_string())).await;
            assert!(reply.status.is_client_error(), "{path} {body}: {}", reply.status);
            assert_eq!(reply.header("content-type"), "application/json");
            assert_eq!(browser.cookie(), before, "{path} {body}");
        }
        for path in [format!("keys/{}", escaped(typed)), format!("keys/{}/rotate", escaped(typed))] {
            let method = if path.ends_with("rotate") { Method::POST } else { Method::DELETE };
            let reply = browser.send(browser.request(&method, &path, r#"{"overlap_hours":0}"#)).await;
            assert!(reply.status.is_client_error(), "{path}: {}", reply.status);
        }
        let query = format!("usage?from={0}&to={0}", escaped(typed));
        assert!(browser.get(&query).await.status.is_client_error(), "{query}");
        assert_eq!(browser.account().await["email"], ASHA);
        let accounts = server.store.list_accounts(None, 10).await.unwrap().len();
        assert_eq!(accounts, 2, "the operator's and Asha's");
    }
}

#[tokio::test]
async fn names_are_returned_unchanged() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    for typed in TYPED {
        let made = browser.post("keys", &json!({"name": typed, "scopes": ["tts"]})).await;
        if typed.contains('\n') {
            assert_eq!(made.status, StatusCode::BAD_REQUEST, "control characters are not allowed in a name");
            continue;
        }
        assert_eq!(made.ok()["name"], typed);
        let prefix = made.ok()["prefix"].as_str().unwrap().to_owned();
        let renamed = browser.patch(&format!("keys/{prefix}"), &json!({"name": format!("{typed}2")})).await;
        assert_eq!(renamed.ok()["name"], format!("{typed}2"));
        let listed = browser.get("keys").await;
        assert_eq!(listed.ok()["keys"][0]["name"], format!("{typed}2"));
        assert_eq!(listed.header("x-content-type-options"), "nosniff", "no browser treats it as a page");
    }
}

/// Percent-encodes text for a path or a query.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        write!(escaped, "%{byte:02X}").unwrap();
    }
    escaped
}
