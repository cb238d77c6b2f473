//! Events of a conversation.

use bytes::Bytes;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{CancelState, Config, DoneReason, Heard, WarningCode, WordTime};

use crate::Error;

/// Event of a conversation.
#[derive(Clone, Debug)]
pub enum Event {
    /// The sound of a turn begins.
    Started {
        /// ID of the turn.
        turn: String,
        /// Voice of the turn.
        voice: VoiceId,
        /// Language of the turn.
        language: Language,
    },
    /// Timestamps of the words in the sound that follows.
    Words(Words),
    /// Sound of a turn.
    Audio {
        /// ID of the turn.
        turn: String,
        /// Whole samples, signed 16-bit little-endian.
        samples: Bytes,
    },
    /// All sound of the text before a flush has been received.
    Flushed {
        /// ID of the turn, if there was one.
        turn: Option<String>,
    },
    /// A turn has been received completely.
    Done(Done),
    /// A turn was cancelled: it was waiting when another turn was cancelled, or it was preempted.
    Cancelled(Cancelled),
    /// A turn failed.
    Failed(Failed),
    /// A turn was lost with its connection.
    Lost(Lost),
    /// The connection has been re-established.
    Reconnected,
    /// The settings that now apply.
    Config(Config),
    /// A warning from the server.
    Warning {
        /// Code of the warning.
        code: WarningCode,
        /// Human-readable message.
        message: String,
    },
    /// The server refused a message. If the message was text of a turn, the turn [fails](Event::Failed) instead.
    Rejected {
        /// ID of the turn that the message was for, if it named one.
        turn: Option<String>,
        /// Reason for the refusal.
        error: ErrorDetail,
    },
}

/// Word timestamps of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// ID of the turn.
    pub turn: String,
    /// Words, with times relative to the turn and positions in its text.
    pub words: Vec<WordTime>,
}

/// Turn that has been received completely.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// ID of the turn.
    pub turn: String,
    /// Duration of the sound, in milliseconds.
    pub audio_ms: u32,
    /// Number of characters that are charged.
    pub chars: u32,
    /// Time that the server took to the first audible sample, in milliseconds.
    pub first_audio_ms: Option<f64>,
    /// Reason why the turn ended.
    pub reason: DoneReason,
}

/// Outcome of a cancel: the turn was cancelled, or had already ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Cancelled {
    /// ID of the turn; `None` if there was no turn to cancel.
    pub turn: Option<String>,
    /// State of the turn when the cancel arrived.
    pub state: CancelState,
    /// Duration of the sound that was sent, in milliseconds.
    pub sent_ms: u32,
    /// Part of the text that the listener can have heard.
    pub heard: Heard,
    /// Rest of the text.
    pub unheard_text: String,
}

/// Turn that failed, or whose text was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// ID of the turn.
    pub turn: String,
    /// Reason for the failure.
    pub error: ErrorDetail,
    /// Duration of the sound that was sent, in milliseconds.
    pub sent_ms: u32,
}

/// Turn that was lost with its connection.
#[derive(Clone, Debug)]
pub struct Lost {
    /// ID of the turn.
    pub turn: String,
    /// Duration of the sound that was received, in milliseconds.
    pub received_ms: u32,
    /// Reason why the connection was lost.
    pub cause: Error,
}
