//! Languages and their codes: the list from which every crate generates its per-language code.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::suggestion::closest;

/// Generates the language enum, the facts about each language, and [`for_each_language!`](crate::for_each_language)
/// from one list.
macro_rules! languages {
    ($(
        $variant:ident, $module:ident, $code:literal, $aliases:expr, $name:literal, $native_name:literal,
        $script:literal $(, beta $base:ident)?;
    )*) => {
        /// A language that Shruti speaks.
        ///
        /// On the wire, a language is its ISO 639 code of two or three letters. [`Language::from_code`] also accepts
        /// aliases of the code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            $(#[doc = concat!($name, ", `", $code, "`.")] $variant,)*
        }

        impl Language {
            /// All languages, in the order of the documentation and of the enum. Languages in beta come last.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            const fn facts(self) -> Facts {
                match self {
                    $(Self::$variant => Facts {
                        code: $code,
                        aliases: &$aliases,
                        name: $name,
                        native_name: $native_name,
                        script: $script,
                        base: [$(Some(Self::$base),)? None][0],
                    },)*
                }
            }
        }

        /// Passes the list of all languages to a macro, so that no other crate repeats the list.
        ///
        /// `for_each_language!(callback)` expands to `callback! { Hindi hindi "hi", Bengali bengali "bn", … }`: for
        /// each language its variant, a name for a module or a function, and its code, in the order of
        /// [`Language::ALL`].
        #[macro_export]
        macro_rules! for_each_language {
            ($callback:ident) => { $callback! { $($variant $module $code,)* } };
        }
    };
}

languages! {
    Hindi, hindi, "hi", ["hi-IN"], "Hindi", "हिन्दी", "Devanagari";
    Bengali, bengali, "bn", ["bn-IN"], "Bengali", "বাংলা", "Bengali";
    Tamil, tamil, "ta", ["ta-IN"], "Tamil", "தமிழ்", "Tamil";
    Telugu, telugu, "te", ["te-IN"], "Telugu", "తెలుగు", "Telugu";
    Gujarati, gujarati, "gu", ["gu-IN"], "Gujarati", "ગુજરાતી", "Gujarati";
    Kannada, kannada, "kn", ["kn-IN"], "Kannada", "ಕನ್ನಡ", "Kannada";
    Malayalam, malayalam, "ml", ["ml-IN"], "Malayalam", "മലയാളം", "Malayalam";
    Marathi, marathi, "mr", ["mr-IN"], "Marathi", "मराठी", "Devanagari";
    Punjabi, punjabi, "pa", ["pa-IN"], "Punjabi", "ਪੰਜਾਬੀ", "Gurmukhi";
    Odia, odia, "or", ["or-IN", "od", "od-IN"], "Odia", "ଓଡ଼ିଆ", "Odia";
    English, english, "en", ["en-IN"], "Indian English", "English", "Latin";
    Nepali, nepali, "ne", ["ne-IN", "ne-NP"], "Nepali", "नेपाली", "Devanagari", beta Hindi;
    Assamese, assamese, "as", ["as-IN"], "Assamese", "অসমীয়া", "Bengali", beta Bengali;
    Konkani, konkani, "kok", ["kok-IN", "gom", "gom-IN"], "Konkani", "कोंकणी", "Devanagari", beta Marathi;
    Urdu, urdu, "ur", ["ur-IN", "ur-PK"], "Urdu", "اردو", "Arabic", beta Hindi;
}

/// Returns the number of languages before the first one in beta.
const fn finished_count() -> usize {
    let mut count = 0;
    while count < Language::ALL.len() && !Language::ALL[count].is_beta() {
        count += 1;
    }
    count
}

/// Properties of one language.
struct Facts {
    code: &'static str,
    aliases: &'static [&'static str],
    name: &'static str,
    native_name: &'static str,
    script: &'static str,
    /// For a language in beta, the language whose trained data is used; otherwise `None`.
    base: Option<Language>,
}

impl Language {
    /// Languages that are not in beta: the first entries of [`Self::ALL`].
    pub const FINISHED: [Self; finished_count()] = {
        let mut finished = [Self::ALL[0]; finished_count()];
        let mut at = 0;
        while at < finished.len() {
            finished[at] = Self::ALL[at];
            at += 1;
        }
        finished
    };

    /// Returns `true` if the language is in beta. A language in beta has its own rules and words, but no trained data
    /// of its own, and its quality has not been measured like that of the other languages.
    pub const fn is_beta(self) -> bool {
        self.facts().base.is_some()
    }

    /// Returns the language whose trained data is used for this language: tables of romanised words and the symbols of
    /// voice models. For a language in beta, this is a finished language with similar sounds. Every other language is
    /// its own base.
    #[must_use]
    pub const fn base(self) -> Self {
        match self.facts().base {
            Some(base) => base,
            None => self,
        }
    }

    /// Returns the code that is used on the wire, such as `hi`.
    pub const fn code(self) -> &'static str {
        self.facts().code
    }

    /// Returns the other codes that are accepted for the language, such as `hi-IN`.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// Returns the English name of the language.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the native name of the language.
    pub const fn native_name(self) -> &'static str {
        self.facts().native_name
    }

    /// Returns the name of the script of the language.
    pub const fn script(self) -> &'static str {
        self.facts().script
    }

    /// Returns the language with a given code or alias, ignoring case; `_` is equivalent to `-`.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.replace('_', "-");
        Self::ALL.into_iter().find(|language| {
            let facts = language.facts();
            facts.code.eq_ignore_ascii_case(&code)
                || facts.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(&code))
        })
    }

    /// Parses a language name as users write it: a [code](Self::from_code), an ISO 639-3 code (`hin`), a name in
    /// English or in one of the languages (`Hindi`, `हिन्दी`, `ஹிந்தி`), or a BCP 47 tag that starts with a code
    /// (`hi-Deva-IN`, `en-US`). Case is ignored.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        if let Some(language) = Self::from_code(name) {
            return Some(language);
        }
        if name.len() > MAX_NAME_BYTES {
            return None;
        }
        let name = name.to_lowercase().replace('_', "-");
        names().find(|(_, known)| *known == name).map(|(language, _)| language).or_else(|| of_tag(&name))
    }
}

/// Maximum length of a name in bytes; longer names are not looked up.
const MAX_NAME_BYTES: usize = 100;

/// Returns the additional names of all languages, each with its language. The names are in lower case. The codes and
/// aliases in `languages!` are not included.
fn names() -> impl Iterator<Item = (Language, &'static str)> {
    let lines = include_str!("../data/language-names.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let mut columns = line.split('\t');
        let language = columns.next().and_then(Language::from_code);
        language.into_iter().flat_map(move |language| columns.clone().map(move |name| (language, name)))
    })
}

/// Returns the language of a language tag with at least one more subtag, such as `hi-Deva-IN` (RFC 5646, 2.1).
fn of_tag(tag: &str) -> Option<Language> {
    let (base, subtags) = tag.split_once('-')?;
    let is_subtag = |subtag: &str| {
        (1..=8).contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if !subtags.split('-').all(is_subtag) {
        return None;
    }
    let is_code = (2..=3).contains(&base.len());
    Language::from_code(base)
        .or_else(|| names().find(|(_, known)| is_code && *known == base).map(|(language, _)| language))
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Error for an unknown language name. The message suggests the closest language, if one is close.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("language '{name}' is not supported; supported are {}{}", supported_codes(), suggested(.name))]
pub struct UnknownLanguage {
    /// The name, as the caller wrote it.
    pub name: String,
}

fn supported_codes() -> String {
    Language::ALL.map(Language::code).join(", ")
}

fn suggested(name: &str) -> String {
    let name = closest(name, names().map(|(_, name)| name).filter(|name| name.chars().count() > 3));
    let language = name.and_then(Language::from_name);
    language
        .map(|language| format!("; did you mean {} ({})?", language.code(), language.name()))
        .unwrap_or_default()
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::from_name(name).ok_or_else(|| UnknownLanguage { name: name.to_owned() })
    }
}

impl Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        code.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_aliases_name_their_language() {
        for language in Language::ALL {
            assert_eq!(Language::from_code(language.code()), Some(language));
            for alias in language.aliases() {
                assert_eq!(Language::from_code(&alias.to_lowercase()), Some(language), "{alias}");
            }
        }
        assert_eq!(Language::from_code("OD_in"), Some(Language::Odia));
        assert_eq!(Language::from_code("fr"), None);
    }

    #[test]
    fn names_in_any_script_and_tags_name_their_language() {
        for (name, language) in [
            ("hindi", Language::Hindi),
            ("HINDI ", Language::Hindi),
            ("हिन्दी", Language::Hindi),
            ("हिंदी", Language::Hindi),
            ("ஹிந்தி", Language::Hindi),
            ("hin", Language::Hindi),
            ("hin-IN", Language::Hindi),
            ("hi-Deva-IN", Language::Hindi),
            ("bangla", Language::Bengali),
            ("தமிழ்", Language::Tamil),
            ("मराठी", Language::Marathi),
            ("Panjabi", Language::Punjabi),
            ("oriya", Language::Odia),
            // ଡ଼ as U+0B21 U+0B3C and as U+0B5C
            ("ଓଡ\u{b3c}ିଆ", Language::Odia),
            ("ଓ\u{b5c}ିଆ", Language::Odia),
            ("en_US", Language::English),
            ("Indian English", Language::English),
            ("नेपाली", Language::Nepali),
            ("npi", Language::Nepali),
            ("অসমীয়া", Language::Assamese),
            ("kok", Language::Konkani),
            ("KOK_in", Language::Konkani),
            ("gom", Language::Konkani),
            ("kok-Deva-IN", Language::Konkani),
            ("gom-Deva", Language::Konkani),
            ("कोंकणी", Language::Konkani),
            ("اردو", Language::Urdu),
            ("ur-Arab-PK", Language::Urdu),
            ("urd", Language::Urdu),
        ] {
            assert_eq!(Language::from_name(name), Some(language), "{name}");
        }
        for name in ["", "fr", "fr-IN", "hi-", "hi-IN!", "hindi-IN", "sindhi", "x".repeat(10_000).as_str()] {
            assert_eq!(Language::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_is_unique_and_can_be_found() {
        let mut seen = std::collections::BTreeMap::new();
        for (language, name) in names() {
            assert_eq!(name, name.to_lowercase().trim(), "{name}");
            assert_eq!(seen.insert(name, language), None, "{name} is listed twice");
            assert_eq!(Language::from_name(name), Some(language), "{name}");
        }
        for language in Language::ALL {
            assert!(seen.values().filter(|named| **named == language).count() >= 12, "{language}");
            assert_eq!(Language::from_name(language.name()), Some(language));
            assert_eq!(Language::from_name(language.native_name()), Some(language));
        }
    }

    #[test]
    fn languages_in_beta_are_the_last_and_borrow_from_finished_ones() {
        assert_eq!(Language::FINISHED.len(), 11);
        assert_eq!(Language::FINISHED[10], Language::English);
        for (at, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language.is_beta(), at >= Language::FINISHED.len(), "{language}");
            assert_eq!(language.is_beta(), language.base() != language, "{language}");
            assert!(!language.base().is_beta(), "{language}");
        }
        assert_eq!(Language::Konkani.base(), Language::Marathi);
    }

    #[test]
    fn a_mistyped_name_gets_a_suggestion() {
        for (name, hint) in
            [("hindhi", "did you mean hi (Hindi)?"), ("marati", "mr (Marathi)?"), ("fr", "hi, bn")]
        {
            let message = name.parse::<Language>().unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
    }

    #[test]
    fn the_error_for_an_unknown_code_lists_the_codes() {
        let message = "xx".parse::<Language>().unwrap_err().to_string();
        assert!(message.contains("'xx'") && message.contains("hi, bn, ta"), "{message}");
    }

    #[test]
    fn languages_are_serialized_as_codes() {
        assert_eq!(serde_json::to_string(&Language::Odia).unwrap(), "\"or\"");
        assert_eq!(serde_json::from_str::<Language>("\"od-IN\"").unwrap(), Language::Odia);
    }
}
