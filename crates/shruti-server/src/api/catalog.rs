//! `GET /v1/languages` and `GET /v1/voices`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use shruti_engine::{Description, Engine, Voice};
use shruti_protocol::{
    Language, LanguageList, SAMPLE_RATE, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList,
};

use crate::app::App;
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{Api, Found};

pub(crate) fn routes() -> Api {
    Api::of("catalogue").route(__path_languages, get(languages)).route(__path_voices, get(voices))
}

/// List the languages.
#[utoipa::path(
    get, path = "/v1/languages", operation_id = "languages", params(RequestHeaders),
    responses(Found<LanguageList>)
)]
async fn languages() -> Json<LanguageList> {
    Json(LanguageList::all())
}

/// List the voices and what they can do.
#[utoipa::path(
    get, path = "/v1/voices", operation_id = "voices", params(RequestHeaders),
    responses(Found<VoiceList>)
)]
async fn voices(State(app): State<Arc<App>>) -> Json<VoiceList> {
    Json(list(&app.engine))
}

/// The voices of an engine, the default first.
fn list(engine: &Engine) -> VoiceList {
    let voices = engine.voices();
    let default = voices.default_voice().name();
    let entry = |voice: &Voice| {
        let back_ends = || voices.backends_of(voice).map(|(_, back_end)| back_end);
        VoiceEntry {
            name: voice.name().to_string(),
            voice_id: voice.name().to_string(),
            category: "premade".to_owned(),
            gender: voice.gender().map(|gender| gender.as_str().to_owned()),
            default: voice.name() == default,
            engine: back_ends().map(|back_end| back_end.engine.clone()).next().unwrap_or_default(),
            timestamps: if back_ends().all(|back_end| back_end.timestamps) {
                vec!["word".to_owned()]
            } else {
                Vec::new()
            },
            deterministic: back_ends().all(|back_end| back_end.deterministic),
            languages: voice.languages().collect(),
            by_language: voices.backends_of(voice).map(by_language).collect(),
            sample_rate: SAMPLE_RATE,
        }
    };
    VoiceList { voices: voices.iter().map(entry).collect() }
}

/// What a language of a voice is spoken by.
fn by_language((language, back_end): (Language, &Description)) -> VoiceLanguage {
    let licence = back_end.licence.as_ref();
    VoiceLanguage {
        language,
        engine: back_end.engine.clone(),
        pack: licence.map(|_| back_end.name.clone()),
        deterministic: back_end.deterministic,
        licence: licence.map(|licence| VoiceLicence {
            spdx: licence.spdx.clone(),
            attribution: licence.attribution.clone(),
            commercial: licence.commercial,
        }),
    }
}
