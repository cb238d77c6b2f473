//! One entry: what it must be to be of any use.

use shruti_lang::limits::{MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS};

use super::Reading;
use super::words::Words;
use crate::item::{Kind, items};
use crate::phone::{Transcription, UnknownPhone};
use crate::segment::Segmenter;

/// An entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{word}': {flaw}")]
pub struct BadEntry {
    /// The entry's word.
    pub word: String,
    /// What is wrong with it or with its reading.
    pub flaw: Flaw,
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The word is empty or too long.
    #[error("the word has {0} characters; 1 to {MAX_LEXICON_WORD_CHARS} are accepted")]
    WordLength(usize),
    /// The reading is empty or too long.
    #[error("the reading has {0} characters; 1 to {MAX_LEXICON_SPELLING_CHARS} are accepted")]
    ReadingLength(usize),
    /// A control character in the word or in its reading.
    #[error("there is a control character in {0}; leave it out")]
    ControlCharacter(&'static str),
    /// Nothing of the word is left when markup and emoji have gone.
    #[error("the word is never looked up: it is markup or emoji, which are left out before words are read")]
    NoWord,
    /// Text is always cut somewhere in the word.
    #[error("the word is never read in one piece: what is spoken is cut at its punctuation, behind '{0}'")]
    CutApart(String),
    /// The same word is there already, perhaps written in another way.
    #[error("the word is given twice, as '{0}' too; case and joiners make no difference")]
    Twice(String),
    /// A spelling without a letter or a digit.
    #[error("the reading says nothing: it has neither a letter nor a digit")]
    SaysNothing,
    /// A spelling that would make a long speech of a word.
    #[error("the reading has {0} words, signs and digits; at most {MOST_PARTS} are accepted")]
    TooLong(usize),
    /// Slashes with nothing between them.
    #[error("the reading between slashes has no phone")]
    NoPhones,
    /// Between slashes is something other than IPA.
    #[error("the reading between slashes is not IPA: {0}")]
    NotIpa(#[from] UnknownPhone),
}

/// The most words, signs and digits of a spelling: each may be said as a word, and a text may be the word alone, over
/// and over.
const MOST_PARTS: usize = 32;

/// Checks an entry and adds it to its sisters.
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
    // as it stands in the text, behind the word before it
    let items = items.get(1..).filter(|items| !items.is_empty()).ok_or(Flaw::NoWord)?;
    words.insert(word, items, read(reading.trim())?).map_err(Flaw::Twice)
}

/// A word as it is left in a segment, behind another word.
fn as_read(word: &str) -> Result<String, Flaw> {
    const BEFORE: &str = "x ";
    let mut segmenter = Segmenter::new();
    segmenter.push(BEFORE);
    segmenter.push(word);
    segmenter.finish();
    let segment = segmenter.next_segment().ok_or(Flaw::NoWord)?;
    if segmenter.next_segment().is_some() {
        let before = segment.text.text.get(BEFORE.len()..).unwrap_or_default();
        return Err(Flaw::CutApart(before.to_owned()));
    }
    Ok(segment.text.text)
}

fn read(reading: &str) -> Result<Reading, Flaw> {
    let Some(ipa) = reading.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        return spelling(reading);
    };
    let said = Transcription::from_ipa(ipa)?;
    if said.phones.is_empty() { Err(Flaw::NoPhones) } else { Ok(Reading::Phones(said)) }
}

fn spelling(reading: &str) -> Result<Reading, Flaw> {
    if !reading.chars().any(char::is_alphanumeric) {
        return Err(Flaw::SaysNothing);
    }
    let parts =
        items(reading).iter().map(|item| if item.kind == Kind::Number { item.text.len() } else { 1 }).sum();
    if parts > MOST_PARTS { Err(Flaw::TooLong(parts)) } else { Ok(Reading::Spelling(reading.to_owned())) }
}
