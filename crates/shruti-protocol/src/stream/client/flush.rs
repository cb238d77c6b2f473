//! The message `flush`, which requests synthesis of text that the server holds back.

use serde::Serialize;

use super::{Fields, name};
use crate::ApiError;
use crate::stream::{MAX_ID_CHARS, MAX_TURN_ID_CHARS};

/// Request to speak the text that the server holds back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Flush {
    /// Turn to flush; if absent, the open turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// ID that the response repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Flush {
    /// Reads and checks the fields of a message.
    pub(super) fn read(fields: &Fields) -> Result<Self, ApiError> {
        Ok(Self {
            turn_id: name(fields, "turn_id", MAX_TURN_ID_CHARS)?,
            id: name(fields, "id", MAX_ID_CHARS)?,
        })
    }
}
