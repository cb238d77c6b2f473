//! Focus: words before `ही`, words after `only`, and negations.

use shruti_lang::Language;

use crate::normalize::data;
use crate::utterance::{Contour, Weight, Word};

/// Puts at most one word in focus: the word that a particle focuses, or otherwise a negation. A segment with a focus or
/// an emphasis gets no second one, and a negation in a question gets none.
pub(super) fn mark(words: &mut [Word], language: Language, contour: Contour) {
    if words.iter().any(|word| matches!(word.weight, Weight::Focus | Weight::Emphasis)) {
        return;
    }
    let particle = (0..words.len()).find_map(|at| focused(words, at, language));
    let asks = matches!(contour, Contour::YesNoQuestion | Contour::AlternativeQuestion);
    let denied = || if asks { None } else { denied(words, language) };
    if let Some(place) = particle.or_else(denied) {
        words[place].weight = Weight::Focus;
    }
}

/// Returns the index of the negation, or of the verb that it attaches to.
fn denied(words: &[Word], language: Language) -> Option<usize> {
    let denies = |word: &Word| prosody(word, language).negation.has(&word.text);
    let place = words.iter().position(denies).filter(|_| words.len() > 1)?;
    let leans = language != Language::English && words[place].weight == Weight::Function;
    let verb = place.checked_sub(1).filter(|&before| leans && words[before].weight == Weight::Content);
    Some(verb.unwrap_or(place))
}

/// Returns the index of the word that the word at `at` puts in focus.
fn focused(words: &[Word], at: usize, language: Language) -> Option<usize> {
    let word = &words[at];
    let prosody = prosody(word, language);
    if prosody.focused.has(&word.text) {
        return Some(at);
    }
    if prosody.focus_before.has(&word.text) {
        // घर में ही: the focus is the noun before the postposition
        return (0..at).rev().find(|&before| words[before].weight == Weight::Content).or(at.checked_sub(1));
    }
    if prosody.focus_after.has(&word.text) {
        return (at + 1..words.len()).find(|&following| words[following].weight == Weight::Content);
    }
    None
}

/// Returns the word lists for a word: those of English for an English word, otherwise those of `language`.
fn prosody(word: &Word, language: Language) -> &'static super::Prosody {
    let own = if word.language == Language::English { word.language } else { language };
    &data::of(own).prosody
}
