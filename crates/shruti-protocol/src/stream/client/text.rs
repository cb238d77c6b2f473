//! The message `text`: a part of a turn.

use serde::Serialize;
use serde_json::Value;

use super::{ConfigPatch, Fields, name};
use crate::fields::flag;
use crate::stream::{MAX_MESSAGE_CHARS, MAX_TURN_ID_CHARS};
use crate::{ApiError, ErrorCode, fields};

/// More text of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Text {
    /// Text, appended verbatim.
    pub text: String,
    /// Turn of the text; if absent, the open turn, or a new turn if none is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Whether this is the last text of the turn.
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// Whether to cancel the active turns if this message starts a turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preempt: bool,
    /// Settings of this turn only. The server applies them only if this is the first message of the turn.
    #[serde(flatten)]
    pub config: ConfigPatch,
}

impl Text {
    /// Reads and checks the fields of a message.
    pub(super) fn read(fields: &Fields) -> Result<Text, ApiError> {
        let text = match fields::field_value(fields, "text") {
            Some(Value::String(text)) => text,
            Some(other) => return Err(fields::wrong_type("text", "a string", other)),
            None => {
                let what = "text is required: the text to append, as a string";
                return Err(ApiError::new(ErrorCode::MissingField, what).with_param("text"));
            }
        };
        if text.contains('\0') {
            return Err(fields::invalid_field("text", "text has a NUL (U+0000); remove it".to_owned()));
        }
        let chars = text.chars().count();
        if chars > MAX_MESSAGE_CHARS {
            let message =
                format!("text has {chars} characters; the limit of a message is {MAX_MESSAGE_CHARS}");
            return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
        }
        Ok(Text {
            text: text.clone(),
            turn_id: name(fields, "turn_id", MAX_TURN_ID_CHARS)?,
            last: flag(fields, "final")?,
            preempt: flag(fields, "preempt")?,
            config: ConfigPatch::read(fields)?,
        })
    }
}
