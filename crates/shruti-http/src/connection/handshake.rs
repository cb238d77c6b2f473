//! TLS handshakes, and an answer for those who speak plain HTTP.

use std::io;
use std::sync::Arc;

use shruti_protocol::{ApiError, ErrorCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::raw_answer::{OnRefused, raw_answer};
use super::socket::Socket;
use crate::tls::Tls;

/// How much encrypted sound may wait in this process for a slow reader, beside what the kernel holds: 85 ms. It is
/// also the size of the largest record, and a client can use none of a record before it has the whole.
const BUFFER_BYTES: usize = 4 * 1024;

/// How much of a plain request is read and thrown away, so that its sender gets to read the answer.
const MOST_DISCARDED: u64 = 64 * 1024;

/// Why there is no TLS.
#[derive(Debug)]
pub(super) enum HandshakeError {
    /// The client spoke plain HTTP and was told.
    PlainHttp,
    /// It broke.
    Broken(io::Error),
}

/// Waits for a client's first byte and receives it.
pub(super) async fn handshake(
    tls: &Tls,
    mut stream: TcpStream,
    wrap: impl FnOnce(TcpStream) -> Socket,
    on_refused: &OnRefused,
) -> Result<TlsStream<Socket>, HandshakeError> {
    let mut first = [0];
    let peeked = stream.peek(&mut first).await.map_err(HandshakeError::Broken)?;
    // a handshake begins with 0x16, each method of HTTP with a letter
    if peeked > 0 && first[0].is_ascii_uppercase() {
        refuse(&mut stream, on_refused).await.map_err(HandshakeError::Broken)?;
        return Err(HandshakeError::PlainHttp);
    }
    TlsAcceptor::from(Arc::clone(tls.config()))
        .accept_with(wrap(stream), |connection| connection.set_buffer_limit(Some(BUFFER_BYTES)))
        .await
        .map_err(HandshakeError::Broken)
}

/// Answers plain HTTP.
async fn refuse(stream: &mut TcpStream, on_refused: &OnRefused) -> io::Result<()> {
    let error = ApiError::new(ErrorCode::HttpsRequired, "this port speaks HTTPS; use https:// or wss://");
    stream.write_all(&raw_answer(error, on_refused)).await?;
    stream.shutdown().await?;
    // a socket that is closed with bytes unread takes the answer back
    let mut rest = stream.take(MOST_DISCARDED);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.map(drop)
}
