//! Response of `POST /v1/normalize`.

use serde::{Deserialize, Serialize};
use shruti_lang::Language;

/// Response of `POST /v1/normalize`: the normalization of a text, token by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Normalization {
    /// Language in which the text is spoken, as requested or detected: `hi` for Hindi in Latin letters; null if the
    /// text has nothing to speak.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub language: Option<Language>,
    /// Script of most letters, as an ISO 15924 code: `Deva`, `Latn`; null if the text has nothing to speak.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub script: Option<String>,
    /// Tokens in order. Together, they cover the whole text except for its white space.
    pub tokens: Vec<NormalizedToken>,
}

/// A part of a text that is normalized as a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NormalizedToken {
    /// Start of the token in the text, in characters.
    pub start: u32,
    /// End of the token in the text, in characters.
    pub end: u32,
    /// The token as it appears in the text.
    pub written: String,
    /// Class of the token: `word`, `money`, `date`, `lexicon` if a lexicon has an entry for it, and so on.
    pub class: String,
    /// Language data file and table that contain the rule for this token; absent if the token is read as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Words that are spoken for the token; empty if the token is silent.
    pub words: Vec<NormalizedWord>,
}

/// A spoken word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NormalizedWord {
    /// The word, in the script of its language.
    pub text: String,
    /// Language of the pronunciation.
    pub language: Language,
    /// Phones in IPA, separated by spaces.
    pub phones: String,
    /// Language data file that lists the phones; absent if they are derived from the spelling or specified in the
    /// request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phones_by: Option<String>,
}
