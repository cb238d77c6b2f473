//! Tests of `POST /v1/tokens`, and of clips that are authorised by tokens.

use http::{Method, StatusCode, header};
use serde_json::json;
use shruti_protocol::{ErrorCode, TokenAnswer};
use shruti_store::{Actor, Issuance, KeyLimits, KeySpec, MAX_UNUSED_TOKENS};
use shruti_testkit::{Client, Reply, TestServer};

const TEXT: &str = r#"{"text":"hello"}"#;

async fn ask(client: &Client, body: &'static str) -> Reply {
    client.send(client.request(Method::POST, "/v1/tokens", body)).await
}

#[tokio::test]
async fn a_token_is_returned_once_with_its_details() {
    let server = TestServer::start().await;
    let origins = ["https://b.example", "https://a.example"].map(|origin| origin.parse().unwrap()).to_vec();
    let made = server.create_key(KeySpec { origins, ..KeySpec::named("with pages") }).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    for body in ["", "{}", r#"{"not known": 1}"#] {
        let reply = ask(&client, body).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("content-type"), "application/json");
        let answer: TokenAnswer = serde_json::from_value(reply.json()).unwrap();
        let letters = answer.token.strip_prefix("tok_").unwrap();
        assert!(letters.len() == 40 && letters.bytes().all(|b| b.is_ascii_alphanumeric()));
        assert_eq!(answer.expires_in_ms, 60_000);
        assert!(answer.expires_at_ms > made.record.created_ms + 59_999, "{answer:?}");
        assert_eq!(answer.opens, ["/v1/tts/stream", "/v1/tts", "/v1/tts/timed"]);
        assert_eq!(answer.origins, ["https://a.example", "https://b.example"]);
    }
}

#[tokio::test]
async fn invalid_token_requests_get_no_token() {
    let server = TestServer::start().await;
    let client = server.client();
    ask(&client.with_key(None), "").await.assert_error(ErrorCode::MissingApiKey);
    ask(&client.with_key(Some("sk_wrong")), "").await.assert_error(ErrorCode::InvalidApiKey);
    let token = client.token().await;
    ask(&client.with_key(Some(&token)), "").await.assert_error(ErrorCode::InvalidApiKey);
    client.with_key(Some(&token)).post(TEXT).await.audio();
    ask(&client, "[").await.assert_error(ErrorCode::InvalidJson);
    let mut text = client.request(Method::POST, "/v1/tokens", "{}");
    text.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
    client.send(text).await.assert_error(ErrorCode::UnsupportedMediaType);
    let get = client.get("/v1/tokens").await;
    get.assert_error(ErrorCode::MethodNotAllowed);
    assert_eq!(get.header("allow"), "POST");
    let in_url = client.request(Method::POST, &format!("/v1/tokens?key={}", server.key), "");
    client.send(in_url).await.assert_error(ErrorCode::InvalidApiKey);
    for (spec, code) in [
        (KeySpec { expires_ms: Some(1), ..KeySpec::named("old") }, ErrorCode::ExpiredApiKey),
        (KeySpec::named("lost"), ErrorCode::RevokedApiKey),
    ] {
        let made = server.create_key(spec).await;
        server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
        let reply = ask(&client.with_key(Some(made.secret.reveal())), "").await;
        // a key that is both expired and revoked counts as revoked
        reply.assert_error(if code == ErrorCode::ExpiredApiKey { ErrorCode::RevokedApiKey } else { code });
    }
}

#[tokio::test]
async fn tokens_count_as_requests_of_the_key_and_are_limited() {
    let server = TestServer::start().await;
    let limits = KeyLimits { rate: Some(0.01), burst: Some(2), streams: None };
    let made = server.create_key(KeySpec { limits, ..KeySpec::named("slow") }).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    for remaining in ["1", "0"] {
        let reply = ask(&client, "").await;
        assert_eq!((reply.status, reply.header("ratelimit-remaining")), (StatusCode::OK, remaining));
    }
    let refused = ask(&client, "").await;
    refused.assert_error(ErrorCode::RateLimited);
    assert_eq!(refused.header("ratelimit-limit"), "2");

    let made = server.create_key(KeySpec::named("greedy")).await;
    let now_ms = made.record.created_ms;
    for _ in 0..MAX_UNUSED_TOKENS {
        let issued = server.store.issue_token(made.record.prefix.clone(), now_ms).await.unwrap();
        assert!(matches!(issued, Issuance::Issued(_)));
    }
    let refused = ask(&server.client().with_key(Some(made.secret.reveal())), "").await;
    let error = refused.assert_error(ErrorCode::RateLimited);
    assert!(error["retry_after_ms"].as_u64().is_some_and(|ms| ms <= 60_000), "{error}");
}

#[tokio::test]
async fn a_token_pays_for_one_clip() {
    let server = TestServer::start().await;
    let token = server.client().token().await;
    let client = server.client().with_key(Some(&token));
    let clip = client.post(TEXT).await.audio();
    assert_eq!(clip, server.client().post(TEXT).await.audio(), "the clip that the key gets");
    for _ in 0..2 {
        let error = client.post(TEXT).await.assert_error(ErrorCode::InvalidToken);
        assert!(!error.to_string().contains("tok_"), "no token is repeated: {error}");
    }
    let key = server.store.list_keys(Actor::Operator).await.unwrap()[0].prefix.clone();
    let Issuance::Issued(old) = server.store.issue_token(key, 1).await.unwrap() else { panic!() };
    for token in [old.secret.reveal(), "tok_", "tok_x", &format!("tok_{}", "a".repeat(40))] {
        client.with_key(Some(token)).post(TEXT).await.assert_error(ErrorCode::InvalidToken);
    }
}

#[tokio::test]
async fn only_one_clip_per_token_is_rendered() {
    let server = TestServer::start().await;
    let token = server.client().token().await;
    let mut tries = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let client = server.client().with_key(Some(&token));
        tries.spawn(async move {
            let reply = client.post(TEXT).await;
            if reply.status == StatusCode::OK {
                return true;
            }
            reply.assert_error(ErrorCode::InvalidToken);
            false
        });
    }
    let paid = tries.join_all().await.into_iter().filter(|&paid| paid).count();
    assert_eq!(paid, 1);
    server.idle().await;
}

#[tokio::test]
async fn a_failed_request_does_not_use_its_token() {
    let server = TestServer::builder().max_speeches(1).start().await;
    let origins = vec!["https://a.example".parse().unwrap()];
    let limits = KeyLimits { streams: Some(1), ..KeyLimits::default() };
    let made = server.create_key(KeySpec { origins, limits, ..KeySpec::named("a") }).await;
    let token = server.client().with_key(Some(made.secret.reveal())).token().await;
    let client = server.client().with_key(Some(&token));
    for (body, code) in [
        ("{", ErrorCode::InvalidJson),
        ("{}", ErrorCode::MissingField),
        (r#"{"text":"🙂"}"#, ErrorCode::EmptyText),
        (r#"{"text":"a","voice":"x"}"#, ErrorCode::UnknownVoice),
    ] {
        client.post(body).await.assert_error(code);
    }
    let elsewhere = client.post_from("https://b.example", TEXT).await;
    elsewhere.assert_error(ErrorCode::OriginNotAllowed);
    let mut text = client.request(Method::POST, "/v1/tts", TEXT);
    text.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
    client.send(text).await.assert_error(ErrorCode::UnsupportedMediaType);
    let mut flac = client.request(Method::POST, "/v1/tts", TEXT);
    flac.headers_mut().insert(header::ACCEPT, "audio/flac".parse().unwrap());
    client.send(flac).await.assert_error(ErrorCode::NotAcceptable);

    let long = json!({"text": crate::long_text(5_000)}).to_string();
    let with_key = client.with_key(Some(made.secret.reveal()));
    for (busy, code) in [(with_key, ErrorCode::ConcurrencyLimited), (server.client(), ErrorCode::Overloaded)]
    {
        let running = busy.open(busy.request(Method::POST, "/v1/tts", long.clone())).await;
        client.post(TEXT).await.assert_error(code);
        drop(running);
        server.idle().await;
    }
    client.post(TEXT).await.audio();
    client.post(TEXT).await.assert_error(ErrorCode::InvalidToken);
}

#[tokio::test]
async fn revoking_a_key_revokes_its_tokens() {
    let server = TestServer::start().await;
    let made = server.create_key(KeySpec::named("soon gone")).await;
    let token = server.client().with_key(Some(made.secret.reveal())).token().await;
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    let client = server.client().with_key(Some(&token));
    client.post(TEXT).await.assert_error(ErrorCode::InvalidToken);
}

#[tokio::test]
async fn a_server_creates_no_tokens_during_shutdown() {
    let mut server = TestServer::start().await;
    let token = server.client().token().await;
    let long = json!({"text": crate::long_text(5_000)}).to_string();
    let client = server.client();
    let running = client.open(client.request(Method::POST, "/v1/tts", long)).await;
    server.begin_shutdown();
    // the server has received the signal when it is no longer ready
    while client.get("/readyz").await.status == StatusCode::OK {}
    ask(&client, "").await.assert_error(ErrorCode::Draining);
    client.with_key(Some(&token)).post(TEXT).await.assert_error(ErrorCode::Draining);
    drop(running);
    server.stop().await;
}
