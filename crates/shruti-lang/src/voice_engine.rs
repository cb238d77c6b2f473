//! Synthesis methods of the built-in voices.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Synthesis method for the built-in voices in a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VoiceEngine {
    /// Learned voices if there is capacity for the conversation, otherwise rule-based voices.
    #[default]
    Auto,
    /// Learned voices: natural-sounding, for tens of concurrent listeners.
    Learned,
    /// Rule-based voices: clear but synthetic, for thousands of concurrent listeners.
    Rules,
}

/// Error for a name that is not a [`VoiceEngine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown engine; expected auto, learned or rules")]
pub struct UnknownVoiceEngine;

impl VoiceEngine {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Learned, Self::Rules];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Learned => "learned",
            Self::Rules => "rules",
        }
    }
}

impl fmt::Display for VoiceEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for VoiceEngine {
    type Err = UnknownVoiceEngine;

    fn from_str(name: &str) -> Result<Self, UnknownVoiceEngine> {
        Self::ALL.into_iter().find(|engine| engine.as_str() == name).ok_or(UnknownVoiceEngine)
    }
}
