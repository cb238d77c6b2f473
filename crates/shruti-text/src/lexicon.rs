//! Pronunciations that a caller gives: word to spelling, or to IPA between slashes.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::phone::{self, Phone, UnknownPhone};

/// How a caller wants a word to be read.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// As if this had been written.
    Spelling(String),
    /// With these phones.
    Phones(Vec<Phone>),
}

/// Words with the readings a caller gave them; matched without regard to case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    readings: HashMap<String, Reading>,
}

/// An entry whose reading begins and ends with a slash but is not IPA that the voices know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reading of '{word}' is not IPA: {cause}")]
pub struct BadReading {
    /// The entry's word.
    pub word: String,
    /// What could not be read.
    pub cause: UnknownPhone,
}

impl Lexicon {
    /// A lexicon of (word, reading) pairs. A reading between slashes is IPA, any other a spelling.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadReading> {
        let mut readings = HashMap::new();
        for (word, reading) in entries {
            let ipa = reading.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
            let reading = match ipa {
                Some(ipa) => Reading::Phones(
                    phone::parse_ipa(ipa).map_err(|cause| BadReading { word: word.to_owned(), cause })?,
                ),
                None => Reading::Spelling(reading.to_owned()),
            };
            readings.insert(key(word), reading);
        }
        Ok(Self { readings })
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// The reading given for a word, if any.
    pub fn reading(&self, word: &str) -> Option<&Reading> {
        if self.readings.is_empty() {
            return None;
        }
        self.readings.get(&key(word))
    }
}

fn key(word: &str) -> String {
    word.nfc().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn words_match_without_regard_to_case() {
        let lexicon = Lexicon::new([("AIIMS", "एम्स"), ("Shruti", "/ʃ ɾ ʊ t̪ iː/")]).unwrap();
        assert_eq!(lexicon.reading("aiims"), Some(&Reading::Spelling("एम्स".to_owned())));
        let Some(Reading::Phones(phones)) = lexicon.reading("SHRUTI") else { panic!("no phones") };
        assert_eq!(to_ipa(phones), "ʃ ɾ ʊ t̪ iː");
        assert_eq!(lexicon.reading("other"), None);
    }

    #[test]
    fn ipa_that_no_voice_knows_is_refused() {
        let error = Lexicon::new([("word", "/w!d/")]).unwrap_err();
        assert_eq!(error.to_string(), "the reading of 'word' is not IPA: no phone begins at '!d'");
    }
}
