//! For whom speech is shaped: nobody, a listener on a telephone, a listener in a noisy room.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How speech is shaped to be understood where much of it is lost, at the same loudness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clarity {
    /// Not at all: the voice as it is.
    #[default]
    Off,
    /// For a listener on a telephone, who hears 300 to 3,400 Hz.
    Phone,
    /// For a listener in a room where others talk.
    Room,
}

/// A name that no [`Clarity`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("clarity is off, phone or room")]
pub struct UnknownClarity;

impl Clarity {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Off, Self::Phone, Self::Room];
    /// The sample rate of telephones, in Hz.
    const TELEPHONE_RATE: u32 = 8_000;

    /// What holds where nothing is asked for: [`Phone`](Self::Phone) for sound of 8,000 samples a second, else
    /// [`Off`](Self::Off).
    pub const fn usual(sample_rate: u32) -> Self {
        if sample_rate == Self::TELEPHONE_RATE { Self::Phone } else { Self::Off }
    }

    /// The name on the wire.
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
