//! Reasons for the reading of a word in Latin letters, for the output of `normalize --explain`.

use serde::Serialize;
use shruti_lang::Language;
use shruti_translit::Reading;

use super::word::{Depth, Word};

/// Reasons for the reading of a word in Latin letters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// Source of the reading.
    pub source: Source,
    /// Evidence of the word alone, without its neighbours, for the romanised language and against English, in nats. The
    /// value is negative if English is more likely.
    pub over_english: f32,
    /// Next best reading in the same language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
}

/// Source of the reading of a word in Latin letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A hand-written list: `data/<code>/romanised.tsv`.
    List,
    /// The lexicon of the language in `shruti-translit`.
    Lexicon,
    /// The spelling model of the language; no lexicon contains the word.
    Spelling,
    /// An Indian name, pronounced as in English.
    Name,
    /// The English lexicon.
    English,
    /// The letters only: the word is kept as written, or spelled letter by letter.
    Letters,
}

/// Reading that was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunnerUp {
    /// Word in the script of the language.
    pub text: String,
    /// Difference in log-likelihood from the chosen reading, without the neighbours, in nats. The value is negative if
    /// the neighbours made the chosen reading more likely than this one.
    pub behind: f32,
}

/// Returns the reasons for reading a Latin word in `language` as `native`. The neighbours of the word are not examined.
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
        behind: (other.cost as f32 - chosen.cost as f32) / shruti_translit::STEPS_PER_NAT,
    });
    Why { source, over_english, runner_up }
}
