//! Speech shaping for listeners on a telephone or in a noisy room.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Speech shaping that improves intelligibility over a poor channel, at the same loudness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clarity {
    /// No shaping: the unmodified voice.
    #[default]
    Off,
    /// Shaping for a listener on a telephone, which carries 300 to 3,400 Hz.
    Phone,
    /// Shaping for a listener in a room where other people talk.
    Room,
}

/// Error for a name that is not a [`Clarity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown clarity; expected off, phone or room")]
pub struct UnknownClarity;

impl Clarity {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Off, Self::Phone, Self::Room];
    /// Sample rate of telephone audio, in Hz.
    const TELEPHONE_RATE: u32 = 8_000;

    /// Returns the default for a sample rate: [`Phone`](Self::Phone) at 8,000 samples per second, otherwise
    /// [`Off`](Self::Off).
    pub const fn default_for(sample_rate: u32) -> Self {
        if sample_rate == Self::TELEPHONE_RATE { Self::Phone } else { Self::Off }
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Phone => "phone",
            Self::Room => "room",
        }
    }
}

impl fmt::Display for Clarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Clarity {
    type Err = UnknownClarity;

    fn from_str(name: &str) -> Result<Self, UnknownClarity> {
        Self::ALL.into_iter().find(|clarity| clarity.as_str() == name).ok_or(UnknownClarity)
    }
}
