//! Raw bytes on a real socket, for tests of requests that no client library sends.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::Reply;
use crate::server::PATIENCE;

/// A connection on which a test writes HTTP/1.1 itself.
#[derive(Debug)]
pub struct RawConnection {
    stream: Either<TcpStream, Box<TlsStream<TcpStream>>>,
    /// Bytes that were read but not yet consumed.
    buffer: Vec<u8>,
}

/// Way in which a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The body is complete according to its framing.
    Whole,
    /// The connection ended before the body was complete.
    CutOff,
}

impl RawConnection {
    /// Connects to an address.
    pub async fn open(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }

    /// Connects with TLS, as host `localhost`.
    pub async fn open_secure(address: SocketAddr, config: Arc<rustls::ClientConfig>) -> Self {
        Self::secure(TcpStream::connect(address).await.unwrap(), config).await
    }

    /// Performs a TLS handshake for `localhost` on an open connection.
    pub async fn secure(stream: TcpStream, config: Arc<rustls::ClientConfig>) -> Self {
        let name = ServerName::try_from("localhost").unwrap();
        let shaken = TlsConnector::from(config).connect(name, stream);
        let stream = tokio::time::timeout(PATIENCE, shaken).await.expect("no handshake").unwrap();
        Self { stream: Either::Right(Box::new(stream)), buffer: Vec::new() }
    }

    fn over(stream: TcpStream) -> Self {
        Self { stream: Either::Left(stream), buffer: Vec::new() }
    }

    /// Returns the state of the TLS connection. Panics if the connection does not use TLS.
    pub fn tls(&self) -> &rustls::ClientConnection {
        match &self.stream {
            Either::Left(_) => panic!("a plain connection"),
            Either::Right(stream) => stream.get_ref().1,
        }
    }

    /// Connects with a small receive buffer that unread data fills quickly.
    pub async fn open_small(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        Self::over(socket.connect(address).await.unwrap())
    }

    /// Sends bytes unchanged.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Sends bytes unchanged. A failure is ignored.
    pub async fn send_leniently(&mut self, bytes: impl AsRef<[u8]>) {
        // a server that rejects a request may close the connection before it has read everything
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// Shuts down the sending direction.
    pub async fn finish_sending(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Reads until the server ends or resets the connection, and returns the bytes.
    pub async fn read_to_end(&mut self) -> Vec<u8> {
        while self.fill().await {}
        std::mem::take(&mut self.buffer)
    }

    /// Reads the status line and the headers of a response.
    pub async fn read_head(&mut self) -> (StatusCode, HeaderMap) {
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
            assert!(self.fill().await, "no head: {:?}", String::from_utf8_lossy(&self.buffer));
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(':').unwrap();
            (name.parse::<HeaderName>().unwrap(), value.trim().parse::<HeaderValue>().unwrap())
        };
        (status, lines.filter(|line| !line.is_empty()).map(header).collect())
    }

    /// Reads the body of a response with the framing that its headers define.
    pub async fn read_body(&mut self, headers: &HeaderMap) -> (Bytes, End) {
        if let Some(length) = headers.get("content-length") {
            let length: usize = length.to_str().unwrap().parse().unwrap();
            return self.take(length).await;
        }
        let mut body = Vec::new();
        loop {
            match self.read_chunk().await {
                None => return (body.into(), End::CutOff),
                Some(chunk) if chunk.is_empty() => return (body.into(), End::Whole),
                Some(chunk) => body.extend_from_slice(&chunk),
            }
        }
    }

    /// Reads one chunk of a chunked body. The last chunk is empty. Returns `None` if the connection ends without a last
    /// chunk.
    pub async fn read_chunk(&mut self) -> Option<Bytes> {
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n") {
                break end;
            }
            if !self.fill().await {
                return None;
            }
        };
        let size = std::str::from_utf8(&self.buffer[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        self.buffer.drain(..end + 2);
        let (mut chunk, end) = self.take(size + 2).await;
        chunk.truncate(size);
        (end == End::Whole).then_some(chunk)
    }

    /// Reads a complete response.
    pub async fn read_reply(&mut self) -> Reply {
        let (status, headers) = self.read_head().await;
        let (body, end) = self.read_body(&headers).await;
        assert_eq!(end, End::Whole, "the response is incomplete");
        Reply { status, headers, body }
    }

    /// Reads `length` bytes, or fewer if the connection ends.
    pub async fn read_bytes(&mut self, length: usize) -> Bytes {
        self.take(length).await.0
    }

    async fn take(&mut self, length: usize) -> (Bytes, End) {
        while self.buffer.len() < length {
            if !self.fill().await {
                return (std::mem::take(&mut self.buffer).into(), End::CutOff);
            }
        }
        (self.buffer.drain(..length).collect(), End::Whole)
    }

    /// Reads more bytes. Returns `false` at the end of the connection.
    async fn fill(&mut self) -> bool {
        let read = tokio::time::timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
        // a reset counts as an end
        matches!(read.expect("the server does not respond"), Ok(read) if read > 0)
    }
}

/// Returns the text of a `POST /v1/tts` request.
pub fn post_tts(key: &str, body: &str) -> String {
    post("/v1/tts", key, body)
}

/// Returns the text of a `POST` request with JSON to a path.
pub fn post(path: &str, key: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Returns the request line and headers of a WebSocket upgrade.
pub fn upgrade(path: &str, key: Option<&str>) -> String {
    let authorization = key.map(|key| format!("authorization: Bearer {key}"));
    upgrade_with(path, authorization.as_slice())
}

/// Returns the request line and headers of a WebSocket upgrade, with additional headers (`name: value`).
pub fn upgrade_with(path: &str, lines: &[String]) -> String {
    let mut head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    );
    for line in lines {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head + "\r\n"
}

/// Returns a WebSocket text frame as a client sends it.
pub fn text_frame(text: &str) -> Vec<u8> {
    frame(0x81, text.as_bytes())
}

/// Returns a WebSocket frame as a client sends it, with the first byte `head`.
pub fn frame(head: u8, payload: &[u8]) -> Vec<u8> {
    // a mask of zeros does not change the payload
    frame_with(head, payload, [0; 4])
}

/// Returns a WebSocket frame as a client sends it, with the first byte `head` and the given mask.
pub fn frame_with(head: u8, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    const MASKED: u8 = 0x80;
    let mut frame = vec![head];
    match payload.len() {
        length @ 0..126 => frame.push(MASKED + length as u8),
        length => {
            if let Ok(length) = u16::try_from(length) {
                frame.push(MASKED + 126);
                frame.extend(length.to_be_bytes());
            } else {
                frame.push(MASKED + 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
    }
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// Returns the first byte of each WebSocket frame that a server sent. The last frame may be incomplete.
pub fn frame_heads(mut bytes: &[u8]) -> Vec<u8> {
    let mut heads = Vec::new();
    while let [head, length, rest @ ..] = bytes {
        heads.push(*head);
        let (length, rest) = match (length, rest) {
            (126, [high, low, rest @ ..]) => (u16::from_be_bytes([*high, *low]).into(), rest),
            (126 | 127, _) => break,
            (length, rest) => ((*length).into(), rest),
        };
        bytes = rest.get(length..).unwrap_or_default();
    }
    heads
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
