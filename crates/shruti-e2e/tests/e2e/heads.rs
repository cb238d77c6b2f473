//! Tests of requests whose head is not valid HTTP/1.1 (RFC 9112): each gets the documented error.

use http::StatusCode;
use serde_json::json;
use shruti_testkit::raw::{self, End};
use shruti_testkit::{RawConnection, Reply, TestServer};

const GOOD: &str = "GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n";

/// Returns the response to some bytes, and everything else that is received before the connection ends.
async fn answer_to(server: &TestServer, bytes: impl AsRef<[u8]>) -> (Reply, Vec<u8>) {
    let mut connection = RawConnection::open(server.address).await;
    connection.send_leniently(bytes).await;
    let reply = connection.read_reply().await;
    (reply, connection.read_to_end().await)
}

fn assert_refused(what: &str, reply: &Reply, status: u16, code: &str) {
    assert_eq!(reply.status.as_u16(), status, "{what}");
    assert_eq!(reply.header("content-type"), "application/json", "{what}");
    let error = &reply.json()["error"];
    assert_eq!(error["code"], code, "{what}: {error}");
    assert_eq!(error["type"], "invalid_request_error");
    assert!(reply.header("x-request-id").starts_with("req_"));
    assert_eq!(error["request_id"], reply.header("x-request-id"));
}

#[tokio::test]
async fn an_invalid_head_gets_the_error_of_the_contract() {
    let server = TestServer::start().await;
    let with = |line: &str| format!("POST /v1/tts HTTP/1.1\r\nhost: test\r\n{line}\r\n\r\n");
    let cases = [
        ("no version", "GET /\r\n\r\n".to_owned()),
        ("an old version", "GET / HTTP/0.9\r\nhost: test\r\n\r\n".to_owned()),
        ("a future version", "GET / HTTP/3.0\r\nhost: test\r\n\r\n".to_owned()),
        ("no method", " / HTTP/1.1\r\nhost: test\r\n\r\n".to_owned()),
        ("a method with a bracket", "G(T / HTTP/1.1\r\nhost: test\r\n\r\n".to_owned()),
        ("a path with a space", "GET /a b HTTP/1.1\r\nhost: test\r\n\r\n".to_owned()),
        ("a header without a colon", with("nonsense")),
        ("a header name with a space", with("content length: 3")),
        ("a control character", with("x: a\u{1}b")),
        ("a folded header", with("x: a\r\n b")),
        ("an invalid length", with("content-length: three")),
        ("two lengths", with("content-length: 3\r\ncontent-length: 4")),
        ("a negative length", with("content-length: -1")),
        ("an unknown encoding", with("transfer-encoding: gzip")),
        ("TLS", "\u{16}\u{3}\u{1}\u{0}\u{1}hello\r\n\r\n".to_owned()),
        ("the beginning of HTTP/2", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".to_owned()),
    ];
    for (what, bytes) in cases {
        let (reply, rest) = answer_to(&server, &bytes).await;
        assert_refused(what, &reply, 400, "malformed_request");
        assert_eq!(reply.header("connection"), "close", "{what}");
        assert!(rest.is_empty(), "{what}: {}", String::from_utf8_lossy(&rest));
    }
    assert_eq!(server.client().get("/healthz").await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_oversized_head_gets_its_own_error() {
    let server = TestServer::start().await;
    let value = |bytes: usize| format!("GET / HTTP/1.1\r\nhost: test\r\nx: {}\r\n\r\n", "y".repeat(bytes));
    let many = "x-many: y\r\n".repeat(200);
    for (what, bytes) in [
        ("a value of 20 KB", value(20_000)),
        ("a value of 300 KB", value(300_000)),
        ("a path of 20 KB", format!("GET /{} HTTP/1.1\r\nhost: test\r\n\r\n", "p".repeat(20_000))),
        ("200 headers", format!("GET / HTTP/1.1\r\nhost: test\r\n{many}\r\n")),
    ] {
        let (reply, rest) = answer_to(&server, &bytes).await;
        assert_refused(what, &reply, 431, "head_too_large");
        assert!(rest.is_empty());
    }
    let mut connection = RawConnection::open(server.address).await;
    connection.send(value(10_000).replace("GET /", "GET /healthz")).await;
    assert_eq!(connection.read_reply().await.status, StatusCode::OK);
}

#[tokio::test]
async fn invalid_bytes_after_a_valid_request_are_answered_after_it() {
    let server = TestServer::start().await;
    let mut connection = RawConnection::open(server.address).await;
    connection.send(format!("{GOOD}{GOOD}nonsense\r\n\r\n")).await;
    for _ in 0..2 {
        assert_eq!(connection.read_reply().await.status, StatusCode::OK);
    }
    assert_refused("behind", &connection.read_reply().await, 400, "malformed_request");
    assert!(connection.read_to_end().await.is_empty());
    // the whole clip is sent before the error
    let clip = json!({"text": "Hello there."}).to_string();
    let mut connection = RawConnection::open(server.address).await;
    connection.send(format!("{}nonsense\r\n\r\n", raw::post_tts(&server.key, &clip))).await;
    let (status, headers) = connection.read_head().await;
    assert_eq!(status, StatusCode::OK);
    let (sound, end) = connection.read_body(&headers).await;
    assert!(end == End::Whole && sound.len() > 20_000);
    assert_refused("behind a clip", &connection.read_reply().await, 400, "malformed_request");
}

#[tokio::test]
async fn invalid_heads_get_errors_over_tls() {
    let server = TestServer::builder().tls().start().await;
    let config = crate::tls::trusting(&server.certificate(), b"http/1.1").into();
    let mut connection = RawConnection::open_secure(server.address, config).await;
    connection.send("nonsense\r\n\r\n").await;
    assert_refused("over TLS", &connection.read_reply().await, 400, "malformed_request");
    assert!(connection.read_to_end().await.is_empty());
}

#[tokio::test]
async fn an_invalid_chunked_body_gets_the_error_of_the_contract() {
    let server = TestServer::start().await;
    let head = format!(
        "POST /v1/tts HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n",
        server.key
    );
    for chunks in ["xyz\r\n{}\r\n0\r\n\r\n", "-1\r\n\r\n", "fffffffffffffffff\r\n{}", "2\r\n{}XX0\r\n\r\n"] {
        let (reply, _) = answer_to(&server, format!("{head}{chunks}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{chunks:?}");
        assert_eq!(reply.json()["error"]["request_id"], reply.header("x-request-id"), "{chunks:?}");
    }
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = TestServer::start().await;
    for lines in [
        "",
        "host:\r\n",
        "host: a.example\r\nhost: a.example\r\n",
        "host: a.example\r\nhost: b.example\r\n",
        "host: a.example, b.example\r\n",
        "host: a b\r\n",
        "host: http://a.example\r\n",
        "host: a.example/path\r\n",
        "host: user@a.example\r\n",
        "host: a.example:port\r\n",
        "host: a.example:99999\r\n",
        "host: \u{e9}\r\n",
    ] {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(format!("GET /healthz HTTP/1.1\r\n{lines}\r\n")).await;
        assert_refused(lines, &connection.read_reply().await, 400, "malformed_request");
        // the connection stays usable
        connection.send(GOOD).await;
        assert_eq!(connection.read_reply().await.status, StatusCode::OK, "{lines}");
    }
    for (version, lines) in [
        ("1.1", "host: localhost\r\n"),
        ("1.1", "host: a.example:8443\r\n"),
        ("1.1", "host: 192.0.2.1\r\n"),
        ("1.1", "host: [2001:db8::1]:80\r\n"),
        ("1.1", "HOST:   a_b.example.  \r\n"),
        ("1.0", ""),
        ("1.0", "host: a.example\r\n"),
    ] {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(format!("GET /healthz HTTP/{version}\r\n{lines}\r\n")).await;
        assert_eq!(connection.read_head().await.0, StatusCode::OK, "{version} {lines}");
    }
}
