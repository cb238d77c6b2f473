//! Server messages of the WebSocket in ElevenLabs' format.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use shruti_protocol::ApiError;
use tokio_tungstenite::tungstenite::Message;

use super::alignment::SocketAlignment;
use super::errors::word;

/// Server message. The context ID is sent in two spellings, since some clients read only `contextId`, and others
/// only `context_id`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Event<'a> {
    #[serde(rename_all = "camelCase")]
    Spoken {
        /// Audio in base64.
        audio: Option<String>,
        /// Character timestamps of the audio that follows.
        alignment: Option<&'a SocketAlignment>,
        normalized_alignment: Option<&'a SocketAlignment>,
        context_id: Option<&'a str>,
        #[serde(rename = "context_id")]
        snake_case_id: Option<&'a str>,
    },
    #[serde(rename_all = "camelCase")]
    Final {
        is_final: bool,
        context_id: Option<&'a str>,
        #[serde(rename = "context_id")]
        snake_case_id: Option<&'a str>,
    },
    #[serde(rename_all = "camelCase")]
    Error {
        error: &'a str,
        /// Same as `error`; the SDK raises the error of the connection only if this field is present.
        message: &'a str,
        code: &'static str,
        context_id: Option<&'a str>,
        #[serde(rename = "context_id")]
        snake_case_id: Option<&'a str>,
    },
}

/// Creates a message with audio.
pub(super) fn sound(context_id: Option<&str>, sound: &[u8]) -> Message {
    let audio = Some(STANDARD.encode(sound));
    let (alignment, normalized_alignment, snake_case_id) = (None, None, context_id);
    text(&Event::Spoken { audio, alignment, normalized_alignment, context_id, snake_case_id })
}

/// Creates a message with the character timestamps of the audio that follows.
pub(super) fn alignment(context_id: Option<&str>, times: &SocketAlignment) -> Message {
    let (audio, alignment, snake_case_id) = (None, Some(times), context_id);
    text(&Event::Spoken { audio, alignment, normalized_alignment: alignment, context_id, snake_case_id })
}

/// Creates the message for the end of a context.
pub(super) fn end(context_id: Option<&str>) -> Message {
    text(&Event::Final { is_final: true, context_id, snake_case_id: context_id })
}

/// Creates the message for an error that ends a context or concerns the whole connection.
pub(super) fn error(context_id: Option<&str>, error: &ApiError) -> Message {
    let (message, code, snake_case_id) = (error.message.as_str(), word(error.code), context_id);
    text(&Event::Error { error: message, message, code, context_id, snake_case_id })
}

fn text(event: &Event<'_>) -> Message {
    // serialising plain data cannot fail
    Message::Text(serde_json::to_string(event).unwrap_or_default().into())
}
