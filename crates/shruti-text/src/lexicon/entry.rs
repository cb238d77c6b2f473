//! Validation of a single lexicon entry.

use shruti_lang::limits::{MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS};

use super::Reading;
use super::words::Words;
use crate::item::{Kind, items};
use crate::phone::{Transcription, UnknownPhone};
use crate::segment::Segmenter;

/// Error for an entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{word}': {flaw}")]
pub struct BadEntry {
    /// Word of the entry.
    pub word: String,
    /// Flaw of the word or its reading.
    pub flaw: Flaw,
}

/// Reason why an entry cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The word is empty or too long.
    #[error("the word has {0} characters; 1 to {MAX_LEXICON_WORD_CHARS} are accepted")]
    WordLength(usize),
    /// The reading is empty or too long.
    #[error("the reading has {0} characters; 1 to {MAX_LEXICON_SPELLING_CHARS} are accepted")]
    ReadingLength(usize),
    /// The word or its reading contains a control character.
    #[error("there is a control character in {0}; remove it")]
    ControlCharacter(&'static str),
    /// The word is empty once markup and emoji are removed.
    #[error("the word is never looked up: it is markup or emoji, which are removed before words are read")]
    EmptyWord,
    /// The segmenter always splits the text inside the word.
    #[error("the word is never looked up as a whole: text is split at its punctuation, after '{0}'")]
    AlwaysSplit(String),
    /// The lexicon already contains the word, possibly in another written form.
    #[error("the word is a duplicate of '{0}'; case and joiners are ignored")]
    Duplicate(String),
    /// The spelling contains neither a letter nor a digit.
    #[error("the reading contains neither a letter nor a digit")]
    NoLetterOrDigit,
    /// The spelling has too many words, signs and digits.
    #[error("the reading has {0} words, signs and digits; at most {MAX_PARTS} are accepted")]
    TooLong(usize),
    /// The reading between slashes is empty.
    #[error("the reading between slashes has no phone")]
    NoPhones,
    /// The reading between slashes is not IPA.
    #[error("the reading between slashes is not IPA: {0}")]
    NotIpa(#[from] UnknownPhone),
}

/// Maximum number of words, signs and digits in a spelling. Each of them may be spoken as a word, and a text may
/// consist of the entry's word repeated many times, so the limit bounds the length of the speech.
const MAX_PARTS: usize = 32;

/// Validates an entry and adds it to `words`.
pub(super) fn add(words: &mut Words, word: &str, reading: &str) -> Result<(), Flaw> {
    let length = |text: &str| text.trim().chars().count();
    if !(1..=MAX_LEXICON_WORD_CHARS).contains(&length(word)) {
        return Err(Flaw::WordLength(length(word)));
    }
    if !(1..=MAX_LEXICON_SPELLING_CHARS).contains(&length(reading)) {
        return Err(Flaw::ReadingLength(length(reading)));
    }
    for (what, part) in [("the word", word), ("the reading", reading)] {
        if part.trim().chars().any(char::is_control) {
            return Err(Flaw::ControlCharacter(what));
        }
    }
    let text = as_read(word.trim())?;
    let items = items(&text);
    // skip the item that `as_read` puts before the word
    let items = items.get(1..).filter(|items| !items.is_empty()).ok_or(Flaw::EmptyWord)?;
    words.insert(word, items, read(reading.trim())?).map_err(Flaw::Duplicate)
}

/// Returns the text of a segment in which the word follows another word (`x`). Fails if the segmenter splits the text
/// or returns no segment.
fn as_read(word: &str) -> Result<String, Flaw> {
    const BEFORE: &str = "x ";
    let mut segmenter = Segmenter::new();
    segmenter.push(BEFORE);
    segmenter.push(word);
    segmenter.finish();
    let segment = segmenter.next_segment().ok_or(Flaw::EmptyWord)?;
    if segmenter.next_segment().is_some() {
        let before = segment.text.text.get(BEFORE.len()..).unwrap_or_default();
        return Err(Flaw::AlwaysSplit(before.to_owned()));
    }
    Ok(segment.text.text)
}

fn read(reading: &str) -> Result<Reading, Flaw> {
    let Some(ipa) = reading.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        return spelling(reading);
    };
    let transcription = Transcription::from_ipa(ipa)?;
    if transcription.phones.is_empty() { Err(Flaw::NoPhones) } else { Ok(Reading::Phones(transcription)) }
}

fn spelling(reading: &str) -> Result<Reading, Flaw> {
    if !reading.chars().any(char::is_alphanumeric) {
        return Err(Flaw::NoLetterOrDigit);
    }
    let parts =
        items(reading).iter().map(|item| if item.kind == Kind::Number { item.text.len() } else { 1 }).sum();
    if parts > MAX_PARTS { Err(Flaw::TooLong(parts)) } else { Ok(Reading::Spelling(reading.to_owned())) }
}
