//! Tests of every error that requests can provoke: status, headers, body.

use http::{HeaderValue, Method, StatusCode, header};
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeySpec, Scope};
use shruti_testkit::{RawConnection, TestServer, raw};

use crate::long_text;

#[tokio::test]
async fn an_invalid_body_gets_a_clear_error_and_the_server_continues() {
    use ErrorCode::{
        BodyTooLarge, EmptyText, InvalidField, InvalidJson, MissingField, TextTooLong, UnknownVoice,
        UnsupportedLanguage,
    };
    let server = TestServer::start().await;
    let client = server.client();
    let too_long = json!({"text": long_text(5_001)}).to_string();
    let too_large = format!("{{\"text\":\"hello\",\"padding\":\"{}\"}}", "x".repeat(64 * 1024 - 28));
    assert_eq!(too_large.len(), 64 * 1024 + 1);
    let cases: &[(&str, ErrorCode, Option<&str>)] = &[
        ("", InvalidJson, None),
        ("{", InvalidJson, None),
        ("[1]", InvalidJson, None),
        (r#"{"text":"\ud83d"}"#, InvalidJson, None),
        (r#"{"text":"\udc00 \ud800"}"#, InvalidJson, None),
        ("{\"text\":\"a\0b\"}", InvalidJson, None),
        (r#"{"text":"a\u0000b"}"#, InvalidField, Some("text")),
        ("{}", MissingField, Some("text")),
        (r#"{"text":7}"#, InvalidField, Some("text")),
        (r#"{"text":"a","speed":"fast"}"#, InvalidField, Some("speed")),
        (r#"{"text":"a","speed":0.1}"#, InvalidField, Some("speed")),
        (r#"{"text":"a","pitch":-6.1}"#, InvalidField, Some("pitch")),
        (r#"{"text":"a","lexicon":{"a":7}}"#, InvalidField, Some("lexicon.a")),
        (r#"{"text":"a","lexicon":{"a":"/§/"}}"#, InvalidField, Some("lexicon.a")),
        (r#"{"text":"a","voice":"Nobody"}"#, UnknownVoice, Some("voice")),
        (r#"{"text":"a","language":"xx"}"#, UnsupportedLanguage, Some("language")),
        (r#"{"text":" \t\n "}"#, EmptyText, Some("text")),
        (r#"{"text":"🙂 🎉"}"#, EmptyText, Some("text")),
        (r#"{"text":"** -- **"}"#, EmptyText, Some("text")),
        (&too_long, TextTooLong, Some("text")),
        (&too_large, BodyTooLarge, None),
    ];
    for (body, code, param) in cases {
        let reply = client.post(body.to_string()).await;
        let error = reply.assert_error(*code);
        assert_eq!(error["param"].as_str(), *param, "{error}");
    }
    let not_utf8 = client.post(b"{\"text\":\"\xff\"}".to_vec()).await;
    not_utf8.assert_error(InvalidJson);
    let longest = json!({"text": long_text(5_000)}).to_string();
    assert_eq!(client.post(longest).await.status, StatusCode::OK);
    let largest = format!("{{\"text\":\"hello\",\"padding\":\"{}\"}}", "x".repeat(64 * 1024 - 29));
    assert_eq!(largest.len(), 64 * 1024);
    client.post(largest).await.audio().assert_speech("a body of 64 KiB");
}

#[tokio::test]
async fn a_chunked_body_is_bounded() {
    let server = TestServer::start().await;
    let mut connection = RawConnection::open(server.address).await;
    let head = format!(
        "POST /v1/tts HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n",
        server.key
    );
    connection.send(head).await;
    let piece = " ".repeat(1_000);
    for _ in 0..66 {
        connection.send(format!("3e8\r\n{piece}\r\n")).await;
    }
    connection.send("0\r\n\r\n").await;
    let reply = connection.read_reply().await;
    reply.assert_error(ErrorCode::BodyTooLarge);
    assert_eq!(reply.header("connection"), "close");
}

#[tokio::test]
async fn unauthenticated_requests_get_instructions() {
    let server = TestServer::start().await;
    let body = json!({"text": "hello"}).to_string();
    let client = server.client();
    let anonymous = client.with_key(None);
    let error = anonymous.post(body.clone()).await.assert_error(ErrorCode::MissingApiKey);
    assert!(error["message"].as_str().unwrap().contains("Bearer"), "{error}");

    let with_header = async |value: &str| {
        let mut request = anonymous.request(Method::POST, "/v1/tts", body.clone());
        request.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        anonymous.send(request).await
    };
    for value in ["Basic YTpi", "Bearer", &server.key] {
        with_header(value).await.assert_error(ErrorCode::MissingApiKey);
    }
    let never_made = format!("Bearer sk_{}", "a".repeat(40));
    for value in ["Bearer x", "Bearer sk_", &never_made, &format!("Bearer {}x", server.key)] {
        with_header(value).await.assert_error(ErrorCode::InvalidApiKey);
    }
    with_header(&format!("bEARER {}", server.key)).await.audio().assert_speech("another case");
}

#[tokio::test]
async fn a_key_in_a_url_is_rejected_even_with_a_valid_header() {
    let server = TestServer::start().await;
    let client = server.client();
    for query in [format!("api_key={}", server.key), format!("x={}", server.key), "key=1".to_owned()] {
        for client in [&client, &client.with_key(None)] {
            let request = client.request(Method::POST, &format!("/v1/tts?{query}"), r#"{"text":"a"}"#);
            let error = client.send(request).await.assert_error(ErrorCode::InvalidApiKey);
            assert!(!error.to_string().contains("sk_"), "no key is repeated: {error}");
        }
    }
}

#[tokio::test]
async fn a_key_without_permission_gets_the_reason() {
    let server = TestServer::start().await;
    let body = json!({"text": "hello"}).to_string();
    let spec = KeySpec { scopes: vec![Scope::UsageRead], ..KeySpec::named("reader") };
    let reader = server.create_key(spec).await;
    let client = server.client().with_key(Some(reader.secret.reveal()));
    let error = client.post(body.clone()).await.assert_error(ErrorCode::InsufficientScope);
    assert!(error["message"].as_str().unwrap().contains("'tts'"), "{error}");

    let expired = server.create_key(KeySpec { expires_ms: Some(1), ..KeySpec::named("old") }).await;
    let client = server.client().with_key(Some(expired.secret.reveal()));
    client.post(body.clone()).await.assert_error(ErrorCode::ExpiredApiKey);

    let revoked = server.create_key(KeySpec::named("lost")).await;
    server.store.revoke_key(Actor::Operator, revoked.record.prefix, 1).await.unwrap();
    let client = server.client().with_key(Some(revoked.secret.reveal()));
    client.post(body).await.assert_error(ErrorCode::RevokedApiKey);
}

#[tokio::test]
async fn a_revoked_key_stops_working_within_two_seconds() {
    let server = TestServer::start().await;
    let made = server.create_key(KeySpec::named("soon gone")).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    let body = json!({"text": "hello"}).to_string();
    assert_eq!(client.post(body.clone()).await.status, StatusCode::OK);
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    let revoked = std::time::Instant::now();
    loop {
        let elapsed = revoked.elapsed();
        let reply = client.post(body.clone()).await;
        if reply.status == StatusCode::UNAUTHORIZED {
            reply.assert_error(ErrorCode::RevokedApiKey);
            return;
        }
        // the documented limit for a revocation to take effect
        assert!(elapsed.as_millis() < 2_000, "the key still works");
    }
}

#[tokio::test]
async fn errors_for_other_methods_and_paths_name_them() {
    let server = TestServer::start().await;
    let client = server.client();
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH] {
        let reply = client.send(client.request(method.clone(), "/v1/tts", "")).await;
        reply.assert_error(ErrorCode::MethodNotAllowed);
        assert_eq!(reply.header("allow"), "POST", "{method}");
    }
    let head = client.send(client.request(Method::HEAD, "/v1/tts", "")).await;
    assert_eq!((head.status, head.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "POST"));
    assert!(head.body.is_empty() && head.header("x-request-id").starts_with("req_"));
    let listing = client.send(client.request(Method::POST, "/v1/voices", "")).await;
    listing.assert_error(ErrorCode::MethodNotAllowed);
    assert_eq!(listing.header("allow"), "GET,HEAD");
    for path in [
        "/studios",
        "/v1",
        "/v1/tts/",
        "/v2/tts",
        "/docs/",
        "/docs/nothing",
        "/docs/%ff",
        "/%2e%2e/etc/passwd",
    ] {
        let error = client.get(path).await.assert_error(ErrorCode::NotFound);
        assert!(!error.to_string().contains("passwd"), "the request is not repeated: {error}");
    }
    let reply = client.get("/v1/tts/stream").await;
    reply.assert_error(ErrorCode::WebsocketRequired);
    assert_eq!(reply.header("upgrade"), "websocket");
}

#[tokio::test]
async fn content_types_of_request_and_response_are_negotiated() {
    let server = TestServer::start().await;
    let client = server.client();
    let with = async |name: header::HeaderName, value: Option<&'static str>| {
        let mut request = client.request(Method::POST, "/v1/tts", r#"{"text":"a"}"#);
        request.headers_mut().remove(&name);
        if let Some(value) = value {
            request.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        client.send(request).await
    };
    for wrong in [None, Some("text/plain"), Some("application/json; charset=latin1")] {
        with(header::CONTENT_TYPE, wrong).await.assert_error(ErrorCode::UnsupportedMediaType);
    }
    with(header::CONTENT_ENCODING, Some("gzip")).await.assert_error(ErrorCode::UnsupportedMediaType);
    for wrong in ["audio/flac", "application/json", "audio/L16; rate=9000", "*/*;q=0"] {
        with(header::ACCEPT, Some(wrong)).await.assert_error(ErrorCode::NotAcceptable);
    }
    with(header::CONTENT_TYPE, Some("application/json; charset=utf-8")).await.audio();
}

#[tokio::test]
async fn a_missing_body_times_out() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.body = std::time::Duration::from_millis(50))
        .start()
        .await;
    let mut connection = RawConnection::open(server.address).await;
    let request = raw::post_tts(&server.key, r#"{"text":"a"}"#);
    connection.send(&request[..request.len() - 1]).await;
    let reply = connection.read_reply().await;
    reply.assert_error(ErrorCode::RequestTimeout);
    assert_eq!(reply.header("connection"), "close");
    assert!(connection.read_to_end().await.is_empty(), "the connection ends");
}

#[tokio::test]
async fn a_missing_request_head_times_out() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.head = std::time::Duration::from_millis(50))
        .start()
        .await;
    let mut connection = RawConnection::open(server.address).await;
    connection.send("GET /healthz HTTP/1.1\r\nhost:").await;
    connection.read_reply().await.assert_error(ErrorCode::RequestTimeout);
    assert!(connection.read_to_end().await.is_empty(), "the connection ends");
}
