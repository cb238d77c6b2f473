//! What a conversation tells.

use bytes::Bytes;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{CancelState, Config, DoneReason, Heard, WarningCode, WordTime};

use crate::Error;

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A turn begins to sound.
    Started {
        /// The turn.
        turn: String,
        /// The voice.
        voice: VoiceId,
        /// The language.
        language: Language,
    },
    /// When the words of the sound that follows are spoken.
    Words(Words),
    /// Sound.
    Audio {
        /// The turn.
        turn: String,
        /// Whole samples, signed 16-bit little-endian.
        samples: Bytes,
    },
    /// The sound of everything before a flush has come.
    Flushed {
        /// The turn, if there was one.
        turn: Option<String>,
    },
    /// A turn has come whole.
    Done(Done),
    /// A turn was cut off: it waited when another was cancelled, or was preempted.
    Cancelled(Cancelled),
    /// A turn broke off.
    Failed(Failed),
    /// A turn ended because the connection did.
    Lost(Lost),
    /// The connection is there again.
    Reconnected,
    /// The settings now in force.
    Config(Config),
    /// Something to know.
    Warning {
        /// What.
        code: WarningCode,
        /// The same for people.
        message: String,
    },
    /// A message was not carried out. Where it was text of a turn, the turn [fails](Event::Failed) instead.
    Rejected {
        /// The turn that it was for, if it named one.
        turn: Option<String>,
        /// Why.
        error: ErrorDetail,
    },
}

/// When words are spoken.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The turn.
    pub turn: String,
    /// The words, with times in the turn and places in its text.
    pub words: Vec<WordTime>,
}

/// A turn has come whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The turn.
    pub turn: String,
    /// How much sound it has, in milliseconds.
    pub audio_ms: u32,
    /// The characters that are counted.
    pub chars: u32,
    /// What the server took to the first audible sample, in milliseconds.
    pub first_audio_ms: Option<f64>,
    /// Why it is over.
    pub reason: DoneReason,
}

/// A turn was cut off, or had ended before.
#[derive(Clone, Debug, PartialEq)]
pub struct Cancelled {
    /// The turn; none where nothing was there to cancel.
    pub turn: Option<String>,
    /// What the cancel met.
    pub state: CancelState,
    /// How much of its sound was sent, in milliseconds.
    pub sent_ms: u32,
    /// What the listener can have heard.
    pub heard: Heard,
    /// The rest of the text.
    pub unheard_text: String,
}

/// A turn broke off, or its text was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The turn.
    pub turn: String,
    /// Why.
    pub error: ErrorDetail,
    /// How much of its sound was sent, in milliseconds.
    pub sent_ms: u32,
}

/// A turn ended because the connection did.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The turn.
    pub turn: String,
    /// How much of its sound had come, in milliseconds.
    pub received_ms: u32,
    /// What became of the connection.
    pub cause: Error,
}
