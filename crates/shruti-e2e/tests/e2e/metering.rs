//! Tests that clips over HTTP are charged and counted to the character.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_clock::{Clock, SystemClock};
use shruti_protocol::{ErrorCode, UsageAnswer};
use shruti_store::{Actor, Day, KeyLimits, KeySpec, Scope, UsageOf};
use shruti_testkit::{Client, RawConnection, Reply, TestServer, raw};

use crate::long_text;

/// Returns the usage of a key.
pub(crate) async fn usage(client: &Client) -> UsageAnswer {
    usage_of(&client.get("/v1/usage").await)
}

fn usage_of(reply: &Reply) -> UsageAnswer {
    assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.body);
    serde_json::from_slice(&reply.body).unwrap()
}

pub(crate) fn today() -> Day {
    Day::of(SystemClock::new().now().wall_ms)
}

fn capped(chars: u64) -> KeySpec {
    KeySpec { monthly_cap: Some(chars), ..KeySpec::named("capped") }
}

#[tokio::test]
async fn a_clip_is_charged_to_the_allowance_and_reported_immediately() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 60).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let text = "नमस्ते, आप कैसे हैं? आज 25 तारीख है।";
    let chars = text.chars().count() as u64;
    let audio = client.speak(&json!({"text": format!("  {text}\n"), "voice": "Arjun"})).await;
    let reported = usage(&client).await;
    let day = &reported.days[0];
    assert_eq!((reported.days.len(), day.voice.as_str(), day.language.code()), (1, "Arjun", "hi"));
    assert_eq!(day.day, today().to_string());
    assert_eq!((day.amount.chars, day.amount.requests), (chars, 1));
    assert_eq!(day.amount.audio_ms, audio.samples.len() as u64 / 24, "{reported:?}");
    assert_eq!(reported.total, day.amount);
    let allowance = reported.allowance.unwrap();
    assert_eq!((allowance.chars, allowance.used), (60, chars));
    assert!(reported.to.starts_with(&allowance.month) && reported.from == format!("{}-01", allowance.month));

    let refused = client.post(json!({"text": text}).to_string()).await;
    let error = refused.assert_error(ErrorCode::QuotaExhausted);
    let message = error["message"].as_str().unwrap();
    let left = 60 - chars;
    assert!(message.contains(&format!("{chars} characters are needed and {left} are left")), "{message}");
    assert!(message.contains("the next month begins on 20"), "{message}");
    assert_eq!(usage(&client).await.total, reported.total, "a rejected request is free");
    client.speak(&json!({"text": long_text(left as usize)})).await;
    client.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::QuotaExhausted);
    assert_eq!(usage(&client).await.allowance.unwrap().used, 60, "to the last character");
}

#[tokio::test]
async fn a_cap_applies_to_keys_without_account_and_their_tokens() {
    let server = TestServer::start().await;
    let key = server.create_key(capped(12)).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let tokens = [client.token().await, client.token().await, client.token().await];
    let page = |token: &str| server.client().with_key(Some(token));
    page(&tokens[0]).speak(&json!({"text": "hello"})).await;
    client.speak(&json!({"text": "hello"})).await;
    page(&tokens[1]).post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::QuotaExhausted);
    page(&tokens[1]).speak(&json!({"text": "me"})).await;
    page(&tokens[2]).post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::QuotaExhausted);
    let reported = usage(&client).await;
    assert_eq!((reported.total.chars, reported.total.requests), (12, 3));
    assert_eq!(reported.allowance, None, "a key without an account has no allowance");
}

#[tokio::test]
async fn requests_without_audio_are_free() {
    let server = TestServer::builder().config(|config| config.max_streams = 1).start().await;
    let key = server.create_key(capped(5)).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    for (body, code) in [
        (r#"{"text":"🙂 🎉"}"#, ErrorCode::EmptyText),
        (r#"{"text":"a","speed":9}"#, ErrorCode::InvalidField),
        (r#"{"text":"a","lexicon":{"a":"/§/"}}"#, ErrorCode::InvalidField),
    ] {
        client.post(body).await.assert_error(code);
    }
    let mut other = RawConnection::open_small(server.address).await;
    other.send(raw::post_tts(&server.key, &json!({"text": long_text(5_000)}).to_string())).await;
    other.read_head().await;
    client.post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::Overloaded);
    drop(other);
    server.idle().await;
    assert_eq!(usage(&client).await.days, []);
    client.speak(&json!({"text": "hello"})).await;
}

#[tokio::test]
async fn a_disconnected_client_is_charged_for_sent_audio() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 5_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let long = json!({"text": long_text(5_000)}).to_string();
    let mut reader = RawConnection::open_small(server.address).await;
    reader.send(raw::post_tts(key.secret.reveal(), &long)).await;
    reader.read_head().await;
    let read = reader.read_bytes(200_000).await.len() as u64;
    client.post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::QuotaExhausted);
    drop(reader);
    server.idle().await;
    let reported = usage(&client).await;
    let sent = reported.total;
    assert!(sent.audio_ms >= read / 48, "{sent:?}: {read} bytes were read");
    // the audio of the whole text lasts about 400 s
    let expected = sent.audio_ms * 5_000 / 400_000;
    assert!(sent.chars.abs_diff(expected) < expected / 2, "{sent:?}, but about {expected} are expected");
    assert_eq!((sent.requests, reported.allowance.unwrap().used), (1, sent.chars));

    let rest = 5_000 - sent.chars;
    client.post(json!({"text": long_text(rest as usize)}).to_string()).await.audio();
    client.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::QuotaExhausted);
}

#[tokio::test]
async fn all_usage_is_stored_at_shutdown() {
    let mut server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 1_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    for _ in 0..3 {
        client.speak(&json!({"text": "hello"})).await;
    }
    server.end().await;
    let store = &server.store;
    let rows = store.usage_by_day(UsageOf::Key(key.record.prefix), today(), today()).await.unwrap();
    assert_eq!((rows[0].amount.chars, rows[0].amount.requests), (15, 3));
    let state = store.allowance(account.id, SystemClock::new().now().wall_ms).await.unwrap().unwrap();
    assert_eq!((state.used, state.lent), (15, 0), "the lease was returned");
}

#[tokio::test]
async fn a_key_with_permission_reads_only_its_own_usage() {
    let server = TestServer::start().await;
    server.client().speak(&json!({"text": "hello"})).await;
    assert_eq!(usage(&server.client()).await.total.chars, 5);
    let reads = |scopes: Vec<Scope>| {
        let limits = KeyLimits { rate: Some(0.01), burst: Some(2), streams: None };
        KeySpec { scopes, limits, ..KeySpec::named("reader") }
    };
    let reader = server.create_key(reads(vec![Scope::UsageRead])).await;
    let reader = server.client().with_key(Some(reader.secret.reveal()));
    let reply = reader.get("/v1/usage").await;
    assert_eq!(usage_of(&reply).total.chars, 0, "another key's");
    assert_eq!((reply.header("ratelimit-remaining"), reply.header("cache-control")), ("1", "no-store"));
    let reply = reader.get("/v1/usage?from=soon").await;
    assert_eq!(reply.assert_error(ErrorCode::InvalidField)["param"], "from");
    assert_eq!(reply.header("ratelimit-remaining"), "0");
    reader.get("/v1/usage").await.assert_error(ErrorCode::RateLimited);

    let speaker = server.create_key(reads(vec![Scope::Tts])).await;
    let speaker = server.client().with_key(Some(speaker.secret.reveal()));
    let error = speaker.get("/v1/usage").await.assert_error(ErrorCode::InsufficientScope);
    assert!(error["message"].as_str().unwrap().contains("usage:read"), "{error}");
    let token = server.client().token().await;
    server.client().with_key(Some(&token)).get("/v1/usage").await.assert_error(ErrorCode::InvalidApiKey);
    server.client().with_key(None).get("/v1/usage").await.assert_error(ErrorCode::MissingApiKey);
    let in_url = format!("/v1/usage?key={}", server.key);
    server.client().get(&in_url).await.assert_error(ErrorCode::InvalidApiKey);
    let other = server.client().send(server.client().request(Method::POST, "/v1/usage", "")).await;
    other.assert_error(ErrorCode::MethodNotAllowed);
}

#[tokio::test]
async fn usage_is_requested_by_date() {
    let server = TestServer::start().await;
    server.client().speak(&json!({"text": "hello"})).await;
    let (today, yesterday) = (today(), today().plus(-1));
    for (from, to, chars) in [(today, today, 5), (yesterday, today, 5), (yesterday, yesterday, 0)] {
        let reply = server.client().get(&format!("/v1/usage?from={from}&to={to}")).await;
        let reported = usage_of(&reply);
        assert_eq!((reported.from, reported.to), (from.to_string(), to.to_string()));
        assert_eq!(reported.total.chars, chars, "{from} {to}");
    }
}

/// Returns keys that are rejected, each with the expected error.
async fn refused_keys(server: &TestServer) -> Vec<(String, ErrorCode)> {
    let secret = |key: &shruti_store::CreatedKey| key.secret.reveal().to_owned();
    let locked = server.create_account("locked@example.org", 100).await;
    let locked_key = server.create_key_of(&locked, KeySpec::named("locked")).await;
    shruti_store::AccountStore::lock_account(&*server.store, Actor::Operator, locked.email, 1).await.unwrap();
    let revoked = server.create_key(KeySpec::named("revoked")).await;
    server.store.revoke_key(Actor::Operator, revoked.record.prefix.clone(), 1).await.unwrap();
    let expired = server.create_key(KeySpec { expires_ms: Some(1), ..KeySpec::named("expired") }).await;
    let spent_account = server.create_account("spent@example.org", 5).await;
    let spent = server.create_key_of(&spent_account, KeySpec::named("spent")).await;
    let sibling = server.create_key_of(&spent_account, KeySpec::named("its sibling")).await;
    let spent_cap = server.create_key(capped(5)).await;
    for key in [&spent, &spent_cap] {
        let client = server.client().with_key(Some(key.secret.reveal()));
        client.speak(&json!({"text": "hello"})).await;
    }
    vec![
        (secret(&locked_key), ErrorCode::AccessLocked),
        (secret(&revoked), ErrorCode::RevokedApiKey),
        (secret(&expired), ErrorCode::ExpiredApiKey),
        (secret(&spent), ErrorCode::QuotaExhausted),
        (secret(&sibling), ErrorCode::QuotaExhausted),
        (secret(&spent_cap), ErrorCode::QuotaExhausted),
    ]
}

#[tokio::test]
async fn each_key_rejection_has_its_code_over_http_and_before_an_upgrade() {
    let server = TestServer::start().await;
    for (key, code) in refused_keys(&server).await {
        for _ in 0..2 {
            let client = server.client().with_key(Some(&key));
            let error = client.post(r#"{"text":"a"}"#).await.assert_error(code);
            assert_plain(&error, &key);
            let mut connection = RawConnection::open(server.address).await;
            connection.send(raw::upgrade("/v1/tts/stream", Some(&key))).await;
            assert_plain(&connection.read_reply().await.assert_error(code), &key);
        }
    }
}

/// Panics if an error contains a key or internal details.
fn assert_plain(error: &Value, key: &str) {
    let text = error.to_string();
    for internal in [&key[..11], "lease", "purse", "sqlite", "store"] {
        assert!(!text.contains(internal), "{text}");
    }
}

#[tokio::test]
async fn a_token_of_an_exhausted_key_is_rejected_but_remains_valid() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 5).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let token = client.token().await;
    client.speak(&json!({"text": "hello"})).await;
    let page = server.client().with_key(Some(&token));
    page.post(r#"{"text":"a"}"#).await.assert_error(ErrorCode::QuotaExhausted);
    let mut connection = RawConnection::open(server.address).await;
    connection.send(raw::upgrade(&format!("/v1/tts/stream?token={token}"), None)).await;
    connection.read_reply().await.assert_error(ErrorCode::QuotaExhausted);
    // the operator increases the allowance
    let (email, now_ms) = (account.email, SystemClock::new().now().wall_ms);
    shruti_store::AccountStore::unlock_account(&*server.store, Actor::Operator, email, Some(5), now_ms)
        .await
        .unwrap();
    let began = std::time::Instant::now();
    while page.post(r#"{"text":"hello"}"#).await.status != StatusCode::OK {
        assert!(began.elapsed() < shruti_testkit::server::PATIENCE, "the key stays spent");
    }
    assert_eq!(usage(&client).await.total.chars, 10);
}

#[tokio::test]
async fn a_plain_request_reports_whether_a_conversation_would_be_admitted() {
    let mut server = TestServer::builder().config(|config| config.max_streams = 1).start().await;
    let asks = server.client().with_key(None);
    asks.get("/v1/tts/stream").await.assert_error(ErrorCode::WebsocketRequired);
    let mut long = RawConnection::open_small(server.address).await;
    long.send(raw::post_tts(&server.key, &json!({"text": long_text(5_000)}).to_string())).await;
    let (_, headers) = long.read_head().await;
    asks.get("/v1/tts/stream").await.assert_error(ErrorCode::Overloaded);
    server.begin_shutdown();
    let began = std::time::Instant::now();
    while asks.get("/readyz").await.status == StatusCode::OK {
        assert!(began.elapsed() < shruti_testkit::server::PATIENCE, "the signal does nothing");
    }
    asks.get("/v1/tts/stream").await.assert_error(ErrorCode::Draining);
    long.read_body(&headers).await;
}
