//! The models in ElevenLabs' form: `GET /v1/models` of a request that carries `xi-api-key`.

use serde::Serialize;
use shruti_lang::Language;
use shruti_protocol::limits::MAX_TEXT_CHARS;
use utoipa::ToSchema;

/// A model, in ElevenLabs' form. Any other name is taken as well.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsModel {
    model_id: &'static str,
    name: &'static str,
    description: &'static str,
    can_do_text_to_speech: bool,
    can_do_voice_conversion: bool,
    requires_alpha_access: bool,
    token_cost_factor: f64,
    maximum_text_length_per_request: usize,
    languages: Vec<ElevenLabsLanguage>,
}

/// A language, in ElevenLabs' form.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsLanguage {
    language_id: &'static str,
    name: &'static str,
}

/// All of them: one.
pub(crate) fn list() -> Vec<ElevenLabsModel> {
    let language =
        |language: Language| ElevenLabsLanguage { language_id: language.code(), name: language.name() };
    vec![ElevenLabsModel {
        model_id: "eleven_multilingual_v2",
        name: "Shruti",
        description: "Speech in eleven languages of India",
        can_do_text_to_speech: true,
        can_do_voice_conversion: false,
        requires_alpha_access: false,
        token_cost_factor: 1.0,
        maximum_text_length_per_request: MAX_TEXT_CHARS,
        languages: Language::ALL.map(language).into(),
    }]
}
