//! What the words say of melody and breath: which question is asked, what is in focus, where a reader pauses.
//!
//! Everything is decided within one segment, from words with their phones, so that it does not depend on how the text
//! was cut into messages. The words that tell stand in `[prosody]` of `data/<code>/normalize.toml`.

mod breaks;

mod digits;
mod focus;
mod question;
mod words;

pub(crate) use digits::lengths as group_lengths;
pub(crate) use question::Question;
pub(crate) use words::Prosody;

use shruti_lang::Language;

use crate::normalize::data;
use crate::utterance::{Break, Contour, Weight, Word};

/// Marks pauses, phrases and focus in the words of a segment, and gives its melody. `contour` is the one that the
/// closing punctuation asks for: [`Contour::YesNoQuestion`] for any question.
pub(crate) fn mark(words: &mut [Word], language: Language, contour: Contour) -> Contour {
    let language = language_of(words, language);
    digits::divide(words);
    let contour = match contour {
        Contour::YesNoQuestion => ask(words, language),
        contour => contour,
    };
    focus::mark(words, language, contour);
    breaks::divide(words, language);
    contour
}

/// What a question asks for; the word that asks and the edge between alternatives are marked.
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

/// The language whose grammar a segment has: English where all words are English, else that of the others where they
/// are in one, else the turn's.
fn language_of(words: &[Word], turn: Language) -> Language {
    let mut others = words.iter().map(|word| word.language).filter(|&language| language != Language::English);
    match others.next() {
        None => Language::English,
        Some(first) if others.all(|language| language == first) => first,
        Some(_) => turn,
    }
}

/// Whether a phrase may end between two words, in one of the languages: behind a postposition or an ending, and not
/// before a word that leans back.
pub(crate) fn ends_phrase(before: &str, after: &str) -> bool {
    let mut prosody = Language::ALL.iter().map(|&language| &data::of(language).prosody);
    prosody.any(|prosody| prosody.phrase_after.has(before))
        && !Language::ALL.iter().any(|&language| {
            let prosody = &data::of(language).prosody;
            prosody.function.contains(after) && !prosody.leans_on_next.has(after)
                || prosody.leans_on_previous.has(after)
                || prosody.phrase_after.has_exactly(after)
        })
}

/// Whether a word begins a clause in one of the languages, and can do nothing else in any other.
pub(crate) fn begins_clause(word: &str) -> bool {
    use std::sync::LazyLock;

    use crate::table::Set;

    static CONJUNCTIONS: LazyLock<Set<&'static str>> = LazyLock::new(|| {
        let of = |language: Language| &data::of(language).prosody;
        let elsewhere = |word: &str| {
            Language::ALL
                .iter()
                .any(|&other| of(other).function.contains(word) && !of(other).clause_before.has_exactly(word))
        };
        let all = Language::ALL.iter().flat_map(|&language| of(language).clause_before.whole());
        all.filter(|word| !elsewhere(word)).collect()
    });
    CONJUNCTIONS.contains(crate::chars::lowercase(word).as_ref())
}

#[cfg(test)]
mod tests;
