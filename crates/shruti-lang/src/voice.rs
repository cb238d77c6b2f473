//! Voices by their names. Which there are is known by the server's engine alone.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name of a voice. Whether a server has such a voice only its engine can tell.
///
/// Servers match names without regard to case and answer in the canonical spelling; two ids are equal only if they are
/// spelt alike. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VoiceId(Arc<str>);

impl VoiceId {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VoiceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for VoiceId {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for VoiceId {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

/// Any text may be a name.
impl FromStr for VoiceId {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(name.into())
    }
}

impl PartialEq<str> for VoiceId {
    fn eq(&self, name: &str) -> bool {
        self.as_str() == name
    }
}

impl PartialEq<&str> for VoiceId {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}

impl Serialize for VoiceId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for VoiceId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// The gender of a voice, as listed for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gender {
    /// A woman's voice.
    Female,
    /// A man's voice.
    Male,
}

impl Gender {
    /// As it is listed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Female => "female",
            Self::Male => "male",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_passes_through_the_wire_as_it_is() {
        for name in ["Ananya", "arjun", "Padmavathi", "ಕಾವ್ಯ"] {
            let json = serde_json::to_string(&VoiceId::from(name)).unwrap();
            assert_eq!(json, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<VoiceId>(&json).unwrap(), name);
        }
        assert!(serde_json::from_str::<VoiceId>("7").is_err());
    }
}
