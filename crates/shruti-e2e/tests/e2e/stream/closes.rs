//! Tests of closing a WebSocket (RFC 6455, sections 5.5.1 and 7) over a raw socket: regardless of which side starts,
//! both sides send a Close frame, and then the connection ends.

use http::StatusCode;
use shruti_testkit::raw::{self, frame, frame_with};
use shruti_testkit::{RawConnection, TestServer};

const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;
const FIN: u8 = 0x80;

/// A conversation over a raw socket, with its session ID.
struct RawConversation {
    connection: RawConnection,
    id: String,
}

/// A frame from the server.
struct Frame {
    head: u8,
    payload: Vec<u8>,
}

impl RawConversation {
    async fn open(server: &TestServer) -> Self {
        let connection = RawConnection::open(server.address).await;
        Self::upgrade(server, connection).await
    }

    async fn upgrade(server: &TestServer, mut connection: RawConnection) -> Self {
        connection.send(raw::upgrade("/v1/tts/stream", Some(&server.key))).await;
        let (status, headers) = connection.read_head().await;
        assert_eq!(status, StatusCode::SWITCHING_PROTOCOLS);
        let id = headers["x-request-id"].to_str().unwrap().to_owned();
        let mut raw_ws = Self { connection, id };
        assert_eq!(raw_ws.next().await.unwrap().head, FIN | TEXT, "`ready`");
        raw_ws
    }

    /// Returns the next frame, or `None` at the end of the connection.
    async fn next(&mut self) -> Option<Frame> {
        let head = self.connection.read_bytes(2).await;
        let [head, size] = head[..] else {
            assert!(head.is_empty(), "half a frame");
            return None;
        };
        let size = match size {
            126 => u16::from_be_bytes(self.connection.read_bytes(2).await[..].try_into().unwrap()).into(),
            size => usize::from(size),
        };
        let payload = self.connection.read_bytes(size).await.to_vec();
        assert_eq!(payload.len(), size, "half a frame");
        Some(Frame { head, payload })
    }

    /// Reads until the server's Close frame and the end of the connection after it. Returns the payload of the Close
    /// frame.
    async fn closed(&mut self) -> Vec<u8> {
        let close = loop {
            let frame = self.next().await.expect("the connection ends without a Close");
            if frame.head == FIN | CLOSE {
                break frame.payload;
            }
            assert!([FIN | TEXT, FIN | BINARY, FIN | PONG].contains(&frame.head), "{:x}", frame.head);
        };
        assert!(self.next().await.is_none(), "data after the Close frame");
        close
    }

    /// Sends bytes and asserts that they end the connection with this close code and name.
    async fn ends_with(mut self, bytes: &[u8], code: u16, name: &str) {
        self.connection.send_leniently(bytes).await;
        let payload = self.closed().await;
        assert_eq!(payload[..2], code.to_be_bytes(), "{bytes:x?}");
        assert_eq!(std::str::from_utf8(&payload[2..]).unwrap(), format!("{name} {}", self.id));
    }
}

fn close(code: u16, reason: &[u8]) -> Vec<u8> {
    frame(FIN | CLOSE, &[&code.to_be_bytes(), reason].concat())
}

fn text_message(text: &str) -> Vec<u8> {
    raw::text_frame(&format!(r#"{{"text":"{text}","turn_id":"t","final":true,"max_lead_ms":0}}"#))
}

#[tokio::test]
async fn a_client_close_is_answered_with_its_code() {
    let server = TestServer::start().await;
    for (sent, answer) in [
        (close(1000, b""), &[0x03, 0xe8][..]),
        (close(1000, "अलविदा".as_bytes()), &[&[0x03, 0xe8], "अलविदा".as_bytes()].concat()),
        (close(1001, b"gone"), b"\x03\xe9gone"),
        (close(3000, b""), &3000_u16.to_be_bytes()),
        (close(4999, b""), &4999_u16.to_be_bytes()),
        (frame(FIN | CLOSE, b""), b""),
    ] {
        let mut raw_ws = RawConversation::open(&server).await;
        raw_ws.connection.send(&sent).await;
        assert_eq!(raw_ws.closed().await, answer, "{sent:x?}");
    }
}

#[tokio::test]
async fn a_close_during_audio_is_answered() {
    let server = TestServer::start().await;
    let mut raw_ws = RawConversation::open(&server).await;
    raw_ws.connection.send(text_message(&crate::long_text(3_000))).await;
    while raw_ws.next().await.unwrap().head != FIN | BINARY {}
    raw_ws.connection.send(close(1000, b"")).await;
    assert_eq!(raw_ws.closed().await, 1000_u16.to_be_bytes());
    server.idle().await;
    // the Close frame is sent in one write with the messages before and after it
    let mut raw_ws = RawConversation::open(&server).await;
    raw_ws
        .connection
        .send([text_message("Hello there."), close(1000, b""), text_message("Too late.")].concat())
        .await;
    assert_eq!(raw_ws.closed().await, 1000_u16.to_be_bytes());
    server.idle().await;
}

#[tokio::test]
async fn a_close_over_tls_is_answered_before_tls_closes() {
    let server = TestServer::builder().tls().start().await;
    let config = crate::tls::trusting(&server.certificate(), b"http/1.1").into();
    let connection = RawConnection::open_secure(server.address, config).await;
    let mut raw_ws = RawConversation::upgrade(&server, connection).await;
    raw_ws.connection.send(close(1000, b"")).await;
    assert_eq!(raw_ws.closed().await, 1000_u16.to_be_bytes());
}

#[tokio::test]
async fn frames_that_the_rfc_forbids_end_with_1002() {
    let server = TestServer::start().await;
    let ping = |size: usize| frame(FIN | PING, &vec![b'p'; size]);
    let cases = [
        ("unmasked", [&[FIN | TEXT, 2][..], b"{}"].concat()),
        ("RSV1", frame(FIN | 0x40 | TEXT, b"{}")),
        ("RSV2", frame(FIN | 0x20 | TEXT, b"{}")),
        ("RSV3", frame(FIN | 0x10 | PING, b"")),
        ("opcode 3", frame(FIN | 0x3, b"")),
        ("opcode 7", frame(FIN | 0x7, b"{}")),
        ("opcode 11", frame(FIN | 0xB, b"")),
        ("opcode 15", frame(FIN | 0xF, b"{}")),
        ("ping of 126 bytes", ping(126)),
        ("ping of 5,000 bytes", ping(5_000)),
        ("close of 126 bytes", frame(FIN | CLOSE, &[&[0x03, 0xe8], &[b'x'; 124][..]].concat())),
        ("half a ping", frame(PING, b"")),
        ("half a close", frame(CLOSE, b"")),
        ("an end without a beginning", frame(FIN, b"{}")),
        ("a beginning within a message", [frame(TEXT, b"{"), frame(FIN | TEXT, b"}")].concat()),
        ("close of one byte", frame(FIN | CLOSE, b"\x03")),
        ("unmasked within a burst", [ping(5), vec![FIN | TEXT, 0], ping(5)].concat()),
    ];
    for (what, bytes) in cases {
        println!("{what}");
        RawConversation::open(&server).await.ends_with(&bytes, 1002, "protocol_error").await;
        server.idle().await;
    }
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535] {
        let mut raw_ws = RawConversation::open(&server).await;
        raw_ws.connection.send(close(code, b"")).await;
        assert_eq!(raw_ws.closed().await[..2], 1002_u16.to_be_bytes(), "{code}");
    }
}

#[tokio::test]
async fn unsupported_frames_close_with_their_code() {
    let server = TestServer::start().await;
    let longer = "x".repeat(65_537);
    let halves = [frame(TEXT, &[b'{', 0xe0, 0xa4]), frame(FIN, b"}")].concat();
    for (bytes, code, name) in [
        (frame(FIN | BINARY, b"abc"), 1003, "binary_not_supported"),
        (frame(FIN | TEXT, b"{\xff}"), 1007, "invalid_utf8"),
        (frame(FIN | TEXT, b"{\xed\xa0\x80}"), 1007, "invalid_utf8"),
        (halves, 1007, "invalid_utf8"),
        (close(1000, b"\xff"), 1007, "invalid_utf8"),
        (raw::frame_with(FIN | TEXT, longer.as_bytes(), [7, 1, 9, 3]), 1009, "message_too_big"),
        (
            [frame(TEXT, &vec![b' '; 60_000]), frame(FIN, &vec![b' '; 6_000])].concat(),
            1009,
            "message_too_big",
        ),
    ] {
        RawConversation::open(&server).await.ends_with(&bytes, code, name).await;
        server.idle().await;
    }
}

#[tokio::test]
async fn pings_are_answered_in_order_even_within_a_message() {
    let server = TestServer::start().await;
    let mut raw_ws = RawConversation::open(&server).await;
    let message = br#"{"type":"ping","id":"p"}"#;
    let (first, second) = message.split_at(9);
    let bytes = [
        frame_with(TEXT, first, [1, 2, 3, 4]),
        frame_with(FIN | PING, &[b'a'; 125], [9, 9, 9, 9]),
        frame(FIN | PONG, b"nobody asked"),
        frame(0, b""),
        frame(FIN | PING, b""),
        frame(FIN, second),
    ];
    raw_ws.connection.send(bytes.concat()).await;
    let mut received = Vec::new();
    while received.len() < 3 {
        let frame = raw_ws.next().await.unwrap();
        received.push((frame.head, frame.payload));
    }
    assert_eq!(received[0], (FIN | PONG, vec![b'a'; 125]));
    assert_eq!(received[1], (FIN | PONG, vec![]));
    assert_eq!(received[2], (FIN | TEXT, br#"{"type":"pong","id":"p"}"#.to_vec()));
}

#[tokio::test]
async fn a_client_that_does_not_answer_a_close_is_disconnected() {
    let server = TestServer::start().await;
    let mut raw_ws = RawConversation::open(&server).await;
    // this client sends nothing after the server's Close frame and keeps its side open
    raw_ws.connection.send(raw::text_frame(r#"{"type":"close"}"#)).await;
    assert_eq!(raw_ws.closed().await[..2], 1000_u16.to_be_bytes());
    // this client keeps sending after its own Close frame
    let mut raw_ws = RawConversation::open(&server).await;
    raw_ws.connection.send(close(1000, b"")).await;
    for _ in 0..100 {
        raw_ws.connection.send_leniently(text_message("More.")).await;
    }
    assert_eq!(raw_ws.closed().await, 1000_u16.to_be_bytes());
    server.idle().await;
}
