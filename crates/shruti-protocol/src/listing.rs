//! Responses of `GET /v1/languages` and `GET /v1/voices`.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceEngine};

/// Response of `GET /v1/languages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LanguageList {
    /// All languages, in the order of the documentation.
    pub languages: Vec<LanguageEntry>,
}

/// An entry of the language list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LanguageEntry {
    /// Code of the language.
    pub code: Language,
    /// Other codes that are accepted for the language.
    pub aliases: Vec<String>,
    /// English name.
    pub name: String,
    /// Native name.
    pub native_name: String,
    /// Native script; other scripts are accepted too.
    pub script: String,
    /// Whether the language is in beta. The quality of a language in beta has not been measured in the same way as that
    /// of the others.
    #[serde(default)] // older servers do not send this field
    #[cfg_attr(feature = "openapi", schema(required))]
    pub beta: bool,
}

impl LanguageList {
    /// Returns the list of all languages.
    pub fn all() -> Self {
        let entry = |language: Language| LanguageEntry {
            code: language,
            aliases: language.aliases().iter().map(|&alias| alias.to_owned()).collect(),
            name: language.name().to_owned(),
            native_name: language.native_name().to_owned(),
            script: language.script().to_owned(),
            beta: language.is_beta(),
        };
        Self { languages: Language::ALL.map(entry).to_vec() }
    }
}

/// Response of `GET /v1/voices`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceList {
    /// All voices; the default voice is first.
    pub voices: Vec<VoiceEntry>,
}

/// An entry of the voice list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceEntry {
    /// Name of the voice, in the canonical spelling.
    pub name: String,
    /// Same as `name`, for ElevenLabs clients.
    pub voice_id: String,
    /// Always `premade`: the voice category that ElevenLabs clients expect.
    pub category: String,
    /// Gender of the speaker, if known.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub gender: Option<String>,
    /// Whether this voice is used for requests that do not specify a voice.
    pub default: bool,
    /// Kind of synthesizer: `parametric` for the embedded voices.
    pub engine: String,
    /// Accepted values of a request's `engine` for this voice; empty if the voice has only one kind of synthesis.
    #[serde(default)] // older servers do not send this field
    #[cfg_attr(feature = "openapi", schema(required))]
    pub engines: Vec<VoiceEngine>,
    /// Supported kinds of timestamps: `word`.
    pub timestamps: Vec<String>,
    /// Whether the same request always returns the same samples.
    pub deterministic: bool,
    /// Languages of the voice.
    pub languages: Vec<Language>,
    /// Synthesizer of each language, in the order of `languages`.
    pub by_language: Vec<VoiceLanguage>,
    /// Sample rate, in Hz.
    pub sample_rate: u32,
}

/// Synthesizer of a voice in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceLanguage {
    /// Language.
    pub language: Language,
    /// Whether the language is in beta.
    #[serde(default)] // older servers do not send this field
    #[cfg_attr(feature = "openapi", schema(required))]
    pub beta: bool,
    /// Kind of synthesizer: `parametric` for the embedded voices, `neural` for a voice pack, `remote` for another
    /// server.
    pub engine: String,
    /// Name of the voice pack, if one is used.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub pack: Option<String>,
    /// Whether the same request always returns the same samples. For a voice pack, this holds only on the same machine
    /// and build.
    pub deterministic: bool,
    /// Whether `pitch` may differ from 0.
    pub pitch: bool,
    /// Licence of the voice pack.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub licence: Option<VoiceLicence>,
}

/// Licence of a trained voice, as its publisher states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceLicence {
    /// SPDX identifier, or the licence name if there is none.
    pub spdx: String,
    /// Attribution text.
    pub attribution: String,
    /// Whether commercial use is allowed; `null` if unknown.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub commercial: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_languages_with_aliases() {
        let json = serde_json::to_value(LanguageList::all()).unwrap();
        assert_eq!(json["languages"].as_array().map(Vec::len), Some(15));
        assert_eq!(
            json["languages"][9],
            serde_json::json!({"code": "or", "aliases": ["or-IN", "od", "od-IN"], "name": "Odia",
                "native_name": "ଓଡ଼ିଆ", "script": "Odia", "beta": false})
        );
        assert_eq!(
            json["languages"][13],
            serde_json::json!({"code": "kok", "aliases": ["kok-IN", "gom", "gom-IN"], "name": "Konkani",
                "native_name": "कोंकणी", "script": "Devanagari", "beta": true})
        );
        assert_eq!(serde_json::from_value::<LanguageList>(json).unwrap(), LanguageList::all());
    }

    #[test]
    fn voices_list_their_capabilities() {
        let licence = VoiceLicence {
            spdx: "CC-BY-4.0".to_owned(),
            attribution: "A. Speaker".to_owned(),
            commercial: Some(true),
        };
        let by_language = [("parametric", None, Language::Hindi), ("neural", Some(licence), Language::Odia)];
        let by_language = by_language.map(|(engine, licence, language)| VoiceLanguage {
            language,
            beta: language.is_beta(),
            engine: engine.to_owned(),
            pack: licence.as_ref().map(|_| "or-speaker".to_owned()),
            deterministic: licence.is_none(),
            pitch: licence.is_none(),
            licence,
        });
        let entry = VoiceEntry {
            name: "Ananya".to_owned(),
            voice_id: "Ananya".to_owned(),
            category: "premade".to_owned(),
            gender: Some("female".to_owned()),
            default: true,
            engine: "parametric".to_owned(),
            engines: vec![VoiceEngine::Rules],
            timestamps: vec!["word".to_owned()],
            deterministic: true,
            languages: vec![Language::Hindi, Language::Odia],
            by_language: by_language.to_vec(),
            sample_rate: 24_000,
        };
        let list = VoiceList { voices: vec![entry] };
        let json = serde_json::to_value(&list).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"voices": [{"name": "Ananya", "voice_id": "Ananya", "category": "premade", "gender": "female", "default": true,
                "engine": "parametric", "engines": ["rules"], "timestamps": ["word"], "deterministic": true, "languages": ["hi", "or"],
                "by_language": [
                    {"language": "hi", "beta": false, "engine": "parametric", "pack": null, "deterministic": true, "pitch": true,
                        "licence": null},
                    {"language": "or", "beta": false, "engine": "neural", "pack": "or-speaker", "deterministic": false, "pitch": false,
                        "licence": {"spdx": "CC-BY-4.0", "attribution": "A. Speaker", "commercial": true}}],
                "sample_rate": 24_000}]})
        );
        assert_eq!(serde_json::from_value::<VoiceList>(json).unwrap(), list);
    }
}
