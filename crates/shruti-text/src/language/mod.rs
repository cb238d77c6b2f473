//! Specifications of the languages: one [`LanguageSpec`] per language, all with the same structure.
//!
//! A language consists of a data folder, `data/<code>/`, a module here with its `SPEC`, and a line in the list of
//! [`shruti_lang::for_each_language`]. Other code should check a property of the specification, not the language
//! itself. The spoken forms of numbers, dates and signs are in the data, `normalize.toml`.

mod assamese;
pub mod bengali;
mod english;
mod gujarati;
mod hindi;
mod kannada;
mod konkani;
mod malayalam;
mod marathi;
mod nepali;
mod odia;
mod position;
mod punjabi;
mod tamil;
mod telugu;
mod urdu;

use shruti_lang::{Language, for_each_language};

use crate::g2p::stems::Stems;
use crate::phone::{Phone, PhoneticDetail, Symbol};
use crate::script::Script;
use crate::syllable;
use crate::utterance::Tone;

/// Properties of a language that the shared code needs.
pub(crate) struct LanguageSpec {
    /// Script of the language.
    pub(crate) script: Script,
    /// Method that converts the letters of a word to phones.
    pub(crate) pronouncing: Pronouncing,
    /// Stems of `stems.tsv`, which the rules use to respell words; `None` if the language has no such file.
    pub(crate) stems: Option<fn() -> &'static Stems>,
    /// Converts the phones of a word from dictionary notation to running speech; `None` if they do not differ.
    pub(crate) allophones: Option<fn(&mut Vec<Phone>)>,
    /// Returns the tones of a word's vowels, in order; `None` if the language has no tones.
    pub(crate) tones: Option<fn(&str) -> Tones>,
    /// Respells a word whose pronunciation depends on its position in the clause; `None` if the language has no such
    /// words.
    pub(crate) by_position: Option<fn(&WordContext<'_>) -> Option<String>>,
    /// Syllabification rules, with the default stress.
    pub(crate) syllables: syllable::Rules,
    /// Vowels that replace the vowels of the English pronunciation of Indian names, where they differ: `(vowel of the
    /// name, vowel of the language)`.
    pub(crate) name_vowels: &'static [(Symbol, Symbol)],
    /// Romanisation of the language.
    pub(crate) romanisation: Romanisation,
    /// Returns the table of keywords that identify the kind of a nearby number. `None` if the language has a column in
    /// the shared table `keywords.tsv`, or no such keywords.
    pub(crate) keywords: Option<fn() -> &'static str>,
}

/// Word with its neighbours in a segment.
pub(crate) struct WordContext<'a> {
    /// Word at this position.
    pub(crate) word: &'a str,
    /// Previous word.
    pub(crate) before: Option<&'a str>,
    /// Next word.
    pub(crate) after: Option<&'a str>,
    /// `true` if the segment, or a phrase in it, ends after the word.
    pub(crate) ends_phrase: bool,
}

/// Tone of each vowel of a word, in order.
type Tones = Vec<Option<Tone>>;

/// Method that converts the letters of a language's words to phones.
pub(crate) enum Pronouncing {
    /// Rules, except for the words of `exceptions.tsv`. The rules receive the level of detail because some differences
    /// between the levels depend on letters, which [`allophones`](LanguageSpec::allophones) does not receive.
    ByRule(fn(&str, PhoneticDetail) -> Vec<Phone>),
    /// The lexicon and the models of English, which also contain the stress.
    ByLexicon,
}

/// Romanisation properties of a language.
pub(crate) struct Romanisation {
    /// `true` if the language distinguishes short and long e and o, so that `e` and `o` without a macron are short in
    /// ISO 15919.
    pub(crate) short_e_and_o: bool,
    /// `true` if a final consonant without a vowel is written without a virama, because schwa deletion removes its
    /// inherent vowel.
    pub(crate) final_schwa_falls: bool,
    /// Margin in nats by which the evidence for this language must exceed that for the likeliest language, in an
    /// English turn.
    pub(crate) handicap: f32,
}

macro_rules! specifications {
    ($($variant:ident $module:ident $code:literal,)*) => {
        static SPECS: [LanguageSpec; Language::ALL.len()] = [$($module::SPEC,)*];
    };
}
for_each_language!(specifications);

/// Returns the specification of a language. The variants of [`Language`] are declared in the order of `SPECS`.
pub(crate) fn spec(language: Language) -> &'static LanguageSpec {
    &SPECS[language as usize]
}

/// Returns the languages that use a script, in the order of the list.
pub(crate) fn written_in(script: Script) -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().filter(move |&language| spec(language).script == script)
}

/// Returns the default language of a word in a script: the first language that uses the script.
pub(crate) fn default_of(script: Script) -> Language {
    written_in(script).next().unwrap_or(Language::English)
}

/// Returns the tables with this name in the data of all languages, with their paths; for tests of the parsers.
#[cfg(test)]
pub(crate) fn tables_named(name: &str) -> Vec<(String, String)> {
    let path = |code| format!("{}/data/{code}/{name}", env!("CARGO_MANIFEST_DIR"));
    let paths = Language::ALL.into_iter().map(|language| path(language.code()));
    let tables: Vec<_> =
        paths.filter_map(|path| Some((std::fs::read_to_string(&path).ok()?, path))).collect();
    assert!(!tables.is_empty(), "no language has a {name}");
    tables.into_iter().map(|(table, path)| (path, table)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_specification() {
        for (place, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, place, "{language} is declared in another place than it is listed");
            assert_eq!(spec(language).script.name(), language.script(), "{language}");
        }
    }

    #[test]
    fn each_script_has_a_language() {
        for script in Script::BRAHMIC.into_iter().chain([Script::Arabic, Script::Latin]) {
            assert_eq!(spec(default_of(script)).script, script);
        }
        assert_eq!(default_of(Script::Devanagari), Language::Hindi);
        assert_eq!(default_of(Script::Bengali), Language::Bengali);
        assert_eq!(default_of(Script::Arabic), Language::Urdu);
    }
}
