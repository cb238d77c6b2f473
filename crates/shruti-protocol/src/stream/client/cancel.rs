//! The message `cancel`, used for barge-in.

use serde::Serialize;

use super::{Fields, milliseconds, name};
use crate::ApiError;
use crate::stream::{MAX_ID_CHARS, MAX_TURN_ID_CHARS};

/// Cancellation of one turn or of all turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cancel {
    /// Turn to cancel; if absent, the turn that is being played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Whether to cancel every turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Duration of the turn's audio that the client has played, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_ms: Option<u32>,
    /// ID that the response repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Cancel {
    /// Reads and checks the fields of a message.
    pub(super) fn read(fields: &Fields) -> Result<Cancel, ApiError> {
        Ok(Cancel {
            turn_id: name(fields, "turn_id", MAX_TURN_ID_CHARS)?,
            all: crate::fields::flag(fields, "all")?,
            played_ms: milliseconds(fields, "played_ms", u32::MAX)?,
            id: name(fields, "id", MAX_ID_CHARS)?,
        })
    }
}
