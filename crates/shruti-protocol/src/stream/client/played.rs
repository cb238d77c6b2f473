//! The message `played`, which reports the playback position of the listener.

use serde::Serialize;

use super::{Fields, milliseconds, name};
use crate::stream::MAX_TURN_ID_CHARS;
use crate::{ApiError, ErrorCode};

/// Playback position of the listener.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// ID of the turn.
    pub turn_id: String,
    /// Duration of the turn's audio that has been played, in milliseconds.
    pub played_ms: u32,
}

impl Played {
    /// Reads and checks the fields of a message.
    pub(super) fn read(fields: &Fields) -> Result<Played, ApiError> {
        let missing = |field: &str| {
            ApiError::new(ErrorCode::MissingField, format!("{field} is required")).with_param(field)
        };
        let turn_id = name(fields, "turn_id", MAX_TURN_ID_CHARS)?.ok_or_else(|| missing("turn_id"))?;
        let played_ms = milliseconds(fields, "played_ms", u32::MAX)?.ok_or_else(|| missing("played_ms"))?;
        Ok(Played { turn_id, played_ms })
    }
}
