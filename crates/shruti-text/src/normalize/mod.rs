//! What is written to what is said: numbers, money, dates, abbreviations and the like to words.

use std::ops::Range;

use shruti_protocol::Language;

use crate::segment::Segment;
use crate::utterance::{Break, Weight};

/// A word to be spoken, in letters only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenWord {
    /// The word, in the script it will be pronounced from.
    pub text: String,
    /// The language it is pronounced in.
    pub language: Language,
    /// Where it stands in the text as sent, in Unicode scalar values; words of one expansion share a range.
    pub source: Range<u32>,
    /// How much it stands out.
    pub weight: Weight,
    /// The punctuation that follows it in the text, to show and to pause at.
    pub punctuation: String,
    /// What separates it from the next word.
    pub break_after: Break,
}

/// The words of a segment, as they are spoken in a turn of `language`.
pub fn normalize(segment: &Segment, language: Language) -> Vec<SpokenWord> {
    let mut words = Vec::new();
    let chars: Vec<char> = segment.text.text.chars().collect();
    let mut start = 0;
    while start < chars.len() {
        let Some(begin) = (start..chars.len()).find(|&i| !chars[i].is_whitespace()) else { break };
        let end = (begin..chars.len()).find(|&i| chars[i].is_whitespace()).unwrap_or(chars.len());
        let text: String = chars[begin..end].iter().filter(|c| !c.is_ascii_punctuation()).collect();
        if !text.is_empty() {
            let source = segment.text.source(begin..end);
            words.push(SpokenWord {
                text,
                language,
                source,
                weight: Weight::Content,
                punctuation: String::new(),
                break_after: Break::None,
            });
        }
        start = end;
    }
    words
}

/// The words of a text that stands alone.
pub fn normalize_text(text: &str, language: Language) -> Vec<SpokenWord> {
    let mut segmenter = crate::segment::Segmenter::new();
    segmenter.push(text);
    segmenter.finish();
    std::iter::from_fn(|| segmenter.next_segment())
        .flat_map(|segment| normalize(&segment, language))
        .collect()
}

/// The spoken words of a line with the sentence's punctuation, as people would write them out.
pub fn normalize_line(text: &str, language: Option<Language>) -> String {
    let language = language.unwrap_or(Language::English);
    let words: Vec<String> = normalize_text(text, language)
        .iter()
        .map(|word| format!("{}{}", word.text, word.punctuation))
        .collect();
    words.join(" ")
}
