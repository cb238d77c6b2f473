//! Prosody of a segment, determined from its words: the type of a question, the focus, and the pauses.
//!
//! All decisions depend only on one segment and the phones of its words, not on how the text is split into messages.
//! The relevant words are in `[prosody]` of `data/<code>/normalize.toml`.

mod breaks;

mod digits;
mod focus;
mod question;

pub(crate) use digits::lengths as group_lengths;
pub(crate) use question::Question;

use shruti_lang::Language;

use crate::data;
use crate::data::prosody::{RoleIndex, Roles};
use crate::per_language::Joined;
use crate::table::Set;
use crate::utterance::{Break, Contour, Weight, Word};

/// Marks pauses, phrases and focus in the words of a segment, and returns its contour. `contour` is the one that the
/// closing punctuation requests: [`Contour::YesNoQuestion`] for any question.
pub(crate) fn mark(words: &mut [Word], language: Language, contour: Contour) -> Contour {
    let language = language_of(words, language);
    digits::divide(words);
    let contour = match contour {
        Contour::YesNoQuestion => ask(words, language),
        contour => contour,
    };
    let prosody = &data::of(language).prosody;
    let roles: Vec<Roles> = words.iter().map(|word| prosody.roles(&word.text)).collect();
    focus::mark(words, &roles, language, contour);
    breaks::divide(words, &roles, prosody);
    contour
}

/// Returns the contour of a question. Marks its question word, or the boundary before the last of its alternatives.
fn ask(words: &mut [Word], language: Language) -> Contour {
    let spoken: Vec<(&str, Language)> =
        words.iter().map(|word| (word.text.as_str(), word.language)).collect();
    match question::of(&spoken, language) {
        Question::YesNo => Contour::YesNoQuestion,
        Question::Word(at) => {
            if words[at].weight != Weight::Emphasis {
                words[at].weight = Weight::Focus;
            }
            Contour::WhQuestion
        }
        Question::Alternatives(last) => {
            let before = &mut words[last - 1];
            before.break_after = before.break_after.max(Break::Phrase);
            Contour::AlternativeQuestion
        }
    }
}

/// Returns the language whose grammar applies to a segment: English if all words are English, the language of the other
/// words if they share one, and otherwise the language of the turn.
fn language_of(words: &[Word], turn: Language) -> Language {
    let mut others = words.iter().map(|word| word.language).filter(|&language| language != Language::English);
    match others.next() {
        None => Language::English,
        Some(first) if others.all(|language| language == first) => first,
        Some(_) => turn,
    }
}

/// Returns whether a phrase can end between two words of a text in `language`: after a postposition or an ending, but
/// not before a word that attaches to the preceding word. The lists of all languages whose tables apply to the text are
/// searched.
pub(crate) fn ends_phrase(before: &str, after: &str, language: Option<Language>) -> bool {
    /// Lists of all languages whose tables apply, because the segmenter does not know the language of its words.
    struct Edges {
        roles: RoleIndex,
        /// Words that belong to the preceding word: function words that do not attach to the next word, and words that
        /// end a phrase.
        bound: Set<&'static str>,
    }
    static EDGES: Joined<Edges> = Joined::new();
    let edges = EDGES.get(language, |languages| {
        let mut edges = Edges { roles: RoleIndex::default(), bound: Set::default() };
        for prosody in languages.iter().map(|&language| &data::of(language).prosody) {
            edges.roles.add(&prosody.phrase_after, Roles::PHRASE_AFTER);
            edges.roles.add(&prosody.attaches_to_previous, Roles::ATTACHES_TO_PREVIOUS);
            let function = prosody.function.iter().map(String::as_str);
            edges.bound.extend(function.filter(|word| !prosody.attaches_to_next.has(word)));
            edges.bound.extend(prosody.phrase_after.whole());
        }
        edges
    });
    edges.roles.of(before).has(Roles::PHRASE_AFTER)
        && !edges.bound.contains(after)
        && !edges.roles.of(after).has(Roles::ATTACHES_TO_PREVIOUS)
}

/// Returns whether a word of a text in `language` begins a clause in one of the languages whose tables apply to it, and
/// has no other function in any of them.
pub(crate) fn begins_clause(word: &str, language: Option<Language>) -> bool {
    static CONJUNCTIONS: Joined<Set<&'static str>> = Joined::new();
    let conjunctions = CONJUNCTIONS.get(language, |languages| {
        let of = |language: Language| &data::of(language).prosody;
        let elsewhere = |word: &str| {
            languages
                .iter()
                .any(|&other| of(other).function.contains(word) && !of(other).clause_before.has_exactly(word))
        };
        let all = languages.iter().flat_map(|&language| of(language).clause_before.whole());
        all.filter(|word| !elsewhere(word)).collect()
    });
    conjunctions.contains(crate::chars::lowercase(word).as_ref())
}

#[cfg(test)]
mod tests;
