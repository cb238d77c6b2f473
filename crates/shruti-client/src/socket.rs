//! Opening of the WebSocket of a conversation, up to the server's greeting.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::{HeaderName, HeaderValue, header};
use rustls::pki_types::ServerName;
use shruti_protocol::stream::{PROTOCOL, ServerMessage};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use tokio_util::either::Either;

use crate::Error;
use crate::server::{Server, refusal_of};

/// Timeout from the start of the connection attempt to the `ready` message.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the read buffer of a connection, in bytes. It holds several of the longest audio frames; the
/// library's default would be 128 KiB.
const READ_BUFFER_BYTES: usize = 16 * 1024;

pub(crate) type Socket = WebSocketStream<Either<TcpStream, TlsStream<TcpStream>>>;

/// Connects, authenticates and waits for `ready`. Returns the socket and the ID that the server assigned to the
/// conversation.
pub(crate) async fn open(server: &Server) -> Result<(Socket, String), Error> {
    let opened = timeout(CONNECT_TIMEOUT, connect(server)).await;
    opened.unwrap_or_else(|_| {
        let cause = "the server does not answer".to_owned();
        Err(Error::Connect { server: server.endpoint.authority(), cause })
    })
}

async fn connect(server: &Server) -> Result<(Socket, String), Error> {
    let Server { endpoint, authorization, websocket_tls, .. } = server;
    let authority = endpoint.authority();
    let failed = |error: std::io::Error| Error::connect(&authority, &error);
    let tcp = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await.map_err(failed)?;
    tcp.set_nodelay(true).map_err(failed)?;
    let stream = if endpoint.is_secure {
        let name = ServerName::try_from(endpoint.host.clone())
            .map_err(|error| Error::Address { url: endpoint.host.clone(), what: error.to_string() })?;
        let tls = TlsConnector::from(Arc::clone(websocket_tls)).connect(name, tcp).await.map_err(failed)?;
        Either::Right(tls)
    } else {
        Either::Left(tcp)
    };
    let uri = endpoint.websocket_uri("/v1/tts/stream")?;
    let mut request = uri.into_client_request().map_err(|error| Error::Protocol(error.to_string()))?;
    let headers = request.headers_mut();
    headers.insert(header::AUTHORIZATION, authorization.clone());
    headers.insert(HeaderName::from_static("sec-websocket-protocol"), HeaderValue::from_static(PROTOCOL));
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES);
    let opened = client_async_with_config(request, stream, Some(config)).await;
    let (mut socket, _) = opened.map_err(|error| refused(&authority, error))?;
    match socket.next().await {
        Some(Ok(Message::Text(text))) => match serde_json::from_str(text.as_str()) {
            Ok(ServerMessage::Ready { session_id, .. }) => Ok((socket, session_id)),
            _ => Err(Error::Protocol("the first message is not a greeting".to_owned())),
        },
        Some(Ok(_)) => Err(Error::Protocol("the first message is not a greeting".to_owned())),
        Some(Err(error)) => Err(Error::broken(&error)),
        None => Err(Error::Broken("it ended without a greeting".to_owned())),
    }
}

fn refused(server: &str, error: tungstenite::Error) -> Error {
    match error {
        tungstenite::Error::Http(response) => {
            refusal_of(server, response.status(), response.body().as_deref().unwrap_or_default())
        }
        // the connection ended before the response
        error @ tungstenite::Error::Protocol(ProtocolError::HandshakeIncomplete) => {
            Error::connect(server, &error)
        }
        error @ (tungstenite::Error::Io(_) | tungstenite::Error::Tls(_)) => Error::connect(server, &error),
        error => Error::Protocol(error.to_string()),
    }
}
