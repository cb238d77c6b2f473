//! Voice names. Only the server's engine knows which voices exist.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Name of a voice. Only the engine of a server knows whether the voice exists.
///
/// Servers ignore the case of names in requests and return the canonical spelling. Two ids are equal only if their
/// spelling is identical. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VoiceId(Arc<str>);

impl VoiceId {
    /// Returns the name.
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

/// Accepts any text as a name.
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

/// Gender of a voice, as listed for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gender {
    /// Female voice.
    Female,
    /// Male voice.
    Male,
}

impl Gender {
    /// Returns the name as listed for clients.
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
    fn any_name_round_trips() {
        for name in ["Ananya", "arjun", "Padmavathi", "ಕಾವ್ಯ"] {
            let json = serde_json::to_string(&VoiceId::from(name)).unwrap();
            assert_eq!(json, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<VoiceId>(&json).unwrap(), name);
        }
        assert!(serde_json::from_str::<VoiceId>("7").is_err());
    }
}
