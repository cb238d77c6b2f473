//! Tests of sign-up, sign-in, passwords and sign-in links.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, EmailAddress};
use shruti_testkit::{Reply, TestClock, TestServer};

use super::browser::{ASHA, Browser, Expect, PASSWORD};

const CHANGED: &str = "another-kettle-10";

fn email(text: &str) -> EmailAddress {
    text.parse().unwrap()
}

/// Returns an error without its request ID.
fn reported(reply: &Reply) -> Value {
    let mut error = reply.json();
    error["error"]["request_id"].take();
    error
}

#[tokio::test]
async fn a_new_account_is_signed_in_and_locked() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    browser.assert_signed_out().await;
    let account =
        browser.post("sign-up", &json!({"email": " Asha@Example.org ", "password": PASSWORD})).await.ok();
    let stored = server.store.find_account(email(ASHA)).await.unwrap().unwrap();
    let expected = json!({
        "email": ASHA, "verified": null, "operator": false, "unlocked": false, "chars_per_month": 0, "chars_used": 0,
        "month_ends_ms": account["month_ends_ms"], "created_ms": stored.created_ms, "may_set_password": false,
    });
    assert_eq!(account, expected);
    assert!(account["month_ends_ms"].as_i64().unwrap() > stored.created_ms);
    assert_eq!(browser.account().await, account);

    let elsewhere = Browser::new(&server);
    assert_eq!(elsewhere.sign_in("ASHA@example.org", PASSWORD).await.ok(), account);
    assert_ne!(elsewhere.cookie(), browser.cookie());
    assert_eq!(browser.account().await, account, "both sessions continue");
}

#[tokio::test]
async fn responses_do_not_reveal_existing_accounts() {
    let server = TestServer::start().await;
    Browser::signed_up(&server, ASHA).await;
    let visitor = Browser::new(&server);
    let unknown = visitor.sign_in("nobody@example.org", "wrong-kettle-9").await;
    unknown.assert_error(ErrorCode::WrongCredentials);
    let wrong = visitor.sign_in(ASHA, "wrong-kettle-9").await;
    assert_eq!(reported(&wrong), reported(&unknown));
    let again = visitor.post("sign-up", &json!({"email": ASHA, "password": "wrong-kettle-9"})).await;
    assert_eq!(reported(&again), reported(&unknown), "a sign-up for an existing address");
    let reserved = json!({"email": "operator@localhost", "password": "wrong-kettle-9"});
    let reserved = visitor.post("sign-up", &reserved).await;
    assert_eq!(reported(&reserved), reported(&unknown), "other users cannot use the operator's address");
    assert_eq!(visitor.cookie(), None);

    let knows = Browser::new(&server);
    knows.post("sign-up", &json!({"email": ASHA, "password": PASSWORD})).await.ok();
    assert_eq!(knows.account().await["email"], ASHA, "the right password signs in");
}

#[tokio::test]
async fn invalid_input_is_named() {
    let server = TestServer::start().await;
    let browser = Browser::new(&server);
    for path in ["sign-up", "sign-in"] {
        for (body, code, param) in [
            (json!({"password": PASSWORD}), ErrorCode::MissingField, "email"),
            (json!({"email": null, "password": PASSWORD}), ErrorCode::MissingField, "email"),
            (json!({"email": 7, "password": PASSWORD}), ErrorCode::InvalidField, "email"),
            (json!({"email": "asha", "password": PASSWORD}), ErrorCode::InvalidField, "email"),
            (json!({"email": "a".repeat(2_000), "password": PASSWORD}), ErrorCode::InvalidField, "email"),
            (json!({"email": ASHA}), ErrorCode::MissingField, "password"),
            (json!({"email": ASHA, "password": [PASSWORD]}), ErrorCode::InvalidField, "password"),
        ] {
            browser.post(path, &body).await.assert_field(code, param);
        }
    }
    for weak in ["", "short", "password123", "asha@example.org", &"x1!".repeat(100)] {
        let body = json!({"email": ASHA, "password": weak});
        browser.post("sign-up", &body).await.assert_field(ErrorCode::InvalidField, "password");
    }
    assert_eq!(server.store.find_account(email(ASHA)).await.unwrap(), None);
}

#[tokio::test]
async fn wrong_passwords_cause_delays_that_expire() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    Browser::signed_up(&server, ASHA).await;
    let browser = Browser::new(&server);
    for _ in 0..5 {
        browser.sign_in(ASHA, "wrong-kettle-9").await.assert_error(ErrorCode::WrongCredentials);
    }
    for password in ["wrong-kettle-9", PASSWORD] {
        let error = browser.sign_in(ASHA, password).await.assert_error(ErrorCode::RateLimited);
        assert_eq!(error["retry_after_ms"], 1_000, "{error}");
    }
    let up = json!({"email": ASHA, "password": PASSWORD});
    browser.post("sign-up", &up).await.assert_error(ErrorCode::RateLimited);
    clock.advance(Duration::from_secs(1));
    browser.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn an_account_locked_by_the_operator_cannot_sign_in() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    server.store.lock_account(Actor::Operator, email(ASHA), 1).await.unwrap();
    browser.assert_signed_out().await;
    browser.sign_in(ASHA, "wrong-kettle-9").await.assert_error(ErrorCode::WrongCredentials);
    let error = browser.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::AccessLocked);
    assert!(error["message"].as_str().unwrap().contains("operator"), "{error}");
    browser.assert_signed_out().await;
}

#[tokio::test]
async fn a_password_change_ends_all_other_sessions() {
    let server = TestServer::start().await;
    let (browser, elsewhere) = (Browser::signed_up(&server, ASHA).await, Browser::new(&server));
    elsewhere.sign_in(ASHA, PASSWORD).await.ok();
    let change = async |current: &str, new: &str| {
        browser.post("password", &json!({"current": current, "new": new})).await
    };
    for (current, new, param) in [
        ("not-this-one", CHANGED, "current"),
        ("", CHANGED, "current"),
        (PASSWORD, "short", "new"),
        (PASSWORD, "password123", "new"),
        (PASSWORD, ASHA, "new"),
    ] {
        change(current, new).await.assert_field(ErrorCode::InvalidField, param);
    }
    let missing = browser.post("password", &json!({"new": CHANGED})).await;
    missing.assert_field(ErrorCode::MissingField, "current");
    let before = browser.cookie();
    assert_eq!(change(PASSWORD, CHANGED).await.ok(), json!({}));
    assert_ne!(browser.cookie(), before);
    assert_eq!(browser.account().await["email"], ASHA);
    elsewhere.assert_signed_out().await;
    let old = Browser::new(&server);
    old.set_cookie(before);
    old.assert_signed_out().await;
    old.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    old.sign_in(ASHA, CHANGED).await.ok();
}

#[tokio::test]
async fn wrong_current_passwords_cause_delays() {
    let server = TestServer::builder().clock(Arc::new(TestClock::new())).start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let change =
        async |current: &str| browser.post("password", &json!({"current": current, "new": CHANGED})).await;
    for _ in 0..5 {
        change("wrong-kettle-9").await.assert_field(ErrorCode::InvalidField, "current");
    }
    let refused = change(PASSWORD).await;
    refused.assert_field(ErrorCode::RateLimited, "current");
    assert_eq!(browser.account().await["email"], ASHA, "the session continues");
}

#[tokio::test]
async fn a_link_signs_in_once_and_sets_a_password_within_an_hour() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let account = server.store.ensure_operator(1).await.unwrap().id;
    let link = async || {
        let now_ms = shruti_clock::Clock::now(&*clock).wall_ms;
        let made = server.store.create_sign_in_link(account.clone(), Actor::Operator, now_ms).await;
        made.unwrap().unwrap().secret.reveal().to_owned()
    };
    let browser = Browser::new(&server);
    let secret = link().await;
    let first = browser.post("link", &json!({"secret": secret})).await.ok();
    assert_eq!(first["email"], "operator@localhost");
    assert_eq!((&first["unlocked"], &first["chars_per_month"]), (&json!(true), &Value::Null));
    assert_eq!(first["may_set_password"], true);
    let elsewhere = Browser::new(&server);
    for wrong in [secret.as_str(), "", "link_", &format!("link_{}", "a".repeat(44)), "ses_x"] {
        let refused = elsewhere.post("link", &json!({"secret": wrong})).await;
        let error = refused.assert_error(ErrorCode::InvalidLink);
        assert!(!error.to_string().contains("link_a"), "{error}");
    }
    for body in [json!({}), json!({"secret": 1})] {
        assert_eq!(elsewhere.post("link", &body).await.json()["error"]["param"], "secret");
    }
    elsewhere.assert_signed_out().await;

    browser.post("password", &json!({"current": "", "new": CHANGED})).await.ok();
    assert_eq!(browser.account().await["may_set_password"], false);
    elsewhere.sign_in("operator@localhost", CHANGED).await.ok();

    let late = Browser::new(&server);
    late.post("link", &json!({"secret": link().await})).await.ok();
    let forgotten = link().await;
    clock.advance(Duration::from_hours(1));
    assert_eq!(late.account().await["may_set_password"], false);
    let refused = late.post("password", &json!({"current": "", "new": PASSWORD})).await;
    refused.assert_field(ErrorCode::InvalidField, "current");
    let too_late = late.post("link", &json!({"secret": forgotten})).await;
    too_late.assert_error(ErrorCode::InvalidLink);
    assert_eq!(late.account().await["email"], "operator@localhost", "a bad link changes nothing");
}

#[tokio::test]
async fn the_audit_log_contains_actions_without_secrets() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    browser.sign_in(ASHA, "wrong-kettle-9").await;
    browser.post("password", &json!({"current": "wrong-kettle-9", "new": CHANGED})).await;
    browser.post("password", &json!({"current": PASSWORD, "new": CHANGED})).await.ok();
    browser.create_key("shop").await;
    browser.post("sign-out", &json!({"everywhere": true})).await.ok();
    let mut log = server.store.audit_log(None, None, 100).await.unwrap();
    log.reverse();
    let entries: Vec<String> = log.iter().map(|entry| format!("{} {}", entry.event, entry.outcome)).collect();
    let wanted = [
        "account_created ok",
        "sign_in ok",
        "sign_in wrong_password",
        "password_change wrong_password",
        "password_change ok",
        "key_created ok",
        "sign_out_everywhere ok",
    ];
    let ours: Vec<&str> = entries.iter().map(String::as_str).filter(|entry| wanted.contains(entry)).collect();
    assert!(ours.ends_with(&wanted), "{entries:?}");
    for secret in [ASHA, PASSWORD, CHANGED, "wrong-kettle-9"] {
        assert!(!format!("{log:?}").contains(secret), "{secret}");
    }
}
