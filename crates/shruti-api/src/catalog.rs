//! `GET /v1/languages` and `GET /v1/voices`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use shruti_engine::{Engine, Voice};
use shruti_lang::SAMPLE_RATE;
use shruti_protocol::{LanguageList, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList};

use shruti_service::app::App;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::openapi::{Api, JsonResponse};

pub(crate) fn routes() -> Api {
    Api::of("catalogue").route(__path_languages, get(languages)).route(__path_voices, get(voices))
}

/// List the languages.
#[utoipa::path(
    get, path = "/v1/languages", operation_id = "languages", params(RequestHeaders),
    responses(JsonResponse<LanguageList>)
)]
async fn languages() -> Json<LanguageList> {
    Json(LanguageList::all())
}

/// List the voices and their capabilities.
#[utoipa::path(
    get, path = "/v1/voices", operation_id = "voices", params(RequestHeaders),
    responses(JsonResponse<VoiceList>)
)]
async fn voices(State(app): State<Arc<App>>) -> Json<VoiceList> {
    Json(list(&app.engine))
}

/// Returns the voices of an engine, the default voice first.
fn list(engine: &Engine) -> VoiceList {
    let voices = engine.voices();
    let default = voices.default_voice().name();
    let entry = |voice: &Voice| {
        let back_ends = || voices.languages_of(voice).map(|spoken| spoken.backend);
        VoiceEntry {
            name: voice.name().to_string(),
            voice_id: voice.name().to_string(),
            category: "premade".to_owned(),
            gender: voice.gender().map(|gender| gender.as_str().to_owned()),
            default: voice.name() == default,
            engine: back_ends().map(|back_end| back_end.engine.clone()).next().unwrap_or_default(),
            engines: engine.choices(voice).to_vec(),
            timestamps: if back_ends().all(|back_end| back_end.timestamps) {
                vec!["word".to_owned()]
            } else {
                Vec::new()
            },
            deterministic: back_ends().all(|back_end| back_end.deterministic),
            languages: voice.languages().collect(),
            by_language: voices.languages_of(voice).map(by_language).collect(),
            sample_rate: SAMPLE_RATE,
        }
    };
    VoiceList { voices: voices.iter().map(entry).collect() }
}

/// Converts the engine's description of a voice in one language to the wire type.
fn by_language(spoken: shruti_engine::VoiceLanguage<'_>) -> VoiceLanguage {
    let licence = spoken.backend.licence.as_ref();
    VoiceLanguage {
        language: spoken.language,
        beta: spoken.language.is_beta(),
        engine: spoken.backend.engine.clone(),
        pack: licence.map(|_| spoken.backend.name.clone()),
        deterministic: spoken.backend.deterministic,
        pitch: spoken.pitch,
        licence: licence.map(|licence| VoiceLicence {
            spdx: licence.spdx.clone(),
            attribution: licence.attribution.clone(),
            commercial: licence.commercial,
        }),
    }
}
