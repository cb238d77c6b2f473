//! Additional names of voices, set by the operator.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;

/// Aliases and their voices; empty by default. Aliases are case-insensitive.
///
/// The text form is a comma-separated list of `name=voice`. A configuration file may contain a table instead. This type
/// does not check that the voices exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "VoiceAliasesForm")]
pub struct VoiceAliases(BTreeMap<String, String>);

/// Error for text that is not a list of aliases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a voice alias; expected a comma-separated list of name=voice")]
pub struct InvalidVoiceAliases(String);

/// Forms in which a configuration file can contain aliases.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "voice-aliases must be a table of names and voices, or a comma-separated list of name=voice"
)]
enum VoiceAliasesForm {
    Table(BTreeMap<String, String>),
    List(String),
}

impl VoiceAliases {
    /// Returns the voice of an alias.
    pub fn voice(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_lowercase()).map(String::as_str)
    }

    /// Returns the voices of all aliases.
    pub fn voices(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }
}

impl FromIterator<(String, String)> for VoiceAliases {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, voice)| (name.trim().to_lowercase(), voice.trim().to_owned()))
                .collect(),
        )
    }
}

impl FromStr for VoiceAliases {
    type Err = InvalidVoiceAliases;

    fn from_str(list: &str) -> Result<Self, InvalidVoiceAliases> {
        let pairs = list.split(',').map(|pair| {
            let (name, voice) =
                pair.split_once('=').ok_or_else(|| InvalidVoiceAliases(pair.trim().to_owned()))?;
            Ok((name.to_owned(), voice.to_owned()))
        });
        let pairs: Vec<(String, String)> = pairs.collect::<Result<_, _>>()?;
        pairs.try_into()
    }
}

impl TryFrom<Vec<(String, String)>> for VoiceAliases {
    type Error = InvalidVoiceAliases;

    fn try_from(pairs: Vec<(String, String)>) -> Result<Self, InvalidVoiceAliases> {
        match pairs.iter().find(|(name, voice)| name.trim().is_empty() || voice.trim().is_empty()) {
            Some((name, voice)) => Err(InvalidVoiceAliases(format!("{name}={voice}"))),
            None => Ok(pairs.into_iter().collect()),
        }
    }
}

impl TryFrom<VoiceAliasesForm> for VoiceAliases {
    type Error = InvalidVoiceAliases;

    fn try_from(written: VoiceAliasesForm) -> Result<Self, InvalidVoiceAliases> {
        match written {
            VoiceAliasesForm::Table(pairs) => pairs.into_iter().collect::<Vec<_>>().try_into(),
            VoiceAliasesForm::List(list) => list.parse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_case_insensitive() {
        let aliases: VoiceAliases = "Anushka = Ananya, 79a125e8-cd45=Arjun".parse().unwrap();
        assert_eq!(aliases.voice("ANUSHKA"), Some("Ananya"));
        assert_eq!(aliases.voice("79A125E8-cd45"), Some("Arjun"));
        assert_eq!((aliases.voice("Anya"), aliases.voices().count()), (None, 2));
        for wrong in ["", "a", "a=", "=Arjun", "a=Arjun,", "a=Arjun,b"] {
            assert!(wrong.parse::<VoiceAliases>().is_err(), "{wrong}");
        }
    }
}
