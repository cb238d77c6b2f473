//! Tests of the keys of an account.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeyLimits, KeySpec, MAX_KEYS};
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{TestClock, TestServer};
use tokio::time::timeout;

use super::browser::{ASHA, Browser, Expect};

const TEXT: &str = r#"{"text":"hello"}"#;
const DAY_MS: i64 = 86_400_000;

#[tokio::test]
async fn a_key_is_shown_once_and_works_when_the_account_has_access() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let wanted = json!({
        "name": "  shop ", "scopes": ["usage:read", "tts"],
        "origins": ["https://B.example:443", "https://a.example"], "expires_in_days": 90, "monthly_cap": 5_000,
        "more": 1,
    });
    let mut made = browser.post("keys", &wanted).await.ok();
    let secret = made["secret"].take().as_str().unwrap().to_owned();
    let key = server.client().with_key(Some(&secret));
    key.post(TEXT).await.assert_error(ErrorCode::AccessLocked);
    let prefix = made["prefix"].as_str().unwrap();
    assert!(secret.starts_with(prefix) && prefix.len() == 11, "{prefix}");
    let created_ms = made["created_ms"].as_i64().unwrap();
    let expected = json!({
        "prefix": prefix, "name": "shop", "scopes": ["tts", "usage:read"],
        "origins": ["https://a.example", "https://b.example"], "created_ms": created_ms,
        "expires_ms": created_ms + 90 * DAY_MS, "revoked_ms": null, "last_used_ms": null, "chars_this_month": 0,
        "monthly_cap": 5_000, "secret": null,
    });
    assert_eq!(made, expected);
    let stored = server.store.find_key(secret_prefix(&secret)).await.unwrap().unwrap();
    assert_eq!(stored.limits, KeyLimits { rate: Some(10.0), burst: Some(20), streams: Some(20) });

    let listed = browser.get("keys").await;
    assert!(!String::from_utf8_lossy(&listed.body).contains(&secret[11..]), "the secret is revealed again");
    made.as_object_mut().unwrap().remove("secret");
    assert_eq!(listed.ok(), json!({"keys": [made]}));

    let code = super::browser::promo(&server, 1_000).await;
    browser.post("promo", &json!({"code": code})).await.ok();
    until(async || key.post(TEXT).await.status == StatusCode::OK).await;
}

/// Waits for a condition that depends on a change in the store. The server detects such a change within two
/// seconds.
async fn until(mut learned: impl AsyncFnMut() -> bool) {
    let waiting = async { while !learned().await {} };
    timeout(PATIENCE, waiting).await.expect("the server does not notice the change");
}

fn secret_prefix(secret: &str) -> shruti_store::KeyPrefix {
    shruti_store::KeyPrefix::parse(secret).unwrap()
}

#[tokio::test]
async fn keys_are_listed_newest_first_without_playground_keys() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    assert_eq!(browser.get("keys").await.ok(), json!({"keys": []}));
    for name in ["first", "second", "third"] {
        browser.create_key(name).await;
        clock.advance(Duration::from_secs(1));
    }
    browser.post("token", &json!({})).await.ok();
    let listed = browser.get("keys").await.ok();
    let names: Vec<&Value> = listed["keys"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["third", "second", "first"]);
}

#[tokio::test]
async fn an_invalid_key_setting_names_the_field() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let origins: Vec<String> = (0..21).map(|n| format!("https://{n}.example")).collect();
    for (field, value, code) in [
        ("name", json!(null), ErrorCode::MissingField),
        ("name", json!("  "), ErrorCode::InvalidField),
        ("name", json!("a".repeat(65)), ErrorCode::InvalidField),
        ("name", json!("a\nb"), ErrorCode::InvalidField),
        ("name", json!("a\u{7f}"), ErrorCode::InvalidField),
        ("name", json!(7), ErrorCode::InvalidField),
        ("scopes", json!(null), ErrorCode::MissingField),
        ("scopes", json!([]), ErrorCode::MissingField),
        ("scopes", json!(["admin"]), ErrorCode::InvalidField),
        ("scopes", json!("tts"), ErrorCode::InvalidField),
        ("scopes", json!(["tts", "tts", "tts"]), ErrorCode::InvalidField),
        ("origins", json!(["shop.example"]), ErrorCode::InvalidField),
        ("origins", json!(["https://shop.example/"]), ErrorCode::InvalidField),
        ("origins", json!(["*"]), ErrorCode::InvalidField),
        ("origins", json!([null]), ErrorCode::InvalidField),
        ("origins", json!(origins), ErrorCode::InvalidField),
        ("expires_in_days", json!(0), ErrorCode::InvalidField),
        ("expires_in_days", json!(-1), ErrorCode::InvalidField),
        ("expires_in_days", json!(3_651), ErrorCode::InvalidField),
        ("expires_in_days", json!(1.5), ErrorCode::InvalidField),
        ("expires_in_days", json!(1e300), ErrorCode::InvalidField),
        ("expires_in_days", json!("90"), ErrorCode::InvalidField),
        ("monthly_cap", json!(0), ErrorCode::InvalidField),
        ("monthly_cap", json!(u64::MAX), ErrorCode::InvalidField),
        ("monthly_cap", json!(true), ErrorCode::InvalidField),
    ] {
        let mut wanted = json!({"name": "shop", "scopes": ["tts"]});
        wanted[field] = value;
        browser.post("keys", &wanted).await.assert_field(code, field);
    }
    assert_eq!(browser.get("keys").await.ok(), json!({"keys": []}));
    let long = json!({"name": "क".repeat(64), "scopes": ["tts"]});
    assert_eq!(browser.post("keys", &long).await.ok()["name"], "क".repeat(64));
}

#[tokio::test]
async fn a_key_is_renamed_rotated_and_revoked() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let (old_secret, old) = browser.create_key("shop").await;
    let prefix = old["prefix"].as_str().unwrap();
    let path = format!("keys/{prefix}");
    let renamed = browser.patch(&path, &json!({"name": " till "})).await.ok();
    assert_eq!((&renamed["name"], &renamed["prefix"]), (&json!("till"), &json!(prefix)));
    browser.patch(&path, &json!({"name": ""})).await.assert_field(ErrorCode::InvalidField, "name");

    let rotate = format!("{path}/rotate");
    for (hours, code) in [
        (json!(null), ErrorCode::MissingField),
        (json!(-1), ErrorCode::InvalidField),
        (json!(721), ErrorCode::InvalidField),
        (json!("1"), ErrorCode::InvalidField),
    ] {
        browser.post(&rotate, &json!({"overlap_hours": hours})).await.assert_field(code, "overlap_hours");
    }
    let new = browser.post(&rotate, &json!({"overlap_hours": 1})).await.ok();
    let new_secret = new["secret"].as_str().unwrap();
    assert_eq!(new["name"], "till");
    assert_ne!(new_secret, old_secret);
    for secret in [old_secret.as_str(), new_secret] {
        server.client().with_key(Some(secret)).post(TEXT).await.audio();
    }
    clock.advance(Duration::from_hours(1));
    let old_key = server.client().with_key(Some(&old_secret));
    old_key.post(TEXT).await.assert_error(ErrorCode::ExpiredApiKey);
    browser.post(&rotate, &json!({"overlap_hours": 1})).await.assert_error(ErrorCode::NotFound);

    let path = format!("keys/{}", new["prefix"].as_str().unwrap());
    for _ in 0..2 {
        let revoked = browser.delete(&path).await.ok();
        assert!(revoked["revoked_ms"].is_i64() && revoked["secret"].is_null(), "{revoked}");
    }
    let new_key = server.client().with_key(Some(new_secret));
    new_key.post(TEXT).await.assert_error(ErrorCode::RevokedApiKey);
    browser
        .post(&format!("{path}/rotate"), &json!({"overlap_hours": 0}))
        .await
        .assert_error(ErrorCode::NotFound);
}

#[tokio::test]
async fn keys_of_other_accounts_are_not_found() {
    let server = TestServer::start().await;
    let (browser, other) =
        (Browser::unlocked(&server, ASHA).await, Browser::unlocked(&server, "b@example.org").await);
    let (secret, made) = other.create_key("theirs").await;
    let theirs = made["prefix"].as_str().unwrap();
    let operators = &server.key[..11];
    other.post("token", &json!({})).await.ok();
    let playgrounds = server.store.list_keys(Actor::Operator).await.unwrap();
    let playground = playgrounds.iter().find(|key| key.name == "playground").unwrap().prefix.as_str();
    for prefix in [theirs, operators, playground, "sk_AbCd1234", "x", "", "sk_AbCd123%00", "%ff", &secret] {
        for reply in [
            browser.patch(&format!("keys/{prefix}"), &json!({"name": "mine"})).await,
            browser.delete(&format!("keys/{prefix}")).await,
            browser.post(&format!("keys/{prefix}/rotate"), &json!({"overlap_hours": 0})).await,
        ] {
            let error = reply.assert_error(ErrorCode::NotFound);
            assert!(!error.to_string().contains("sk_"), "{error}");
        }
    }
    // the key of the account's own playground cannot be changed either
    for reply in
        [other.delete(&format!("keys/{playground}")).await, other.delete(&format!("keys/{secret}")).await]
    {
        reply.assert_error(ErrorCode::NotFound);
    }
    server.client().with_key(Some(&secret)).post(TEXT).await.audio();
    server.client().post(TEXT).await.audio();
}

#[tokio::test]
async fn the_number_of_keys_per_account_is_limited() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let (_, first) = browser.create_key("first").await;
    let account = server
        .store
        .list_keys(Actor::Operator)
        .await
        .unwrap()
        .into_iter()
        .find_map(|key| (key.name == "first").then_some(key.account).flatten());
    for _ in 1..MAX_KEYS {
        let spec = KeySpec::named("more");
        server.store.create_key(Actor::Account(account.clone().unwrap()), spec, 1).await.unwrap();
    }
    let wanted = json!({"name": "one more", "scopes": ["tts"]});
    browser.post("keys", &wanted).await.assert_error(ErrorCode::TooManyKeys);
    let path = format!("keys/{}", first["prefix"].as_str().unwrap());
    let rotated = browser.post(&format!("{path}/rotate"), &json!({"overlap_hours": 1})).await;
    rotated.assert_error(ErrorCode::TooManyKeys);
    browser.delete(&path).await.ok();
    browser.post("keys", &wanted).await.ok();
}

#[tokio::test]
async fn revocations_take_effect_before_the_response() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    for _ in 0..5 {
        let (secret, made) = browser.create_key("rotated").await;
        let key = server.client().with_key(Some(&secret));
        key.post(TEXT).await.audio();
        let path = format!("keys/{}/rotate", made["prefix"].as_str().unwrap());
        let new = browser.post(&path, &json!({"overlap_hours": 0})).await.ok();
        key.post(TEXT).await.assert_error(ErrorCode::ExpiredApiKey);

        let new_key = server.client().with_key(Some(new["secret"].as_str().unwrap()));
        new_key.post(TEXT).await.audio();
        browser.delete(&format!("keys/{}", new["prefix"].as_str().unwrap())).await.ok();
        new_key.post(TEXT).await.assert_error(ErrorCode::RevokedApiKey);
    }
}
