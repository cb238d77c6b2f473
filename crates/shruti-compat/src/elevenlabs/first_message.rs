//! Authentication with the first message of a WebSocket. ElevenLabs accepts the key in this message from
//! clients that send no headers.
//!
//! Since such a WebSocket is open before it is authenticated, it is limited: in time by the timeout for a
//! request head, in number by [`SignIns`](shruti_service::limits::SignIns), and in bytes by the maximum
//! message size. A field of the message is treated like the header of the same name, so that authentication
//! is the same in both cases.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::response::Response;
use futures_util::StreamExt;
use http::request::Parts;
use http::{HeaderName, HeaderValue, header};
use shruti_protocol::stream::MAX_MESSAGE_BYTES;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::auth::Credentials;
use shruti_service::http::errors::{draining, internal};
use shruti_service::http::{ClientInfo, ErrorResponse, RequestId};
use shruti_service::synthesis::conversation::{Dialect, Pump, Upgrade, WebSocket, websocket};
use shruti_text::Lexicon;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tracing::Instrument;

use super::dialect::ElevenLabsDialect;
use super::events;
use crate::common::fields;
use crate::common::socket::Opening;

/// Fields of a first message that contain a key, and the equivalent headers.
const FIELDS: [(&str, HeaderName); 3] = [
    ("xi_api_key", HeaderName::from_static("xi-api-key")),
    ("xi-api-key", HeaderName::from_static("xi-api-key")),
    ("authorization", header::AUTHORIZATION),
];

/// Returns whether a request has no key, so that the first message must contain it.
pub(super) fn is_awaited(parts: &Parts) -> bool {
    Credentials::are_absent(parts)
}

/// Accepts a WebSocket without a key, and starts the conversation after its first message has been authenticated.
pub(super) fn open(
    app: Arc<App>,
    upgrade: Upgrade,
    parts: Parts,
    dialect: impl FnOnce(Arc<Lexicon>) -> ElevenLabsDialect + Send + 'static,
) -> Result<Response, ErrorResponse> {
    // the router adds the request ID and the client's address to every request
    let id = parts.extensions.get::<RequestId>().copied().ok_or_else(internal)?;
    let client = parts.extensions.get::<ClientInfo>().copied().ok_or_else(internal)?;
    let permit = app.sign_ins.admit(client.address)?;
    let answer = upgrade.accept(None, move |mut socket| async move {
        let span = tracing::info_span!("stream", %id, api = ElevenLabsDialect::API_KIND.as_str());
        let signed_in = sign_in(&app, parts, dialect, &mut socket).instrument(span.clone()).await;
        drop(permit);
        match signed_in {
            Ok(pump) => pump.run(socket).await,
            Err(refused) => refused.close(&app, id, socket).instrument(span).await,
        }
    });
    Ok(answer)
}

/// Reason why a WebSocket ends before it is authenticated.
enum Refused {
    /// An error that is sent to the client.
    Error(ApiError),
    /// The client sent a close frame.
    Closed,
    /// The client disconnected, or violated the WebSocket protocol.
    Gone,
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl From<ErrorResponse> for Refused {
    fn from(error: ErrorResponse) -> Self {
        Self::Error(error.0)
    }
}

impl Refused {
    async fn close(self, app: &App, id: RequestId, socket: WebSocket) {
        match self {
            Self::Gone => {}
            Self::Closed => websocket::answer_close(socket).await,
            Self::Error(error) => {
                tracing::debug!(code = error.code.as_str(), "refused");
                app.metrics.failed(error.code);
                let reason = format!("{} {id}", error.code.as_str());
                let frame = CloseFrame { code: close_number(error.code).into(), reason: reason.into() };
                websocket::close(socket, [events::error(None, &error)], frame).await;
            }
        }
    }
}

async fn sign_in(
    app: &Arc<App>,
    mut parts: Parts,
    dialect: impl FnOnce(Arc<Lexicon>) -> ElevenLabsDialect,
    socket: &mut WebSocket,
) -> Result<Pump<ElevenLabsDialect>, Refused> {
    let limit = app.config.timeouts.head;
    let message = tokio::select! {
        message = timeout(limit, first_message(socket)) => message.map_err(|_elapsed| late(limit))??,
        () = app.draining.cancelled() => return Err(draining().into()),
    };
    take_key(&message, &mut parts)?;
    let opening = Opening::from_request_parts(&mut parts, app).await?;
    let dialect = dialect(Arc::clone(&opening.lexicon));
    Ok(opening.admit(dialect).await?.after(Message::text(message)))
}

/// Waits for the first text message.
async fn first_message(socket: &mut WebSocket) -> Result<String, Refused> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(message))) => return Ok(message.as_str().to_owned()),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Ok(Message::Binary(_))) => {
                let message = "binary frames are not supported; send JSON as text";
                return Err(ApiError::new(ErrorCode::InvalidField, message).into());
            }
            Some(Ok(Message::Close(_))) => return Err(Refused::Closed),
            Some(Err(Error::Capacity(_))) => {
                let message = format!("a message must have at most {MAX_MESSAGE_BYTES} bytes");
                return Err(ApiError::new(ErrorCode::BodyTooLarge, message).into());
            }
            Some(Err(_)) | None => return Err(Refused::Gone),
        }
    }
}

/// Adds the key of a message to the headers of the request.
fn take_key(message: &str, parts: &mut Parts) -> Result<(), ApiError> {
    let message = fields::object(message.as_bytes(), "the message")?;
    for (field, header) in FIELDS {
        let Some(value) = fields::string(&message, field)? else { continue };
        let value = HeaderValue::from_str(value).map_err(|_invalid| {
            ApiError::new(ErrorCode::InvalidApiKey, format!("{field} is not an API key"))
        })?;
        parts.headers.append(header, value);
    }
    if Credentials::are_absent(parts) {
        let message = "no API key was sent; send one as the header 'xi-api-key', or as 'xi_api_key' in the first \
                       message";
        return Err(ApiError::new(ErrorCode::MissingApiKey, message));
    }
    Ok(())
}

fn late(limit: Duration) -> ApiError {
    let message = format!(
        "no message was received within {} s; a connection without a key must begin with a message that has \
         'xi_api_key'",
        limit.as_secs()
    );
    ApiError::new(ErrorCode::RequestTimeout, message)
}

/// Returns the number of the close code for an error. Most errors of the first message result in 1008, as in
/// ElevenLabs' API, so that the client does not retry.
fn close_number(code: ErrorCode) -> u16 {
    match code.status() {
        400 | 401 | 403 | 408 => 1008,
        413 => 1009,
        _ if code == ErrorCode::Draining => 1001,
        503 => 1013,
        _ => 1011,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().uri("/v1/text-to-speech/Ananya/stream-input");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn only_a_request_without_any_key_waits_for_one() {
        for (headers, expected) in [
            (&[][..], true),
            (&[("xi-api-key", "")], true),
            (&[("xi-api-key", "sk_a")], false),
            (&[("authorization", "Basic sk_a")], false),
            (&[("authorization", "")], false),
            (&[("sec-websocket-protocol", "token, tok_a")], false),
        ] {
            assert_eq!(is_awaited(&parts(headers)), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_key_in_a_message_is_equivalent_to_the_header() {
        for (message, expected) in [
            (r#"{"text":" ","xi_api_key":"sk_a"}"#, Ok(("xi-api-key", "sk_a"))),
            (r#"{"text":" ","xi-api-key":"sk_a"}"#, Ok(("xi-api-key", "sk_a"))),
            (r#"{"authorization":"Bearer sk_a"}"#, Ok(("authorization", "Bearer sk_a"))),
            (r#"{"text":" "}"#, Err(ErrorCode::MissingApiKey)),
            (r#"{"xi_api_key":null}"#, Err(ErrorCode::MissingApiKey)),
            (r#"{"xi_api_key":""}"#, Err(ErrorCode::MissingApiKey)),
            (r#"{"xi_api_key":5}"#, Err(ErrorCode::InvalidField)),
            (r#"{"xi_api_key":"sk_a\r\nx: y"}"#, Err(ErrorCode::InvalidApiKey)),
            ("sk_a", Err(ErrorCode::InvalidJson)),
        ] {
            let mut parts = parts(&[]);
            let result = take_key(message, &mut parts).map_err(|error| error.code);
            let found = result.map(|()| {
                let (name, value) = parts.headers.iter().next().unwrap();
                (name.as_str().to_owned(), value.to_str().unwrap().to_owned())
            });
            let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(found, expected, "{message}");
        }
    }
}
