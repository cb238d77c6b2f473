//! What `POST /v1/normalize` answers.

use serde::{Deserialize, Serialize};
use shruti_lang::Language;

/// The answer of `POST /v1/normalize`: how a text is read, token by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Normalization {
    /// The language that is spoken, as told or as found: `hi` for Hindi in Latin letters; null where nothing can be spoken.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub language: Option<Language>,
    /// The script of most letters, by its code in ISO 15924: `Deva`, `Latn`; null where nothing can be spoken.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub script: Option<String>,
    /// Its tokens in order. Together they are the whole text but for its white space.
    pub tokens: Vec<NormalizedToken>,
}

/// A part of a text that is read as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NormalizedToken {
    /// Where it begins in the text, in characters.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The token as it is written.
    pub written: String,
    /// What it is taken for: `word`, `money`, `date`, `lexicon` where a lexicon has a reading for it, and so on.
    pub class: String,
    /// The file of language data, and the table in it, that says how such a token is read; absent for what is read as
    /// it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The words it is spoken as; none for what is not spoken.
    pub words: Vec<NormalizedWord>,
}

/// A word that is spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NormalizedWord {
    /// The word, in the script of its language.
    pub text: String,
    /// The language it is pronounced in.
    pub language: Language,
    /// Its phones in IPA, separated by spaces.
    pub phones: String,
    /// The file of language data that has its phones; absent where they follow from the spelling by rule, or were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phones_by: Option<String>,
}
