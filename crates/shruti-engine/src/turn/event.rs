//! What a conversation tells its client.

use std::time::Duration;

use shruti_lang::{Language, VoiceId};

use super::command::TurnId;
use crate::marks::WordMark;
use crate::speech::{Fault, Refused};

/// One thing that happened, in the order in which the client is to learn of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A turn begins to sound; before its first [`Event::Audio`].
    Started {
        /// The turn.
        turn: TurnId,
        /// The voice's name in its canonical spelling.
        voice: VoiceId,
        /// The language.
        language: Language,
        /// The kind of synthesis that speaks ([`Description::engine`](shruti_backend::Description::engine)).
        engine: String,
    },
    /// When the words of the sound that follows are spoken, where the back end knows it; never empty.
    Words {
        /// The turn.
        turn: TurnId,
        /// The words, with times and places in the turn.
        words: Vec<WordMark>,
    },
    /// The sound that follows costs more than the text: it has a reading that is longer than the word it replaces. Whoever
    /// has a turn paid for before it is heard looks again at what is due ([`Conversation::due`](super::Conversation::due)).
    CostsMore {
        /// The turn.
        turn: TurnId,
    },
    /// Sound.
    Audio {
        /// The turn.
        turn: TurnId,
        /// The samples.
        samples: Vec<i16>,
        /// Where in them the turn's first audible sample is; only in the piece that holds it.
        first_audible: Option<usize>,
        /// How many characters of the turn have been spoken with it, to be charged should nothing follow. A word counts
        /// with its first sound; where its time is not known, its clause does.
        chars: u32,
    },
    /// What a flush asked for has been sent.
    Flushed {
        /// The turn.
        turn: Option<TurnId>,
        /// The client's name for the wish.
        id: Option<String>,
        /// How much sound of the turn has been sent.
        audio: Duration,
    },
    /// A turn has been sent whole.
    Done {
        /// The turn.
        turn: TurnId,
        /// How much sound it had.
        audio: Duration,
        /// How many characters were spoken, to be charged.
        chars: u32,
        /// From the first text that could be spoken to the first audible sample.
        first_audio: Option<Duration>,
        /// Why it is over.
        reason: DoneReason,
        /// Whether its text was white space alone, or nothing.
        is_blank: bool,
    },
    /// The answer to a cancel, and the end of its turn unless that had ended before.
    Cancelled {
        /// The turn; none where nothing was there to cancel.
        turn: Option<TurnId>,
        /// The client's name for the wish.
        id: Option<String>,
        /// What the cancel met.
        state: CancelState,
        /// How much sound of the turn had been sent.
        sent: Duration,
        /// What the listener can have heard.
        heard: Heard,
        /// The rest of the text.
        unheard_text: String,
        /// How many characters were spoken, to be charged.
        chars: u32,
    },
    /// A turn broke off.
    Failed {
        /// The turn.
        turn: TurnId,
        /// Why.
        cause: Failure,
        /// How much sound of the turn had been sent.
        sent: Duration,
        /// How many characters were spoken, to be charged.
        chars: u32,
    },
    /// Something the client should know.
    Warning {
        /// The turn it is about.
        turn: Option<TurnId>,
        /// What.
        warning: Warning,
    },
    /// A command that was not carried out, and left everything as it was.
    Rejected {
        /// The turn it was for.
        turn: Option<TurnId>,
        /// Why.
        rejection: Rejection,
    },
}

/// Why a turn is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneReason {
    /// All its text has been spoken.
    Complete,
    /// There was nothing to say in it.
    NothingToSay,
}

/// What a cancel met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelState {
    /// The turn, which it has ended.
    Cancelled,
    /// A turn that had ended before.
    AlreadyDone,
    /// Nothing of this name.
    Unknown,
}

/// What the listener can have heard of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// How much of its sound.
    pub time: Duration,
    /// The text up to the last word, or clause, that was heard whole.
    pub text: String,
    /// Where that ends in the turn's text, in Unicode scalar values.
    pub char_end: u32,
    /// How it is known.
    pub basis: Basis,
    /// What the text is cut at.
    pub cut_at: CutAt,
}

/// What the text of a turn is cut at where it was cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutAt {
    /// The last word that was heard whole.
    #[default]
    Word,
    /// The last clause, where a back end spoke that does not know when words are spoken.
    Clause,
}

/// How the listener's position is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The client said it with the cancel.
    Played,
    /// From what was sent when.
    Playhead,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Too many turns wait.
    QueueFull,
    /// It was not admitted: before its first sound, or where a later part of its text is for another back end.
    Refused(Refused),
    /// The voice broke down.
    Fault(Fault),
    /// The voice made more sound than the charged characters allow.
    TooMuchSound {
        /// How many characters it was charged with that sound.
        chars: u32,
        /// The most sound for them.
        limit: Duration,
    },
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(refused) => Self::Refused(refused),
            fault => Self::Fault(fault),
        }
    }
}

/// What a client should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Text came for a turn that has ended; it was dropped.
    LateText,
    /// An open turn got no text for long and was ended.
    Abandoned,
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// More text would wait than may.
    TooMuchText {
        /// How many characters may wait.
        limit: usize,
    },
    /// The turn would become longer than turns may be.
    TurnTooLong {
        /// How many characters a turn may have.
        limit: usize,
    },
    /// More flushes of the turn would wait to be answered than may.
    TooManyFlushes {
        /// How many may wait.
        limit: usize,
    },
}
