//! What the front end knows of each language: one [`LanguageSpec`] a language, all of one shape.
//!
//! A language is a folder of data, `data/<code>/`, a file here with its `SPEC`, and a line in the list of
//! [`shruti_lang::for_each_language`]. All else asks the specification for the property that matters, never for the
//! language. How numbers, dates and signs are said is in the data, `normalize.toml`.

pub mod bengali;
mod english;
mod gujarati;
mod hindi;
mod kannada;
mod malayalam;
mod marathi;
mod odia;
mod punjabi;
mod tamil;
mod telugu;

use std::sync::OnceLock;

use shruti_lang::{Language, for_each_language};

use crate::g2p::Detail;
use crate::g2p::stems::Stems;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable;
use crate::utterance::Tone;

/// Everything that the code must know of one language.
pub(crate) struct LanguageSpec {
    /// The script that it is written in.
    pub(crate) script: Script,
    /// How the letters of its words become phones.
    pub(crate) pronouncing: Pronouncing,
    /// The stems of `stems.tsv`, where it has them, by which its rules respell words.
    pub(crate) stems: Option<fn() -> &'static Stems>,
    /// Turns the phones of a word that dictionaries write into those of running speech, where they differ.
    pub(crate) allophones: Option<fn(&mut Vec<Phone>)>,
    /// The tones of a word's vowels, in order, where it has any.
    pub(crate) tones: Option<fn(&str) -> Tones>,
    /// Respells a word whose sound its place in the clause decides, where it has any.
    pub(crate) by_position: Option<fn(&Place<'_>) -> Option<String>>,
    /// How its words fall into syllables, and which of them is stressed by default.
    pub(crate) syllables: syllable::Rules,
    /// The vowels that it has for those of names of India in English, where they differ: `(of the name, its own)`.
    pub(crate) name_vowels: &'static [(Symbol, Symbol)],
    /// How it is written in Latin letters.
    pub(crate) romanisation: Romanisation,
}

/// A word among its neighbours in a segment.
pub(crate) struct Place<'a> {
    /// The word.
    pub(crate) word: &'a str,
    /// The word before it.
    pub(crate) before: Option<&'a str>,
    /// The word behind it.
    pub(crate) after: Option<&'a str>,
    /// Whether the segment or a phrase in it ends behind the word.
    pub(crate) ends_phrase: bool,
}

/// The tone of each vowel of a word, in order.
type Tones = Vec<Option<Tone>>;

/// How the letters of a language's words become phones.
pub(crate) enum Pronouncing {
    /// By its rules, but for the words of `exceptions.tsv`. They are asked for the detail where letters decide over
    /// it, which [`allophones`](LanguageSpec::allophones) do not see.
    ByRule(fn(&str, Detail) -> Vec<Phone>),
    /// By the lexicon and the models of English, which know the stress, too.
    ByLexicon,
}

/// How a language is written in Latin letters.
pub(crate) struct Romanisation {
    /// Whether it tells short e and o from long ones, so that `e` and `o` without a macron are short in ISO 15919.
    pub(crate) short_e_and_o: bool,
    /// Whether a last consonant without a vowel is written without a virama, since its inherent vowel falls.
    pub(crate) final_schwa_falls: bool,
    /// By how many nats the evidence for it must be stronger than for the likeliest language, in a turn of English.
    pub(crate) handicap: f32,
}

/// The data files that every language has, as they stand in `data/<code>/`.
pub(crate) struct DataFiles {
    /// `normalize.toml`: how written forms are said.
    pub(crate) normalize: &'static str,
    /// `exceptions.tsv`: words whose sound their letters do not tell.
    pub(crate) exceptions: &'static str,
    /// `letter-names.tsv`: the names of the Latin letters in the script of the language.
    pub(crate) letter_names: &'static str,
    /// `characters.toml`: the names of signs and of dependent letters, for screen readers.
    pub(crate) characters: &'static str,
    /// `evidence.tsv`: what tells the language from others in its script.
    pub(crate) evidence: &'static str,
    /// `romanised.tsv`: frequent words with the ways they are romanised.
    pub(crate) romanised: &'static str,
    /// `romanised-model.tsv`: the letters that other romanised words stand for.
    pub(crate) romanised_model: &'static str,
    /// `romanised-ambiguous.toml`: romanised words that are as frequent in English.
    pub(crate) romanised_ambiguous: &'static str,
    /// `latin-trigrams.bin`: how likely rows of three Latin letters are.
    pub(crate) latin_trigrams: &'static [u8],
}

macro_rules! specifications {
    ($($variant:ident $module:ident $code:literal,)*) => {
        static SPECS: [LanguageSpec; Language::ALL.len()] = [$($module::SPEC,)*];

        static DATA_FILES: [DataFiles; Language::ALL.len()] = [$(DataFiles {
            normalize: include_str!(concat!("../../data/", $code, "/normalize.toml")),
            exceptions: include_str!(concat!("../../data/", $code, "/exceptions.tsv")),
            letter_names: include_str!(concat!("../../data/", $code, "/letter-names.tsv")),
            characters: include_str!(concat!("../../data/", $code, "/characters.toml")),
            evidence: include_str!(concat!("../../data/", $code, "/evidence.tsv")),
            romanised: include_str!(concat!("../../data/", $code, "/romanised.tsv")),
            romanised_model: include_str!(concat!("../../data/", $code, "/romanised-model.tsv")),
            romanised_ambiguous: include_str!(concat!("../../data/", $code, "/romanised-ambiguous.toml")),
            latin_trigrams: include_bytes!(concat!("../../data/", $code, "/latin-trigrams.bin")),
        },)*];
    };
}
for_each_language!(specifications);

/// What is known of a language. The enum is declared in the order of the list.
pub(crate) fn spec(language: Language) -> &'static LanguageSpec {
    &SPECS[language as usize]
}

/// The languages that are written in a script, in the order of the list.
pub(crate) fn written_in(script: Script) -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().filter(move |&language| spec(language).script == script)
}

/// The language of a word in a script of which nothing else is known: the first that is written in it.
pub(crate) fn default_of(script: Script) -> Language {
    written_in(script).next().unwrap_or(Language::English)
}

/// The data files of a language.
pub(crate) fn data_files(language: Language) -> &'static DataFiles {
    &DATA_FILES[language as usize]
}

/// What is made of a data file of each language when it is first asked for.
pub(crate) struct PerLanguage<T>([OnceLock<T>; Language::ALL.len()]);

impl<T> PerLanguage<T> {
    /// Nothing yet, for any language.
    pub(crate) const fn new() -> Self {
        Self([const { OnceLock::new() }; Language::ALL.len()])
    }

    /// That of a language; `make` makes it the first time.
    pub(crate) fn get(&self, language: Language, make: impl FnOnce() -> T) -> &T {
        self.0[language as usize].get_or_init(make)
    }
}

/// The tables of this name among the data of all languages, with their paths; for the tests of what reads them.
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
    fn each_language_has_its_own_specification() {
        for (place, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, place, "{language} is declared in another place than it is listed");
            assert_eq!(spec(language).script.name(), language.script(), "{language}");
        }
    }

    #[test]
    fn each_script_has_a_language() {
        for script in Script::BRAHMIC.into_iter().chain([Script::Latin]) {
            assert_eq!(spec(default_of(script)).script, script);
        }
        assert_eq!(default_of(Script::Devanagari), Language::Hindi);
    }
}
