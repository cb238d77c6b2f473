//! What `GET /v1/languages` and `GET /v1/voices` answer.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceEngine};

/// The answer of `GET /v1/languages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LanguageList {
    /// All languages, in the order of the documentation.
    pub languages: Vec<LanguageEntry>,
}

/// One language of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LanguageEntry {
    /// Its code.
    pub code: Language,
    /// Other codes that are accepted for it.
    pub aliases: Vec<String>,
    /// Its name in English.
    pub name: String,
    /// Its name in itself.
    pub native_name: String,
    /// The script of its own; other scripts are read too.
    pub script: String,
}

impl LanguageList {
    /// Every language.
    pub fn all() -> Self {
        let entry = |language: Language| LanguageEntry {
            code: language,
            aliases: language.aliases().iter().map(|&alias| alias.to_owned()).collect(),
            name: language.name().to_owned(),
            native_name: language.native_name().to_owned(),
            script: language.script().to_owned(),
        };
        Self { languages: Language::ALL.map(entry).to_vec() }
    }
}

/// The answer of `GET /v1/voices`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceList {
    /// All voices, the default first.
    pub voices: Vec<VoiceEntry>,
}

/// One voice of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceEntry {
    /// Its name, in the canonical spelling.
    pub name: String,
    /// The same: how ElevenLabs' clients know a voice.
    pub voice_id: String,
    /// `premade`: what kind of voice it is to ElevenLabs' clients.
    pub category: String,
    /// The speaker's gender, where it is known.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub gender: Option<String>,
    /// Whether it speaks where a request names no voice.
    pub default: bool,
    /// The kind of synthesiser behind it: `parametric` for the embedded voices.
    pub engine: String,
    /// What `engine` of a request may be to choose its synthesis; empty for a voice with one alone.
    #[serde(default)] // older servers do not list them
    #[cfg_attr(feature = "openapi", schema(required))]
    pub engines: Vec<VoiceEngine>,
    /// The kinds of time marks it can give: `word`.
    pub timestamps: Vec<String>,
    /// Whether the same request always gives the same samples.
    pub deterministic: bool,
    /// The languages it speaks.
    pub languages: Vec<Language>,
    /// What speaks each of them, in the same order.
    pub by_language: Vec<VoiceLanguage>,
    /// Samples a second.
    pub sample_rate: u32,
}

/// What a language of a voice is spoken by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceLanguage {
    /// The language.
    pub language: Language,
    /// The kind of synthesiser: `parametric` for the embedded voices, `neural` for a pack, `remote` for another server.
    pub engine: String,
    /// The pack that speaks, where one does.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub pack: Option<String>,
    /// Whether the same request always gives the same samples. A pack gives them on one machine and build only.
    pub deterministic: bool,
    /// Whether `pitch` may be other than 0 there.
    pub pitch: bool,
    /// Under what licence the pack speaks.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub licence: Option<VoiceLicence>,
}

/// The licence of a trained voice, as its publisher states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoiceLicence {
    /// Its SPDX identifier, or what stands for one.
    pub spdx: String,
    /// Whom to name.
    pub attribution: String,
    /// Whether commercial use is allowed; `null` where it is not known.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub commercial: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_listed_with_their_aliases() {
        let json = serde_json::to_value(LanguageList::all()).unwrap();
        assert_eq!(json["languages"].as_array().map(Vec::len), Some(11));
        assert_eq!(
            json["languages"][9],
            serde_json::json!({"code": "or", "aliases": ["or-IN", "od", "od-IN"], "name": "Odia",
                "native_name": "ଓଡ଼ିଆ", "script": "Odia"})
        );
        assert_eq!(serde_json::from_value::<LanguageList>(json).unwrap(), LanguageList::all());
    }

    #[test]
    fn voices_say_what_they_can_do() {
        let licence = VoiceLicence {
            spdx: "CC-BY-4.0".to_owned(),
            attribution: "A. Speaker".to_owned(),
            commercial: Some(true),
        };
        let by_language = [("parametric", None, Language::Hindi), ("neural", Some(licence), Language::Odia)];
        let by_language = by_language.map(|(engine, licence, language)| VoiceLanguage {
            language,
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
                    {"language": "hi", "engine": "parametric", "pack": null, "deterministic": true, "pitch": true,
                        "licence": null},
                    {"language": "or", "engine": "neural", "pack": "or-speaker", "deterministic": false, "pitch": false,
                        "licence": {"spdx": "CC-BY-4.0", "attribution": "A. Speaker", "commercial": true}}],
                "sample_rate": 24_000}]})
        );
        assert_eq!(serde_json::from_value::<VoiceList>(json).unwrap(), list);
    }
}
