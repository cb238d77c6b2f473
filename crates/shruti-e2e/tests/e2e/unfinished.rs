//! Tests of clients that start a request but do not finish it: readers with a closed flow-control window,
//! incomplete heads, unread bodies.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::select_all;
use http::StatusCode;
use shruti_protocol::ErrorCode;
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{RawConnection, TestServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A client that writes and reads individual frames of HTTP/2 (RFC 9113).
struct Http2(TcpStream);

#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Http2 {
    /// Connects with a window of `window` bytes for each stream.
    async fn open(address: SocketAddr, window: u32) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
        let mut client = Self(stream);
        client.set_window(window).await;
        client
    }

    /// Sends `SETTINGS_INITIAL_WINDOW_SIZE`.
    async fn set_window(&mut self, window: u32) {
        let setting = [&4_u16.to_be_bytes()[..], &window.to_be_bytes()].concat();
        self.send(SETTINGS, 0, 0, &setting).await;
    }

    async fn get(&mut self, stream: u32, path: &str) {
        // :method GET, :scheme http, :path, :authority (RFC 7541, appendix A)
        let length = path.len() as u8;
        let fields = [&[0x82, 0x86, 4, length][..], path.as_bytes(), &[1, 4], b"test"].concat();
        self.send(HEADERS, END_STREAM | END_HEADERS, stream, &fields).await;
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = (payload.len() as u32).to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
        self.0.write_all(&[&head[..], payload].concat()).await.unwrap();
    }

    /// Returns the next frame of a stream.
    async fn frame_of(&mut self, stream: u32) -> Frame {
        loop {
            let frame = timeout(PATIENCE, self.frame()).await.expect("a frame");
            if frame.stream == stream {
                return frame;
            }
        }
    }

    async fn frame(&mut self) -> Frame {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.unwrap();
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.0.read_exact(&mut payload).await.unwrap();
        Frame { kind, flags, stream: u32::from_be_bytes(stream), payload }
    }

    /// Returns the body of a stream's response, or `None` if the stream was reset.
    async fn body(&mut self, stream: u32) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let frame = self.frame_of(stream).await;
            match frame.kind {
                DATA => body.extend(frame.payload),
                RST_STREAM => return None,
                _ => {}
            }
            if frame.flags & END_STREAM != 0 {
                return Some(body);
            }
        }
    }
}

async fn impatient() -> TestServer {
    TestServer::builder()
        .config(|config| config.timeouts.stalled_reader = Duration::from_millis(50))
        .start()
        .await
}

#[tokio::test]
async fn a_stream_without_window_is_reset_and_its_connection_continues() {
    let server = impatient().await;
    for (window, path) in [(0, "/openapi.json"), (0, "/healthz"), (1, "/healthz"), (20_000, "/openapi.json")]
    {
        let mut client = Http2::open(server.address, window).await;
        client.get(1, path).await;
        assert_eq!(client.body(1).await, None, "{path} with {window} bytes");
        client.set_window(65_535).await;
        client.get(3, "/healthz").await;
        assert_eq!(client.body(3).await.unwrap(), b"{\"status\":\"ok\"}");
    }
}

#[tokio::test]
async fn a_body_that_exactly_fits_the_window_ends() {
    let server = TestServer::start().await;
    let mut client = Http2::open(server.address, 15).await;
    client.get(1, "/healthz").await;
    assert_eq!(client.body(1).await.unwrap(), b"{\"status\":\"ok\"}");
}

#[tokio::test]
async fn a_large_document_is_sent_completely() {
    let server = TestServer::start().await;
    let expected = server.client().get("/asyncapi.json").await.body;
    assert!(expected.len() > 30_000, "several frames");
    let mut client = Http2::open(server.address, 1_000_000).await;
    let window_update = 8;
    client.send(window_update, 0, 0, &1_000_000_u32.to_be_bytes()).await;
    client.get(1, "/asyncapi.json").await;
    assert!(client.body(1).await.unwrap() == expected);
}

#[tokio::test]
async fn unfinished_heads_above_the_budget_evict_the_oldest() {
    let server = TestServer::builder().config(|config| config.max_unfinished_bytes = 40 * 1024).start().await;
    let half = format!("GET /healthz HTTP/1.1\r\nhost: test\r\nx: {}", "y".repeat(15_000));
    let mut slow = Vec::new();
    for _ in 0..4 {
        let mut connection = RawConnection::open(server.address).await;
        connection.send(&half).await;
        slow.push(connection);
    }
    let ends = slow.iter_mut().map(|connection| connection.read_to_end().boxed());
    let (last_words, ..) = select_all(ends).await;
    assert!(last_words.is_empty(), "a late head gets no response: {last_words:?}");
    assert_eq!(server.client().get("/healthz").await.status, StatusCode::OK);
}

#[tokio::test]
async fn unauthenticated_bodies_are_limited() {
    let server = TestServer::start().await;
    for path in ["sign-up", "sign-in", "link", "forgotten-password", "verify"] {
        let body = format!("{{\"x\": \"{}\"}}", "y".repeat(4_096));
        let mut connection = RawConnection::open(server.address).await;
        let head = format!(
            "POST /studio/api/{path} HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\nx-studio: 1\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        connection.send(head + &body).await;
        connection.read_reply().await.assert_error(ErrorCode::BodyTooLarge);
    }
}
