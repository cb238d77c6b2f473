//! Access to the files of `data/<code>/`: embedded in the binary, or, with the feature `external-data`, loaded at run
//! time.
//!
//! [`text!`] and [`bytes!`] return the contents of a file. The arguments are the parts of its path under `data/`, as
//! for `concat!`. With `external-data`, a file that has not been loaded is empty.

use shruti_lang::{Language, for_each_language};

use crate::per_language::PerLanguage;

#[cfg(not(feature = "external-data"))]
macro_rules! bytes {
    ($($part:literal),+) => {
        &include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($part),+))[..]
    };
}
#[cfg(feature = "external-data")]
macro_rules! bytes {
    ($($part:literal),+) => { shruti_lang::external::bytes(concat!("text/", $($part),+)) };
}

#[cfg(not(feature = "external-data"))]
macro_rules! text {
    ($($part:literal),+) => { include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($part),+)) };
}
#[cfg(feature = "external-data")]
macro_rules! text {
    ($($part:literal),+) => { shruti_lang::external::text(concat!("text/", $($part),+)) };
}

pub(crate) use {bytes, text};

/// Contents of the data files that every language has in `data/<code>/`.
pub(crate) struct DataFiles {
    /// `normalize.toml`: spoken forms of written forms.
    pub(crate) normalize: &'static str,
    /// `exceptions.tsv`: words with irregular pronunciation.
    pub(crate) exceptions: &'static str,
    /// `letter-names.tsv`: names of the Latin letters in the script of the language.
    pub(crate) letter_names: &'static str,
    /// `characters.toml`: names of signs and of dependent letters, for screen readers.
    pub(crate) characters: &'static str,
    /// `evidence.tsv`: evidence that distinguishes the language from others with the same script.
    pub(crate) evidence: &'static str,
    /// `romanised.tsv`: frequent words with their romanisations.
    pub(crate) romanised: &'static str,
    /// `romanised-model.tsv`: native letters for the Latin letters of other romanised words; see [`trained_files`].
    pub(crate) romanised_model: &'static str,
    /// `romanised-ambiguous.toml`: romanised words that are spelled like an English word of similar frequency.
    pub(crate) romanised_ambiguous: &'static str,
    /// `latin-trigrams.bin`: probabilities of sequences of three Latin letters; see [`trained_files`].
    pub(crate) latin_trigrams: &'static [u8],
}

macro_rules! files_of_languages {
    ($($variant:ident $module:ident $code:literal,)*) => {
        /// Returns the data files of a language, embedded or loaded.
        fn find_data_files(language: Language) -> DataFiles {
            match language {
                $(Language::$variant => DataFiles {
                    normalize: text!($code, "/normalize.toml"),
                    exceptions: text!($code, "/exceptions.tsv"),
                    letter_names: text!($code, "/letter-names.tsv"),
                    characters: text!($code, "/characters.toml"),
                    evidence: text!($code, "/evidence.tsv"),
                    romanised: text!($code, "/romanised.tsv"),
                    romanised_model: text!($code, "/romanised-model.tsv"),
                    romanised_ambiguous: text!($code, "/romanised-ambiguous.toml"),
                    latin_trigrams: bytes!($code, "/latin-trigrams.bin"),
                },)*
            }
        }
    };
}
for_each_language!(files_of_languages);

/// Returns the data files whose trained models a language uses. A language in beta uses those of its base language.
pub(crate) fn trained_files(language: Language) -> &'static DataFiles {
    data_files(language.base())
}

/// Returns the data files of a language.
pub(crate) fn data_files(language: Language) -> &'static DataFiles {
    static DATA_FILES: PerLanguage<DataFiles> = PerLanguage::new();
    DATA_FILES.get(language, || find_data_files(language))
}
