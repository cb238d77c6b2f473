//! TLS handshakes, and the error response to clients that use plain HTTP.

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

/// Maximum number of encrypted bytes that are buffered in this process for a slow reader, in addition to the kernel's
/// buffer: 85 ms of audio. This is also the maximum size of a TLS record; a client cannot use any part of a record
/// before it has received the whole record.
const BUFFER_BYTES: usize = 4 * 1024;

/// Maximum number of bytes of a plain HTTP request that are read and discarded so that the client can read the
/// response.
const MAX_DISCARDED: u64 = 64 * 1024;

/// Failure of a TLS handshake.
#[derive(Debug)]
pub(super) enum HandshakeError {
    /// The client used plain HTTP and has received an error response.
    PlainHttp,
    /// The handshake failed.
    Broken(io::Error),
}

/// Waits for the client's first byte and performs the handshake.
pub(super) async fn handshake(
    tls: &Tls,
    mut stream: TcpStream,
    wrap: impl FnOnce(TcpStream) -> Socket,
    on_refused: &OnRefused,
) -> Result<TlsStream<Socket>, HandshakeError> {
    let mut first = [0];
    let peeked = stream.peek(&mut first).await.map_err(HandshakeError::Broken)?;
    // a TLS handshake begins with 0x16, an HTTP method with an upper-case letter
    if peeked > 0 && first[0].is_ascii_uppercase() {
        refuse(&mut stream, on_refused).await.map_err(HandshakeError::Broken)?;
        return Err(HandshakeError::PlainHttp);
    }
    TlsAcceptor::from(Arc::clone(tls.config()))
        .accept_with(wrap(stream), |connection| connection.set_buffer_limit(Some(BUFFER_BYTES)))
        .await
        .map_err(HandshakeError::Broken)
}

/// Responds to a plain HTTP request with an error.
async fn refuse(stream: &mut TcpStream, on_refused: &OnRefused) -> io::Result<()> {
    let error = ApiError::new(ErrorCode::HttpsRequired, "this port speaks HTTPS; use https:// or wss://");
    stream.write_all(&raw_answer(error, on_refused)).await?;
    stream.shutdown().await?;
    // closing a socket with unread bytes can discard the response
    let mut rest = stream.take(MAX_DISCARDED);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.map(drop)
}
