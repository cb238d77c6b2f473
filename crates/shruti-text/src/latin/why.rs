//! Why a word in Latin letters is read as it is: what `normalize --explain` shows.

use serde::Serialize;
use shruti_lang::Language;
use shruti_translit::Reading;

use super::word::{Depth, Word};

/// Why a word in Latin letters is read as it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// Where its spelling in the script of the language comes from.
    pub source: Source,
    /// How much likelier it is alone, without the words beside it, in the romanised language than in English, in nats; below 0
    /// where it is likelier English.
    pub over_english: f32,
    /// The reading of the same language that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
}

/// Where the native spelling of a romanised word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A hand-written list: `data/<code>/romanised.tsv`.
    List,
    /// The lexicon of the language in `shruti-translit`.
    Lexicon,
    /// The model of how the language spells: no lexicon has it.
    Spelling,
    /// It is a name of India, said as English knows it.
    Name,
    /// English has it.
    English,
    /// Its letters alone: it stays as it is written, or is spelt letter by letter.
    Letters,
}

/// The reading that was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunnerUp {
    /// The word in the script of the language.
    pub text: String,
    /// How much less likely it is than the one that was chosen, without the words beside it, in nats; below 0 where those decided.
    pub behind: f32,
}

/// What speaks for a Latin word as it was read in `language`, as `native`: alone, without the words beside it.
pub(crate) fn why(word: &str, language: Language, native: &str) -> Why {
    let word = Word::new(word);
    let over_english = word.evidence(language, Depth::Spelling);
    let readings = word.readings(language);
    let Some(model) = shruti_translit::model(language).filter(|_| !readings.is_empty()) else {
        return Why { source: Source::Letters, over_english, runner_up: None };
    };
    let spelt: Vec<(String, &Reading)> =
        readings.iter().map(|reading| (model.native(reading), reading)).collect();
    let chosen = spelt.iter().find(|(spelling, _)| spelling == native).map(|&(_, reading)| reading);
    let source = match chosen {
        _ if word.is_name_of_india(language) => Source::Name,
        None if native.is_ascii() && word.is_english() => Source::English,
        Some(_) if word.key.listed(language) == Some(native) => Source::List,
        Some(reading) if reading.is_known => Source::Lexicon,
        Some(_) => Source::Spelling,
        None => Source::Letters,
    };
    let runner_up = spelt.iter().find(|(spelling, _)| spelling != native);
    let runner_up = runner_up.zip(chosen).map(|((spelling, other), chosen)| RunnerUp {
        text: spelling.clone(),
        behind: (other.cost as f32 - chosen.cost as f32) / shruti_translit::STEPS_A_NAT,
    });
    Why { source, over_english, runner_up }
}
