//! Events of a conversation.

use bytes::Bytes;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{CancelState, Config, DoneReason, Heard, WarningCode, WordTime};

use crate::Error;

/// Event of a conversation.
#[derive(Clone, Debug)]
pub enum Event {
    /// The audio of a turn begins.
    Started {
        /// ID of the turn.
        turn: String,
        /// Voice of the turn.
        voice: VoiceId,
        /// Language of the turn.
        language: Language,
    },
    /// Timestamps of the words in the audio that follows.
    Words(Words),
    /// Audio of a turn.
    Audio {
        /// ID of the turn.
        turn: String,
        /// Whole samples, signed 16-bit little-endian.
        samples: Bytes,
    },
    /// All audio of the text before a flush has been received.
    Flushed {
        /// ID of the flushed turn; `None` if no turn was open.
        turn: Option<String>,
    },
    /// A turn has been received completely.
    Done(Done),
    /// A turn was cancelled, but not by a call for this turn: it was queued when all turns were cancelled, or another
    /// turn preempted it.
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
    /// Words, with their times from the start of the turn and their positions in its text.
    pub words: Vec<WordTime>,
}

/// Turn that has been received completely.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// ID of the turn.
    pub turn: String,
    /// Duration of the audio, in milliseconds.
    pub audio_ms: u32,
    /// Number of characters that are charged.
    pub chars: u32,
    /// Time that the server took until the first audible sample, in milliseconds.
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
    /// Duration of the audio that was sent, in milliseconds.
    pub sent_ms: u32,
    /// Part of the text that the listener can have heard.
    pub heard: Heard,
    /// Text after the heard part.
    pub unheard_text: String,
}

/// Turn that failed, or whose text was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// ID of the turn.
    pub turn: String,
    /// Reason for the failure.
    pub error: ErrorDetail,
    /// Duration of the audio that was sent, in milliseconds.
    pub sent_ms: u32,
}

/// Turn that was lost with its connection.
#[derive(Clone, Debug)]
pub struct Lost {
    /// ID of the turn.
    pub turn: String,
    /// Duration of the audio that was received, in milliseconds.
    pub received_ms: u32,
    /// Reason why the connection was lost.
    pub cause: Error,
}
