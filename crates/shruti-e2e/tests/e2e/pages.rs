//! Tests of CORS: the web pages that may call the API and read its responses.

use http::{Method, StatusCode, header};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeySpec};
use shruti_testkit::contract::DOCUMENT;
use shruti_testkit::{Client, Reply, TestServer};

const TEXT: &str = r#"{"text":"hello"}"#;
const PAGE: &str = "https://shop.example";
const ELSEWHERE: &str = "https://elsewhere.example";

/// Starts a server. Returns the server and a client whose key allows the origin of a page. The server's own
/// key allows no origin.
async fn server_with_page() -> (TestServer, Client) {
    let server = TestServer::start().await;
    let spec = KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") };
    let made = server.create_key(spec).await;
    let client = server.client().with_key(Some(made.secret.reveal()));
    (server, client)
}

/// Asserts that only pages of the origin `by` may read a response, or no page if `by` is `None`.
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
async fn an_allowed_page_can_synthesize_and_read_all_responses() {
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
async fn a_page_without_an_allowing_key_gets_no_information() {
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
async fn programs_and_own_pages_need_no_permission() {
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
async fn allowed_origins_follow_key_changes() {
    let server = TestServer::start().await;
    let client = server.client();
    client.preflight(ELSEWHERE, "/v1/tts").await.assert_error(ErrorCode::OriginNotAllowed);
    let spec = KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") };
    let made = server.create_key(spec).await;
    assert_eq!(client.preflight(PAGE, "/v1/tts").await.status, StatusCode::NO_CONTENT);
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    let revoked = std::time::Instant::now();
    loop {
        let elapsed = revoked.elapsed();
        let reply = client.preflight(PAGE, "/v1/tts").await;
        if reply.status != StatusCode::NO_CONTENT {
            reply.assert_error(ErrorCode::OriginNotAllowed);
            return;
        }
        // the documented limit for a revocation to take effect
        assert!(elapsed.as_millis() < 2_000, "the page is still allowed");
    }
}

/// Returns every operation of the OpenAPI document: its method, its path with a voice filled in, and whether web pages
/// may use it.
fn operations() -> impl Iterator<Item = (Method, String, bool)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, operation)| {
            let tag = operation["tags"][0].as_str().unwrap();
            let (is_shared, method) = (!["health", "documents"].contains(&tag), method.to_uppercase());
            (method.parse().unwrap(), path.replace("{voice_id}", "Ananya"), is_shared)
        })
    })
}

#[tokio::test]
async fn cors_applies_to_every_client_path_and_no_other() {
    let (_server, client) = server_with_page().await;
    let stranger = client.with_key(None);
    let mut shared_operations = 0;
    for (method, path, is_shared) in operations() {
        // the placeholder without its braces is used as a name
        let path = path.replace(['{', '}'], "");
        let preflight = client.preflight(PAGE, &path).await;
        if !is_shared {
            assert!(preflight.status.is_client_error(), "{path}");
            assert_eq!(preflight.header("access-control-allow-origin"), "", "{path}");
            continue;
        }
        shared_operations += 1;
        let mut request = stranger.request(method.clone(), &path, "{}");
        request.headers_mut().insert(header::ORIGIN, PAGE.parse().unwrap());
        let reply = stranger.send(request).await;
        assert_eq!(preflight.status, StatusCode::NO_CONTENT, "{path}");
        assert_readable(&preflight, Some(PAGE));
        let methods = preflight.header("access-control-allow-methods");
        assert!(methods.split(", ").any(|allowed| allowed == method.as_str()), "{path}: {methods}");
        let headers: Vec<_> = preflight.header("access-control-allow-headers").split(", ").collect();
        for name in ["authorization", "content-type", "x-api-key", "xi-api-key", "api-subscription-key", "*"]
        {
            assert!(headers.contains(&name), "{path}: {name} is missing in {headers:?}");
        }
        // the response is an error, or a list that requires no key
        assert_readable(&reply, Some(PAGE));
        let elsewhere = client.preflight(ELSEWHERE, &path).await;
        elsewhere.assert_error(ErrorCode::OriginNotAllowed);
        assert_readable(&elsewhere, None);
    }
    assert!(shared_operations > 20, "{shared_operations}");
}

#[tokio::test]
async fn a_page_can_send_its_key_as_clients_of_other_services_do() {
    let server = TestServer::start().await;
    let spec = KeySpec { origins: vec![PAGE.parse().unwrap()], ..KeySpec::named("with a page") };
    let made = server.create_key(spec).await;
    let key = made.secret.reveal();
    let client = server.client().with_key(None);
    let bearer = format!("Bearer {key}");
    for (path, name, value, body) in [
        (
            "/v1/audio/speech",
            "authorization",
            bearer.as_str(),
            r#"{"input":"hello","voice":"alloy","model":"tts-1"}"#,
        ),
        (
            "/tts/bytes",
            "x-api-key",
            key,
            r#"{"transcript":"hello","voice":"Ananya","output_format":{"container":"wav"}}"#,
        ),
        ("/v1/speak?model=ananya", "authorization", bearer.as_str(), TEXT),
        ("/v1/text-to-speech/Ananya", "xi-api-key", key, TEXT),
        (
            "/text-to-speech",
            "api-subscription-key",
            key,
            r#"{"text":"hello","speaker":"Ananya","target_language_code":"en-IN"}"#,
        ),
    ] {
        for (page, status) in [(PAGE, StatusCode::OK), (ELSEWHERE, StatusCode::FORBIDDEN)] {
            let mut request = client.request(Method::POST, path, body);
            request.headers_mut().insert(header::ORIGIN, page.parse().unwrap());
            request.headers_mut().insert(name, value.parse().unwrap());
            let reply = client.send(request).await;
            assert_eq!(reply.status, status, "{path} from {page}: {:?}", reply.body);
            assert_readable(&reply, (page == PAGE).then_some(PAGE));
        }
    }
}

#[tokio::test]
async fn an_options_request_without_preflight_headers_is_rejected() {
    let (_server, client) = server_with_page().await;
    let mut options = client.request(Method::OPTIONS, "/v1/tts", "");
    options.headers_mut().insert(header::ORIGIN, PAGE.parse().unwrap());
    let reply = client.send(options).await;
    reply.assert_error(ErrorCode::MethodNotAllowed);
    assert_readable(&reply, Some(PAGE));
}
