//! What a client can ask of a conversation.

use std::sync::Arc;
use std::time::Duration;

use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_text::Lexicon;

use crate::speech::Request;

/// The name of a turn, given by the client or made by the conversation.
pub type TurnId = Arc<str>;

/// How turns are spoken. Sticky: a change holds for turns that start later.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSettings {
    /// The voice's name.
    pub voice: VoiceId,
    /// The language of the text; found from a turn's first segment when not given.
    pub language: Option<Language>,
    /// Rate of speaking, 0.5 to 2.0.
    pub speed: f32,
    /// Shift of the pitch in semitones, -6.0 to 6.0.
    pub pitch: f32,
    /// For whom the sound is shaped.
    pub clarity: Clarity,
    /// The caller's own readings of words.
    pub lexicon: Arc<Lexicon>,
    /// The synthesis of the built-in voices; that of the engine's choice when not given. What the first turn of a conversation has
    /// holds for all of its turns.
    pub engine: Option<VoiceEngine>,
    /// Whether [`Event::Words`](super::Event::Words) are wanted.
    pub words: bool,
    /// How far sound may be sent ahead of the playhead; `None` for as fast as it is taken.
    pub max_lead: Option<Duration>,
}

impl TurnSettings {
    /// What is asked of an engine for a turn with these settings.
    pub fn request(&self) -> Request {
        Request {
            voice: Some(self.voice.clone()),
            language: self.language,
            speed: self.speed,
            pitch: self.pitch,
            clarity: self.clarity,
            lexicon: self.lexicon.clone(),
            binding: None,
            times: None,
        }
    }
}

/// One wish of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// New settings for turns that start later.
    Configure(TurnSettings),
    /// More text for a turn, appended verbatim.
    Text {
        /// The turn; the open one, or a new one, when not given.
        turn: Option<TurnId>,
        /// The text.
        text: String,
        /// Whether no more text follows for this turn.
        last: bool,
        /// Whether what is live is cancelled if this starts a turn.
        preempt: bool,
        /// Settings of this turn alone, if this starts it.
        settings: Option<TurnSettings>,
    },
    /// Speak what is held back; the turn stays open.
    Flush {
        /// The turn; the open one when not given.
        turn: Option<TurnId>,
        /// The client's name for this wish.
        id: Option<String>,
    },
    /// No more text follows.
    End {
        /// The turn; the open one when not given.
        turn: Option<TurnId>,
    },
    /// Barge-in.
    Cancel {
        /// What to cancel.
        target: Target,
        /// How much of the turn the listener has played, if the client knows.
        played: Option<Duration>,
        /// The client's name for this wish.
        id: Option<String>,
    },
    /// The listener's position.
    Played(Played),
}

/// What a cancel is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// What the listener hears: the live turn, or the last one done.
    Current,
    /// This turn.
    Turn(TurnId),
    /// Every turn, live or waiting.
    All,
}

/// How far the listener has played a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The turn.
    pub turn: TurnId,
    /// How much of its sound.
    pub played: Duration,
}
