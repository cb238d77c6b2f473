//! Tests of keys and tokens in the headers, query parameters and subprotocols that clients of other services use.

use http::{HeaderName, Method, StatusCode, header};
use serde_json::json;
use shruti_store::{KeySpec, Scope};
use shruti_testkit::TestServer;

use super::json_socket::JsonSocket;

const SOCKET: &str = "/tts/websocket";

/// A path and headers, and the status and the error code of the rejection.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], u16, &'a str);

#[tokio::test]
async fn the_key_is_read_from_the_header_of_each_client() {
    let server = TestServer::start().await;
    let anonymous = server.client().with_key(None);
    for (name, value) in [
        ("authorization", format!("Bearer {}", server.key)),
        ("authorization", format!("token {}", server.key)),
        ("x-api-key", server.key.clone()),
        ("xi-api-key", server.key.clone()),
        ("api-subscription-key", server.key.clone()),
        ("x-vapi-secret", server.key.clone()),
    ] {
        let name: HeaderName = name.parse().unwrap();
        let body = json!({"input": "हाँ।"}).to_string();
        let mut request = anonymous.request(Method::POST, "/v1/audio/speech", body);
        request.headers_mut().insert(name.clone(), value.parse().unwrap());
        assert_eq!(anonymous.send(request).await.status, StatusCode::OK, "{name}");
        let opened = JsonSocket::open(&server, SOCKET, &[(name.as_str(), value.as_str())]).await;
        assert!(opened.is_ok(), "{name}");
        // the native endpoints accept only `Authorization: Bearer`
        let mut request = anonymous.request(Method::POST, "/v1/tts", json!({"text": "हाँ।"}).to_string());
        request.headers_mut().insert(name.clone(), value.parse().unwrap());
        let is_ours = name == header::AUTHORIZATION && value.starts_with("Bearer");
        let status = anonymous.send(request).await.status;
        assert_eq!(status, if is_ours { StatusCode::OK } else { StatusCode::UNAUTHORIZED }, "{name}");
    }
}

#[tokio::test]
async fn rejections_precede_the_upgrade_in_the_format_of_the_api() {
    let server = TestServer::start().await;
    let mut spec = KeySpec::named("reader");
    spec.scopes = [Scope::UsageRead].into();
    let reader = server.create_key(spec).await.secret.reveal().to_owned();
    let spent = server.create_account("asha@example.org", 1).await;
    let spent = server.create_key_of(&spent, KeySpec::named("a")).await.secret.reveal().to_owned();
    let client = server.client().with_key(Some(&spent));
    client.post(json!({"text": "क"}).to_string()).await;
    let in_url = format!("{SOCKET}?api_key={}", server.key);
    let as_token = format!("{SOCKET}?access_token={}", server.key);
    let cases: [Case<'_>; 8] = [
        (SOCKET, &[], 401, "missing_api_key"),
        (SOCKET, &[("x-api-key", "sk_wrong")], 401, "invalid_api_key"),
        (SOCKET, &[("x-api-key", &reader)], 403, "insufficient_scope"),
        (SOCKET, &[("x-api-key", &spent)], 402, "quota_exhausted"),
        (&in_url, &[], 401, "invalid_api_key"),
        (&as_token, &[], 401, "invalid_api_key"),
        ("/tts/websocket?access_token=tok_unknown", &[], 401, "invalid_token"),
        ("/tts/websocket?max_lead_ms=never", &[("x-api-key", &server.key)], 400, "invalid_field"),
    ];
    for (path, headers, status, code) in cases {
        let refusal = JsonSocket::open(&server, path, headers).await.err().expect("accepted");
        assert_eq!(
            (refusal.status.as_u16(), &refusal.body["error_code"]),
            (status, &json!(code)),
            "{path} {refusal:?}"
        );
    }
}

#[tokio::test]
async fn a_browser_token_opens_one_socket() {
    let server = TestServer::start().await;
    for way in ["access_token", "single_use_token", "subprotocol"] {
        let token = server.client().token().await;
        let (path, headers) = match way {
            "subprotocol" => (SOCKET.to_owned(), vec![("sec-websocket-protocol", format!("token, {token}"))]),
            name => (format!("{SOCKET}?{name}={token}"), vec![]),
        };
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let socket =
            JsonSocket::open(&server, &path, &headers).await.unwrap_or_else(|no| panic!("{way}: {no:?}"));
        assert_eq!(socket.protocol.as_deref(), (way == "subprotocol").then_some("token"));
        let refusal = JsonSocket::open(&server, &path, &headers).await.err().expect("accepted twice");
        assert_eq!(
            (refusal.status, &refusal.body["error_code"]),
            (StatusCode::UNAUTHORIZED, &json!("invalid_token"))
        );
    }
}
