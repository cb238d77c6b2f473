//! CORS: which web pages may call the API and read its answers.

use http::{Method, StatusCode, header};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeySpec};
use shruti_testkit::{Client, Reply, TestServer};

const TEXT: &str = r#"{"text":"hello"}"#;
const PAGE: &str = "https://shop.example";
const ELSEWHERE: &str = "https://elsewhere.example";

/// A server with a key that allows a page, beside its key that allows none.
async fn server_with_page() -> (TestServer, Client) {
    let server = TestServer::start().await;
    let spec = KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") };
    let made = server.create_key(spec).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    (server, client)
}

/// Whether a page may read an answer.
fn assert_readable(reply: &Reply, by: Option<&str>) {
    assert_eq!(reply.header("access-control-allow-origin"), by.unwrap_or_default(), "{reply:?}");
    let vary: Vec<_> = reply.headers.get_all(header::VARY).iter().collect();
    assert!(vary.iter().any(|name| *name == "origin"), "{vary:?}");
    assert!(!reply.headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
    let exposed = reply.header("access-control-expose-headers").to_ascii_lowercase();
    let exposed: Vec<&str> = exposed.split(',').map(str::trim).collect();
    if by.is_none() || reply.status == StatusCode::NO_CONTENT {
        return assert_eq!(exposed, [""]);
    }
    let read = reply.headers.keys().map(header::HeaderName::as_str);
    let ours = read.filter(|name| name.starts_with("x-") || name.starts_with("ratelimit-"));
    for name in ours.filter(|&name| name != "x-content-type-options").chain(["retry-after", "server-timing"])
    {
        assert!(exposed.contains(&name), "{name} cannot be read by the page: {exposed:?}");
    }
}

#[tokio::test]
async fn a_page_that_the_key_allows_speaks_and_reads_everything() {
    let (server, client) = server_with_page().await;
    let preflight = client.preflight(PAGE, "/v1/tts").await;
    assert_eq!((preflight.status, preflight.body.len()), (StatusCode::NO_CONTENT, 0));
    assert_readable(&preflight, Some(PAGE));
    assert_eq!(preflight.header("access-control-allow-methods"), "POST");
    let headers = preflight.header("access-control-allow-headers");
    assert!(headers.contains("authorization") && headers.contains("content-type"), "{headers}");
    assert!(preflight.header("access-control-max-age").parse::<u32>().unwrap() > 0);
    assert!(preflight.header("x-request-id").starts_with("req_"));

    let token = client.token().await;
    let paid = client.with_key(Some(&token));
    let clip = paid.post_from(PAGE, TEXT).await;
    assert_readable(&clip, Some(PAGE));
    clip.audio();
    for (reply, code) in [
        (paid.post_from(PAGE, TEXT).await, ErrorCode::InvalidToken),
        (client.post_from(PAGE, "{}").await, ErrorCode::MissingField),
        (client.with_key(None).post_from(PAGE, TEXT).await, ErrorCode::MissingApiKey),
        (client.with_key(Some("sk_x")).post_from(PAGE, TEXT).await, ErrorCode::InvalidApiKey),
        (server.client().post_from(PAGE, TEXT).await, ErrorCode::OriginNotAllowed),
    ] {
        reply.assert_error(code);
        assert_readable(&reply, Some(PAGE));
    }
}

#[tokio::test]
async fn a_page_that_no_key_allows_is_told_nothing() {
    let (server, client) = server_with_page().await;
    for origin in [ELSEWHERE, "http://shop.example", "https://shop.example:8443", "null", "*", "what?"] {
        let preflight = client.preflight(origin, "/v1/tts").await;
        preflight.assert_error(ErrorCode::OriginNotAllowed);
        assert_readable(&preflight, None);
        let token = client.token().await;
        for client in [&client, &server.client(), &client.with_key(Some(&token))] {
            let reply = client.post_from(origin, TEXT).await;
            reply.assert_error(ErrorCode::OriginNotAllowed);
            assert_readable(&reply, None);
        }
        let reply = client.with_key(None).post_from(origin, TEXT).await;
        reply.assert_error(ErrorCode::MissingApiKey);
        assert_readable(&reply, None);
    }
}

#[tokio::test]
async fn programs_and_the_server_s_own_pages_need_no_leave() {
    let (server, client) = server_with_page().await;
    let own = format!("http://{}", server.address);
    for client in [client.clone(), server.client()] {
        for client in [client.clone(), client.clone().over_http2()] {
            let plain = client.post(TEXT).await;
            assert_readable(&plain, None);
            plain.audio();
            let token = client.with_key(None).with_key(Some(&client.token().await));
            for same in [client.post_from(&own, TEXT).await, token.post_from(&own, TEXT).await] {
                assert_readable(&same, None);
                same.audio();
            }
        }
    }
}

#[tokio::test]
async fn origins_follow_the_keys() {
    let server = TestServer::start().await;
    let client = server.client();
    client.preflight(ELSEWHERE, "/v1/tts").await.assert_error(ErrorCode::OriginNotAllowed);
    let spec = KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") };
    let made = server.create_key(spec).await;
    assert_eq!(client.preflight(PAGE, "/v1/tts").await.status, StatusCode::NO_CONTENT);
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    let revoked = std::time::Instant::now();
    loop {
        let asked = revoked.elapsed();
        let reply = client.preflight(PAGE, "/v1/tts").await;
        if reply.status != StatusCode::NO_CONTENT {
            reply.assert_error(ErrorCode::OriginNotAllowed);
            return;
        }
        // the documented bound
        assert!(asked.as_millis() < 2_000, "the page is still let in");
    }
}

#[tokio::test]
async fn what_is_no_preflight_and_other_paths_are_as_ever() {
    let (_server, client) = server_with_page().await;
    let mut options = client.request(Method::OPTIONS, "/v1/tts", "");
    options.headers_mut().insert(header::ORIGIN, PAGE.parse().unwrap());
    let reply = client.send(options).await;
    reply.assert_error(ErrorCode::MethodNotAllowed);
    assert_readable(&reply, Some(PAGE));
    // a page that makes tokens would have to hold the key
    for path in ["/v1/tokens", "/v1/voices", "/v1/tts/stream", "/docs/errors"] {
        let reply = client.preflight(PAGE, path).await;
        assert!(reply.status.is_client_error(), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), "", "{path}");
    }
}
