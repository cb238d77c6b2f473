//! Events of a conversation for its client.

use std::time::Duration;

use shruti_backend::marks::WordMark;
use shruti_lang::{Language, VoiceId};

use super::command::TurnId;
use crate::error::{Fault, SpeakError};

/// An event, in the order in which the client must receive it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The audio of a turn begins. This event precedes the turn's first [`Event::Audio`].
    Started {
        /// Name of the turn.
        turn: TurnId,
        /// Name of the voice in its canonical spelling.
        voice: VoiceId,
        /// Language of the speech.
        language: Language,
        /// Kind of synthesis ([`Description::engine`](shruti_backend::Description::engine)).
        engine: String,
    },
    /// Times of the words in the audio that follows, if the back end reports them. The list is never empty.
    Words {
        /// Name of the turn.
        turn: TurnId,
        /// Words, with their times and positions in the turn.
        words: Vec<WordMark>,
    },
    /// The audio that follows costs more than its text, because it contains a lexicon replacement that is longer than
    /// the replaced word. A caller that collects the charge before the audio is heard must check
    /// [`Conversation::pending_charge`](super::Conversation::pending_charge) again.
    ChargeIncreased {
        /// Name of the turn.
        turn: TurnId,
    },
    /// A piece of audio.
    Audio {
        /// Name of the turn.
        turn: TurnId,
        /// Samples of the audio.
        samples: Vec<i16>,
        /// Index in `samples` of the first audible sample of the turn; `None` if the piece does not contain it.
        first_audible: Option<usize>,
        /// Number of characters of the turn that have been spoken up to and including this piece; this is the charge if
        /// no more audio follows. A word counts with its first sample, or, if its time is not known, with the first
        /// sample of its clause.
        chars: u32,
    },
    /// All audio that a flush requested has been sent.
    Flushed {
        /// Name of the turn.
        turn: Option<TurnId>,
        /// ID that the client gave the flush.
        id: Option<String>,
        /// Duration of the turn's audio that has been sent.
        audio: Duration,
    },
    /// A turn has been sent completely.
    Done {
        /// Name of the turn.
        turn: TurnId,
        /// Duration of the turn's audio.
        audio: Duration,
        /// Number of spoken characters to charge.
        chars: u32,
        /// Time from the first speakable text to the first audible sample.
        first_audio: Option<Duration>,
        /// Reason for the end of the turn.
        reason: DoneReason,
        /// Whether the text was empty or contained only whitespace.
        is_blank: bool,
    },
    /// Response to a cancel command, or the end of a live turn that a new turn preempts. The turn has been ended unless
    /// `state` indicates otherwise.
    Cancelled {
        /// Name of the turn; `None` if there was nothing to cancel.
        turn: Option<TurnId>,
        /// ID that the client gave the cancel command.
        id: Option<String>,
        /// State of the turn when the cancel command arrived.
        state: CancelState,
        /// Duration of the turn's audio that had been sent.
        sent: Duration,
        /// Part of the turn that the listener can have heard.
        heard: HeardText,
        /// Remaining text.
        unheard_text: String,
        /// Number of spoken characters to charge.
        chars: u32,
    },
    /// A turn failed.
    Failed {
        /// Name of the turn.
        turn: TurnId,
        /// Cause of the failure.
        cause: Failure,
        /// Duration of the turn's audio that had been sent.
        sent: Duration,
        /// Number of spoken characters to charge.
        chars: u32,
    },
    /// A warning for the client.
    Warning {
        /// Turn that the warning refers to.
        turn: Option<TurnId>,
        /// Kind of warning.
        warning: Warning,
    },
    /// A command was rejected and had no effect.
    Rejected {
        /// Target turn of the command.
        turn: Option<TurnId>,
        /// Reason for the rejection.
        rejection: Rejection,
    },
}

/// Reason for the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneReason {
    /// All text of the turn has been spoken.
    Complete,
    /// The text of the turn contained nothing to speak.
    NothingToSay,
}

/// State of the turn when a cancel command arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelState {
    /// The turn was active or queued; the cancel command has ended it.
    Cancelled,
    /// The turn had already ended.
    AlreadyDone,
    /// No turn with this name exists.
    Unknown,
}

/// Part of a turn that the listener can have heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardText {
    /// Duration of the audio that was heard.
    pub time: Duration,
    /// Text up to the last word, or clause, that was heard completely.
    pub text: String,
    /// End of `text` in the text of the turn, in Unicode scalar values.
    pub char_end: u32,
    /// Source of the position.
    pub basis: PositionSource,
    /// Unit at whose end the text is cut.
    pub cut_at: CutUnit,
}

/// Unit at whose end the heard text of a cancelled turn is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutUnit {
    /// The text is cut after the last word that was heard completely.
    #[default]
    Word,
    /// The text is cut after the last clause that was heard completely, because the back end does not report word
    /// times.
    Clause,
}

/// Source of the listener's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionSource {
    /// The client reported the position with the cancel command.
    Played,
    /// The position was estimated from the times at which audio was sent.
    Playhead,
}

/// Cause of the failure of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Too many turns are queued.
    QueueFull,
    /// The turn was refused: either at its start, or when a later part of its text needed another back end.
    Rejected(SpeakError),
    /// The stream ended with an error.
    Fault(Fault),
    /// The voice produced more audio than the charged characters allow.
    TooMuchSound {
        /// Number of characters that are charged, including those of the excess audio.
        chars: u32,
        /// Maximum duration of audio for these characters.
        limit: Duration,
    },
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Rejected(refused) => Self::Rejected(refused),
            fault => Self::Fault(fault),
        }
    }
}

/// Kind of warning for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Text that arrived for a turn after the end of its text was dropped.
    LateText,
    /// An open turn was ended because no text had arrived for a long time.
    Abandoned,
}

/// Reason why a command was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The number of unspoken characters would exceed the limit.
    TooMuchText {
        /// Maximum number of unspoken characters.
        limit: usize,
    },
    /// The turn would exceed the maximum length.
    TurnTooLong {
        /// Maximum number of characters of a turn.
        limit: usize,
    },
    /// The number of pending flushes of the turn would exceed the limit.
    TooManyFlushes {
        /// Maximum number of pending flushes.
        limit: usize,
    },
}
