//! Messages from the client. Each message with several fields has its own file, which contains the fields and the
//! parser.

mod cancel;
mod config;
mod flush;
mod played;
mod text;

use serde::Serialize;
use serde_json::Value;
use shruti_lang::suggestion::did_you_mean;

use super::{MAX_ID_CHARS, MAX_TURN_ID_CHARS};
use crate::fields::Fields;
use crate::{ApiError, ErrorCode, fields};
pub use cancel::Cancel;
pub use config::{ConfigPatch, Timestamps};
pub use flush::Flush;
pub use played::Played;
pub use text::Text;

/// A message of the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// Settings of turns that start after this message.
    Config(ConfigPatch),
    /// More text of a turn. An object with `text` and no `type` is also parsed as this message.
    Text(Text),
    /// Request to speak the text that the server holds back.
    Flush(Flush),
    /// End of a turn: no more text follows.
    End {
        /// Turn to end; if absent, the open turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<String>,
    },
    /// Cancellation of one turn or of all turns (barge-in).
    Cancel(Cancel),
    /// Playback position of the listener.
    Played(Played),
    /// Ping, answered by `pong`.
    Ping {
        /// ID that the response repeats.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// Request to close the connection after all turns have ended.
    Close,
}

/// Names of the message types, for suggestions in an error.
const KINDS: [&str; 8] = ["config", "text", "flush", "end", "cancel", "played", "ping", "close"];

impl ClientMessage {
    /// Parses and checks a message. Unknown fields are ignored. Null counts as absent, except that a null `language` or
    /// `clarity` resets that setting.
    pub fn from_json(message: &[u8]) -> Result<Self, ApiError> {
        Self::from_fields(&fields::object(message, "the message")?)
    }

    /// Checks the fields of a message, as [`from_json`](Self::from_json) does.
    pub fn from_fields(fields: &Fields) -> Result<Self, ApiError> {
        let kind = match fields::field_value(fields, "type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(other) => return Err(fields::wrong_type("type", "a string", other)),
            None if fields.contains_key("text") => "text",
            None => {
                let what = "type is required: config, text, flush, end, cancel, played, ping or close";
                return Err(ApiError::new(ErrorCode::MissingField, what).with_param("type"));
            }
        };
        match kind {
            "config" => ConfigPatch::read(fields).map(Self::Config),
            "text" => Text::read(fields).map(Self::Text),
            "flush" => Flush::read(fields).map(Self::Flush),
            "end" => Ok(Self::End { turn_id: name(fields, "turn_id", MAX_TURN_ID_CHARS)? }),
            "cancel" => Cancel::read(fields).map(Self::Cancel),
            "played" => Played::read(fields).map(Self::Played),
            "ping" => Ok(Self::Ping { id: name(fields, "id", MAX_ID_CHARS)? }),
            "close" => Ok(Self::Close),
            unknown => {
                let kinds = "config, text, flush, end, cancel, played, ping or close";
                let meant = did_you_mean(unknown, KINDS);
                let message =
                    format!("unknown type '{}'; expected one of {kinds}{meant}", fields::quoted(unknown));
                Err(fields::invalid_field("type", message))
            }
        }
    }

    /// Returns the turn that a message names, even if the message is invalid for another reason. Returns `None` if the
    /// message names no turn or the name is not valid.
    pub fn turn_of(fields: &Fields) -> Option<String> {
        name(fields, "turn_id", MAX_TURN_ID_CHARS).ok().flatten()
    }
}

fn milliseconds(fields: &Fields, name: &str, most: u32) -> Result<Option<u32>, ApiError> {
    let Some(value) = fields::field_value(fields, name) else { return Ok(None) };
    // players report fractions of milliseconds; the fraction is dropped
    let number = value.as_f64().filter(|number| *number >= 0.0 && *number <= f64::from(most));
    match number {
        Some(number) => Ok(Some(number as u32)),
        None => Err(fields::wrong_type(name, &format!("a number of milliseconds from 0 to {most}"), value)),
    }
}

/// Reads a name that the client assigned to a turn or a command.
fn name(fields: &Fields, field: &str, most: usize) -> Result<Option<String>, ApiError> {
    match fields::field_value(fields, field) {
        None => Ok(None),
        Some(Value::String(value)) => {
            let chars = value.chars().count();
            let sound = (1..=most).contains(&chars) && !value.chars().any(char::is_control);
            if !sound {
                let message = format!("{field} must have 1 to {most} characters and no control characters");
                return Err(fields::invalid_field(field, message));
            }
            Ok(Some(value.clone()))
        }
        Some(other) => Err(fields::wrong_type(field, "a string", other)),
    }
}

#[cfg(test)]
mod tests;
