//! Focus: words before `ही`, words after `only`, and negations.

use shruti_lang::Language;

use crate::data;
use crate::data::prosody::Roles;
use crate::utterance::{Contour, Weight, Word};

/// Puts at most one word in focus: the word that a particle puts in focus, or otherwise a negation. Does nothing if the
/// segment already has a focus or an emphasis. A negation in a yes/no or alternative question is not put in focus.
///
/// `roles` are the roles of the words in `language`.
pub(super) fn mark(words: &mut [Word], roles: &[Roles], language: Language, contour: Contour) {
    if words.iter().any(|word| matches!(word.weight, Weight::Focus | Weight::Emphasis)) {
        return;
    }
    // the roles of an English word are those of the English lists
    let english = &data::of(Language::English).prosody;
    let role = |at: usize| {
        let is_other = words[at].language == Language::English && language != Language::English;
        if is_other { english.roles(&words[at].text) } else { roles[at] }
    };
    let roles: Vec<Roles> = (0..words.len()).map(role).collect();
    let particle = (0..words.len()).find_map(|at| focused(words, &roles, at));
    let asks = matches!(contour, Contour::YesNoQuestion | Contour::AlternativeQuestion);
    let denied = || if asks { None } else { denied(words, &roles, language) };
    if let Some(place) = particle.or_else(denied) {
        words[place].weight = Weight::Focus;
    }
}

/// Returns the index of the negation, or of the verb before it if the negation is a function word.
fn denied(words: &[Word], roles: &[Roles], language: Language) -> Option<usize> {
    let place = roles.iter().position(|roles| roles.has(Roles::NEGATION)).filter(|_| words.len() > 1)?;
    let leans = language != Language::English && words[place].weight == Weight::Function;
    let verb = place.checked_sub(1).filter(|&before| leans && words[before].weight == Weight::Content);
    Some(verb.unwrap_or(place))
}

/// Returns the index of the word that the word at `at` puts in focus.
fn focused(words: &[Word], roles: &[Roles], at: usize) -> Option<usize> {
    let roles = roles[at];
    if roles.has(Roles::FOCUSED) {
        return Some(at);
    }
    if roles.has(Roles::FOCUS_BEFORE) {
        // घर में ही: the focus is the noun before the postposition
        return (0..at).rev().find(|&before| words[before].weight == Weight::Content).or(at.checked_sub(1));
    }
    if roles.has(Roles::FOCUS_AFTER) {
        return (at + 1..words.len()).find(|&following| words[following].weight == Weight::Content);
    }
    None
}
