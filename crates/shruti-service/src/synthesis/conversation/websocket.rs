//! WebSocket of a conversation: opening and closing handshakes (RFC 6455, sections 4.2 and 7).

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::Response;
use futures_util::{SinkExt, StreamExt};
use http::request::Parts;
use http::{HeaderValue, Request, header};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use shruti_protocol::stream::{CloseCode, MAX_MESSAGE_BYTES};
use shruti_protocol::{ApiError, ErrorCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::server::create_response;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::transport::Transport;
use crate::app::App;
use crate::http::ErrorResponse;
use crate::http::errors::draining;

/// Size of the read buffer, in bytes. Every connection has a read buffer, even when it is idle. With the library's
/// default of 128 KiB, the buffer would be most of the memory of a connection.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Maximum size of the write buffer, in bytes. It holds the longest audio frame and several messages.
const WRITE_BUFFER_BYTES: usize = 64 * 1024;
/// Timeout of the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// An open WebSocket.
pub type WebSocket = WebSocketStream<TokioIo<Upgraded>>;

/// A valid WebSocket upgrade request.
pub struct Upgrade {
    answer: Response,
    upgraded: OnUpgrade,
}

impl Upgrade {
    /// Reads an upgrade request; returns `None` if the request is not a valid WebSocket upgrade.
    pub(crate) fn of(parts: &mut Parts) -> Option<Self> {
        let upgraded = parts.extensions.remove::<OnUpgrade>()?;
        let mut request = Request::new(());
        *request.method_mut() = parts.method.clone();
        *request.version_mut() = parts.version;
        *request.headers_mut() = parts.headers.clone();
        let answer = create_response(&request).ok()?.map(|()| Body::empty());
        Some(Self { answer, upgraded })
    }

    /// Returns the response that accepts the upgrade with a subprotocol, and starts a task that runs `converse` on the
    /// WebSocket.
    pub fn accept<C>(
        mut self,
        protocol: Option<HeaderValue>,
        converse: impl FnOnce(WebSocket) -> C + Send + 'static,
    ) -> Response
    where
        C: Future<Output = ()> + Send,
    {
        if let Some(protocol) = protocol {
            self.answer.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        tokio::spawn(async move {
            match self.upgraded.await {
                Ok(upgraded) => {
                    let stream = TokioIo::new(upgraded);
                    converse(WebSocketStream::from_raw_socket(stream, Role::Server, Some(config())).await)
                        .await;
                }
                Err(error) => tracing::debug!(%error, "a client disconnected during its upgrade"),
            }
        });
        self.answer
    }
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
        .read_buffer_size(READ_BUFFER_BYTES)
        // every message goes to the socket immediately, since a cancel could not drop a buffered one
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER_BYTES)
}

/// Returns the close code for a read error; `None` if the connection is lost.
pub(super) fn close_code(error: &Error) -> Option<CloseCode> {
    match error {
        Error::Capacity(_) => Some(CloseCode::TooBig),
        Error::Utf8(_) => Some(CloseCode::InvalidUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(CloseCode::ProtocolError),
        _ => None,
    }
}

/// Sends the last messages and a close frame, waits for the client's close frame, and ends the connection. Gives up
/// after two seconds.
pub async fn close(mut socket: WebSocket, words: impl IntoIterator<Item = Message>, frame: CloseFrame) {
    let closing = async {
        for word in words {
            // a failure is ignored here, because it occurs again when the close frame is sent
            let _ = socket.feed(word).await;
        }
        if socket.send(Message::Close(Some(frame))).await.is_ok() {
            // read until the client's close frame, the end of the stream or a read error
            while let Some(Ok(_)) = socket.next().await {}
            end_stream(socket.get_mut()).await;
        }
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

/// Responds to the client's close frame and ends the connection.
pub async fn answer_close(mut socket: WebSocket) {
    let closing = async {
        // the library queued the response when it read the close frame
        if socket.flush().await.is_ok() {
            end_stream(socket.get_mut()).await;
        }
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

impl Transport for WebSocket {
    async fn close(self, words: Vec<Message>, frame: CloseFrame) {
        close(self, words, frame).await;
    }

    async fn answer_close(self) {
        answer_close(self).await;
    }
}

/// Ends a connection: closes the write side, and reads until the client closes too. Otherwise, unread data would reset
/// the connection, and the client could lose the last message.
pub async fn end_stream(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    if stream.shutdown().await.is_ok() {
        let mut unwanted = [0; 1024];
        while let Ok(1..) = stream.read(&mut unwanted).await {}
    }
}

impl FromRequestParts<Arc<App>> for Upgrade {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        let upgrade = Self::of(parts);
        if app.is_draining() {
            return Err(draining().into());
        }
        // a client without a WebSocket upgrade can use the response to check for free capacity
        Ok(upgrade.ok_or_else(|| app.streams.refusal().unwrap_or_else(websocket_required))?)
    }
}

fn websocket_required() -> ApiError {
    let message = "this path supports only WebSocket; for one clip, use POST /v1/tts";
    ApiError::new(ErrorCode::WebsocketRequired, message)
}
