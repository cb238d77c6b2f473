//! The voices and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A voice; both speak every language.
///
/// Names are matched without regard to case and answered in the canonical spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Voice {
    /// A woman's voice, the default.
    #[default]
    Ananya,
    /// A man's voice.
    Arjun,
}

impl Voice {
    /// All voices.
    pub const ALL: [Self; 2] = [Self::Ananya, Self::Arjun];

    /// The canonical spelling of its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ananya => "Ananya",
            Self::Arjun => "Arjun",
        }
    }

    /// The speaker's gender, as listed for clients.
    pub const fn gender(self) -> &'static str {
        match self {
            Self::Ananya => "female",
            Self::Arjun => "male",
        }
    }
}

impl fmt::Display for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no voice has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("voice '{given}' does not exist; voices are {}", Voice::ALL.map(Voice::name).join(" and "))]
pub struct UnknownVoice {
    /// The name as it was given.
    pub given: String,
}

impl FromStr for Voice {
    type Err = UnknownVoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|voice| voice.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownVoice { given: name.to_owned() })
    }
}

impl Serialize for Voice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Voice {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_without_regard_to_case() {
        assert_eq!("ARJUN".parse(), Ok(Voice::Arjun));
        assert_eq!(serde_json::to_string(&Voice::Ananya).unwrap(), "\"Ananya\"");
        assert_eq!(serde_json::from_str::<Voice>("\"ananya\"").unwrap(), Voice::Ananya);
        assert!("Anita".parse::<Voice>().unwrap_err().to_string().contains("Ananya and Arjun"));
    }
}
