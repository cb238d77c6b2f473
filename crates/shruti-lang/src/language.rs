//! The languages and their codes: one list, from which every crate makes what it needs of each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Makes the enum of the languages, what is known of each, and [`for_each_language!`](crate::for_each_language) from
/// one list.
macro_rules! languages {
    ($(
        $variant:ident, $module:ident, $code:literal, $aliases:expr, $name:literal, $native_name:literal,
        $script:literal;
    )*) => {
        /// A language that Shruti speaks.
        ///
        /// On the wire it is its two-letter code; the aliases of [`Language::from_code`] are read as well.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            $(#[doc = concat!($name, ", `", $code, "`.")] $variant,)*
        }

        impl Language {
            /// All languages, in the order of the documentation and of the enum.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            const fn facts(self) -> Facts {
                match self {
                    $(Self::$variant => Facts {
                        code: $code,
                        aliases: &$aliases,
                        name: $name,
                        native_name: $native_name,
                        script: $script,
                    },)*
                }
            }
        }

        /// Hands the list of all languages to a macro, so that no other crate repeats it.
        ///
        /// `for_each_language!(callback)` becomes `callback! { Hindi hindi "hi", Bengali bengali "bn", … }`: for each
        /// language its variant, a name for a module or a function, and its code, in the order of [`Language::ALL`].
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
}

/// What is known of one language.
struct Facts {
    code: &'static str,
    aliases: &'static [&'static str],
    name: &'static str,
    native_name: &'static str,
    script: &'static str,
}

impl Language {
    /// The code answered on the wire, such as `hi`.
    pub const fn code(self) -> &'static str {
        self.facts().code
    }

    /// Other codes that are accepted for it, such as `hi-IN`.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// Its name in English.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its name in itself.
    pub const fn native_name(self) -> &'static str {
        self.facts().native_name
    }

    /// The name of the script of its own.
    pub const fn script(self) -> &'static str {
        self.facts().script
    }

    /// The language of a code or an alias, matched without regard to case; `_` counts as `-`.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.replace('_', "-");
        Self::ALL.into_iter().find(|language| {
            let facts = language.facts();
            facts.code.eq_ignore_ascii_case(&code)
                || facts.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(&code))
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A code that names no language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("language '{given}' is not supported; supported are {}", supported_codes())]
pub struct UnknownLanguage {
    /// The code as it was given.
    pub given: String,
}

fn supported_codes() -> String {
    Language::ALL.map(Language::code).join(", ")
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Self::from_code(code).ok_or_else(|| UnknownLanguage { given: code.to_owned() })
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
    fn an_unknown_code_is_told_which_there_are() {
        let message = "xx".parse::<Language>().unwrap_err().to_string();
        assert!(message.contains("'xx'") && message.contains("hi, bn, ta"), "{message}");
    }

    #[test]
    fn the_wire_carries_codes() {
        assert_eq!(serde_json::to_string(&Language::Odia).unwrap(), "\"or\"");
        assert_eq!(serde_json::from_str::<Language>("\"od-IN\"").unwrap(), Language::Odia);
    }
}
