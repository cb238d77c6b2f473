//! Tests of the hosts that a server accepts. A web page can point its own host name at a server (DNS rebinding).

use http::{Method, StatusCode, header};
use serde_json::json;
use shruti_service::{HostNames, Hosts};
use shruti_testkit::{RawConnection, Reply, TestServer};

/// Starts a server with the allowed hosts `names` (none if empty), configured as the `shruti` command does for the
/// listen address `address`.
async fn serving(names: &str, address: &str) -> TestServer {
    let names = if names.is_empty() { HostNames::default() } else { names.parse().unwrap() };
    let hosts = Hosts::new(names, address.parse().unwrap(), false);
    TestServer::builder().config(|config| config.hosts = hosts).start().await
}

async fn ask(server: &TestServer, request: &str) -> Reply {
    let mut connection = RawConnection::open(server.address).await;
    connection.send(request).await;
    connection.read_reply().await
}

fn get(path: &str, host: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n")
}

fn assert_refused(reply: &Reply) {
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let error = &reply.json()["error"];
    assert_eq!((&error["code"], &error["param"]), (&json!("malformed_request"), &json!("host")));
    assert!(error["message"].as_str().unwrap().contains("--allow-hosts"), "{error}");
}

#[tokio::test]
async fn a_local_server_accepts_its_addresses_and_localhost_as_host() {
    let server = serving("", "127.0.0.1:8080").await;
    let port = server.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), "[::1]".to_owned()] {
        for path in ["/healthz", "/metrics", "/studio/api/setup", "/openapi.json"] {
            assert_eq!(ask(&server, &get(path, &host)).await.status, StatusCode::OK, "{host} {path}");
        }
    }
    for host in [format!("evil.example:{port}"), "127.0.0.1.evil.example".to_owned(), "shruti".to_owned()] {
        for path in
            ["/healthz", "/metrics", "/studio/api/setup", "/openapi.json", "/v1/tts/stream", "/nowhere"]
        {
            assert_refused(&ask(&server, &get(path, &host)).await);
        }
    }
    // the target of the request is a whole URL, as in requests to a proxy
    assert_refused(
        &ask(&server, "GET http://evil.example/metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await,
    );
    server.idle().await;
}

#[tokio::test]
async fn a_server_with_configured_host_names_rejects_others() {
    let server = serving("speech.example", "0.0.0.0:8080").await;
    for host in ["speech.example", "te.speech.example:8443", "192.0.2.7", "shruti-1:8080", "localhost"] {
        assert_eq!(ask(&server, &get("/metrics", host)).await.status, StatusCode::OK, "{host}");
    }
    assert_refused(&ask(&server, &get("/healthz", "evil.example")).await);
    // HTTP/2 sends the host as `:authority`
    let client = server.client().over_http2();
    let mut request = client.request(Method::GET, "/healthz", String::new());
    assert_eq!(client.send(request.clone()).await.status, StatusCode::OK);
    request.headers_mut().insert(header::HOST, "evil.example".parse().unwrap());
    assert_eq!(client.open(request).await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_server_without_configured_host_names_withholds_metrics_and_origin_from_unknown_hosts() {
    let server = serving("", "0.0.0.0:8080").await;
    assert_eq!(ask(&server, &get("/healthz", "tts.example")).await.status, StatusCode::OK);
    let refused = ask(&server, &get("/metrics", "tts.example")).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("--allow-hosts"));
    assert_eq!(ask(&server, &get("/metrics", "shruti-1:8080")).await.status, StatusCode::OK);

    let speak = async |host: &str, scheme: &str| {
        let body = json!({"text": "a"}).to_string();
        let client = server.client();
        let mut request = client.request(Method::POST, "/v1/tts", body);
        request.headers_mut().insert(header::ORIGIN, format!("{scheme}://{host}").parse().unwrap());
        request.headers_mut().insert(header::HOST, host.parse().unwrap());
        client.send(request).await.status
    };
    // with a key that has no origins, only the server's own pages are allowed
    assert_eq!(speak("localhost", "http").await, StatusCode::OK);
    assert_eq!(speak("evil.example", "http").await, StatusCode::FORBIDDEN);
    assert_eq!(speak("tts.example", "https").await, StatusCode::OK, "a proxy has its certificate");
}
