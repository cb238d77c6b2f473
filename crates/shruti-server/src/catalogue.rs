//! `GET /v1/languages` and `GET /v1/voices`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use shruti_protocol::{LanguageList, Voice, VoiceEntry, VoiceList};

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
    let entry = |(voice, back_end): (&shruti_engine::VoiceDescription, &shruti_engine::Description)| {
        let known: Option<Voice> = voice.name.parse().ok();
        VoiceEntry {
            name: voice.name.to_string(),
            gender: known.map(|voice| voice.gender().to_owned()),
            default: known == Some(Voice::default()),
            engine: back_end.engine.clone(),
            timestamps: if back_end.timestamps { vec!["word".to_owned()] } else { Vec::new() },
            deterministic: back_end.deterministic,
            languages: voice.languages.clone(),
            sample_rate: back_end.sample_rate,
        }
    };
    Json(VoiceList { voices: app.engine.voices().map(entry).collect() })
}
