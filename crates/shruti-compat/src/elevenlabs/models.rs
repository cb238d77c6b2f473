//! Models in ElevenLabs' format: `GET /v1/models` for requests with `xi-api-key`.

use serde::Serialize;
use shruti_lang::Language;
use shruti_protocol::limits::MAX_TEXT_CHARS;
use utoipa::ToSchema;

/// Model in ElevenLabs' format. Any other model name is accepted as well.
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

/// Language in ElevenLabs' format.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsLanguage {
    language_id: &'static str,
    name: &'static str,
}

/// Returns the list of models. It contains a single model.
pub(crate) fn list() -> Vec<ElevenLabsModel> {
    let language =
        |language: Language| ElevenLabsLanguage { language_id: language.code(), name: language.name() };
    vec![ElevenLabsModel {
        model_id: "eleven_multilingual_v2",
        name: "Shruti",
        description: "Speech in eleven Indian languages, and in four more in beta",
        can_do_text_to_speech: true,
        can_do_voice_conversion: false,
        requires_alpha_access: false,
        token_cost_factor: 1.0,
        maximum_text_length_per_request: MAX_TEXT_CHARS,
        languages: Language::ALL.map(language).into(),
    }]
}
