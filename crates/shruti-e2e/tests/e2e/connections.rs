//! Tests of connections: keep-alive, pipelining, HTTP/2 with prior knowledge, idle timeouts.

use http::{StatusCode, Version};
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_testkit::{RawConnection, TestServer, raw};

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::start().await;
    let alone = server.client().speak(&json!({"text": "one"})).await;
    let mut connection = RawConnection::open(server.address).await;
    let post = |body: &str| raw::post_tts(&server.key, body);
    let requests = [
        post(r#"{"text":"one"}"#),
        post("{}"),
        "GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n".to_owned(),
        post(r#"{"text":"one"}"#),
    ];
    connection.send(requests.concat()).await;
    assert_eq!(connection.read_reply().await.audio(), alone);
    connection.read_reply().await.assert_error(ErrorCode::MissingField);
    assert_eq!(connection.read_reply().await.body, "{\"status\":\"ok\"}");
    assert_eq!(connection.read_reply().await.audio(), alone);
}

#[tokio::test]
async fn a_connection_stays_open_after_errors() {
    let server = TestServer::start().await;
    let mut connection = RawConnection::open(server.address).await;
    for _ in 0..20 {
        for (body, code) in [("{", ErrorCode::InvalidJson), (r#"{"text":" "}"#, ErrorCode::EmptyText)] {
            connection.send(raw::post_tts(&server.key, body)).await;
            connection.read_reply().await.assert_error(code);
        }
        // the body arrives after the request has been rejected
        connection.send(raw::post_tts("sk_wrong", &" ".repeat(60_000))).await;
        connection.read_reply().await.assert_error(ErrorCode::InvalidApiKey);
        connection.send("PUT /nowhere HTTP/1.1\r\nhost: test\r\ncontent-length: 3\r\n\r\nabc").await;
        connection.read_reply().await.assert_error(ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn http_2_with_prior_knowledge_serves_concurrent_requests() {
    let server = TestServer::start().await;
    let client = server.client().over_http2();
    let alone = server.client().speak(&json!({"text": "side by side"})).await;
    let body = json!({"text": "side by side"});
    let all = (0..50).map(|_| client.speak(&body));
    for audio in futures_util::future::join_all(all).await {
        assert_eq!(audio, alone);
    }
    let response = client.open(client.request(http::Method::GET, "/healthz", "")).await;
    assert_eq!(response.version(), Version::HTTP_2);
    client.post("{}").await.assert_error(ErrorCode::MissingField);
}

#[tokio::test]
async fn expect_100_continue_is_answered() {
    let server = TestServer::start().await;
    let body = r#"{"text":"a"}"#;
    let ask = |key: &str| raw::post_tts(key, body).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    let mut connection = RawConnection::open(server.address).await;
    connection.send(ask(&server.key).strip_suffix(body).unwrap()).await;
    let (status, _) = connection.read_head().await;
    assert_eq!(status, StatusCode::CONTINUE);
    connection.send(body).await;
    connection.read_reply().await.audio();

    let mut connection = RawConnection::open(server.address).await;
    connection.send(ask("sk_wrong").strip_suffix(body).unwrap()).await;
    connection.read_reply().await.assert_error(ErrorCode::InvalidApiKey);
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let server = TestServer::builder()
        .config(|config| config.timeouts.idle = std::time::Duration::from_millis(50))
        .start()
        .await;
    let mut connection = RawConnection::open(server.address).await;
    connection.send("GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert_eq!(connection.read_reply().await.status, StatusCode::OK);
    assert!(connection.read_to_end().await.is_empty(), "ends without a response");
}

#[tokio::test]
async fn an_http_2_connection_without_a_request_ends_without_an_http_1_response() {
    let short = std::time::Duration::from_millis(50);
    let server = TestServer::builder()
        .config(|config| (config.timeouts.head, config.timeouts.idle) = (short, short))
        .start()
        .await;
    let mut connection = RawConnection::open(server.address).await;
    let empty_settings = "\0\0\0\u{4}\0\0\0\0\0";
    connection.send(format!("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{empty_settings}")).await;
    let reported = connection.read_to_end().await;
    assert_eq!(reported.get(3), Some(&4), "the server's settings: {reported:?}");
    assert!(!reported.windows(5).any(|bytes| bytes == b"HTTP/"), "{}", String::from_utf8_lossy(&reported));
}

#[tokio::test]
async fn excess_connections_are_closed_immediately() {
    let server = TestServer::builder().config(|config| config.max_connections = 1).start().await;
    let mut first = RawConnection::open(server.address).await;
    first.send("GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert_eq!(first.read_reply().await.status, StatusCode::OK);
    let mut second = RawConnection::open(server.address).await;
    assert!(second.read_to_end().await.is_empty());
    first.send("GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert_eq!(first.read_reply().await.status, StatusCode::OK);
}

#[tokio::test]
async fn invalid_http_does_not_affect_other_clients() {
    let server = TestServer::start().await;
    let long_head = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(100_000));
    for nonsense in ["\0\0\0\0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense nonsense", &long_head] {
        let mut connection = RawConnection::open(server.address).await;
        // the server may close the connection before it has read everything
        let _ = tokio::time::timeout(shruti_testkit::server::PATIENCE, async {
            connection.send_leniently(nonsense).await;
            connection.read_to_end().await
        })
        .await
        .expect("the connection ends");
    }
    assert_eq!(server.client().get("/healthz").await.status, StatusCode::OK);
}
