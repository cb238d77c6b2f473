//! Words that are as frequent in English as in an Indian language that is typed in Latin letters (`main`, `to`, `is`, `use`):
//! what their neighbours say of them.

use shruti_protocol::Language;

use crate::normalize::is_function_word;

/// How much it takes for a word to be of another language than one of its neighbours, more than both.
const CERTAIN: f32 = 4.0;
/// Enough to begin a text in the language, before a word of the other.
const LIKELY: f32 = 1.7;
/// Enough where nothing else decides.
const SLIGHT: f32 = 0.1;

/// What English calls main.
const MAIN: [&str; 14] = [
    "road", "gate", "door", "branch", "entrance", "street", "line", "market", "course", "menu", "reason",
    "problem", "point", "switch",
];
/// English words that are counted in Hindi.
const COUNTED: [&str; 16] = [
    "minute", "minutes", "min", "second", "seconds", "hour", "hours", "month", "months", "week", "weeks",
    "ticket", "tickets", "time", "times", "number",
];
/// The beginnings of the Hindi verbs that make a verb of an English word: `use karo`.
const LIGHT_VERBS: [&str; 3] = ["kar", "kiy", "hota"];
/// Words that may stand between the two.
const BETWEEN: [&str; 4] = ["mat", "nahi", "nahin", "bhi"];

/// How much likelier, in nats, the word at `at` is one of `language` than an English one, in a segment that is all in Latin
/// letters; `words` are in lower case, and `among_own` says that some of them are certainly of the language.
pub(super) fn leaning(words: &[&str], at: usize, language: Language, among_own: bool) -> f32 {
    use Language::{Hindi, Punjabi};
    let Some(&word) = words.get(at) else { return 0.0 };
    match (language, word) {
        // उसे, or the English word
        (Hindi, "use") if before_light_verb(&words[at + 1..]) => -CERTAIN,
        // the greeting: the particle ही never begins a sentence
        (Hindi, "hi") if at == 0 => -CERTAIN,
        // मैं, save before what is main in English
        (Hindi | Punjabi, "main")
            if among_own && !words.get(at + 1).is_some_and(|next| MAIN.contains(next)) =>
        {
            LIKELY
        }
        (Hindi, "to") => 0.8,
        // दो before what is counted
        (Hindi, "do") if among_own && words.get(at + 1).is_some_and(|next| COUNTED.contains(next)) => LIKELY,
        // इस and उस before a noun, which English does not have there
        (Hindi, "is" | "us") if among_own && before_noun(&words[at + 1..]) => LIKELY,
        _ => SLIGHT,
    }
}

fn before_light_verb(after: &[&str]) -> bool {
    let next = after.iter().find(|word| !BETWEEN.contains(word));
    next.is_some_and(|next| LIGHT_VERBS.iter().any(|verb| next.starts_with(verb)))
}

/// Whether the next word is none that English says after *is* and *us*.
fn before_noun(after: &[&str]) -> bool {
    after.first().is_some_and(|next| !is_function_word(next, Language::English))
}
