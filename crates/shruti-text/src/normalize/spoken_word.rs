//! Word of the normalised text.

use std::ops::Range;

use shruti_lang::Language;

use crate::class::Class;
use crate::g2p::stems::SUPERSCRIPTS;
use crate::phone::Transcription;
use crate::script::Script;
use crate::utterance::{Break, Weight};
use crate::word;

/// Word to speak, spelled out in letters. A word with phones from a lexicon keeps its written form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenWord {
    /// Text, in the script from which its pronunciation is derived.
    pub text: String,
    /// Language in which the word is pronounced, if known. Otherwise the surrounding words determine the language.
    pub language: Option<Language>,
    /// Phones from a lexicon, or from letters with superscript digits.
    pub phones: Option<Transcription>,
    /// Whether an English possessive ending follows the word without being part of `text`.
    pub possessive: bool,
    /// Class of the written form that the word comes from.
    pub class: Class,
    /// Range in the source text, in Unicode scalar values. All words of an expansion share it.
    pub source: Range<u32>,
    /// Number of characters by which a reading from the caller's own lexicon is longer than the text that it replaces.
    /// This number is set only in the first word of the reading.
    pub extra_chars: u32,
    /// Prominence of the word, such as that of a function word or an emphasised word.
    pub weight: Weight,
    /// Opening punctuation before the word, for display: `(`, `“`.
    pub opening: String,
    /// Punctuation after the word, for display and for pauses.
    pub punctuation: String,
    /// Boundary between this word and the next.
    pub break_after: Break,
    /// Whether the word is in parentheses.
    pub aside: bool,
}

impl SpokenWord {
    /// Creates a word without a source range, to be pronounced from its letters. The name of a Latin letter with an
    /// ending may have its own phones. In Tamil, superscript digits in the language data determine the phones (D is
    /// ட³ி, T is டி), but are not displayed.
    pub(crate) fn new(text: &str, class: Class, language: Option<Language>) -> Self {
        let figured = is_figured(text).then(|| word::pronounce_figured(text));
        let phones =
            if class == Class::Letters { word::letter_with_ending(text).or(figured) } else { figured };
        let phones = phones.map(|phones| Transcription { phones, stresses: Vec::new() });
        let text = if phones.is_some() { text.replace(SUPERSCRIPTS, "") } else { text.to_owned() };
        Self {
            text,
            language,
            phones,
            possessive: false,
            class,
            source: 0..0,
            extra_chars: 0,
            weight: Weight::default(),
            opening: String::new(),
            punctuation: String::new(),
            break_after: Break::None,
            aside: false,
        }
    }
}

/// Returns whether a word contains superscript digits and Tamil letters.
fn is_figured(word: &str) -> bool {
    word.contains(SUPERSCRIPTS) && word.chars().any(|c| Script::of(c) == Some(Script::Tamil))
}
