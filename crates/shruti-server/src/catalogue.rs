//! `GET /v1/languages` and `GET /v1/voices`.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use shruti_protocol::{LanguageList, Voice, VoiceEntry, VoiceList};

use crate::app::App;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/v1/languages", get(languages)).route("/v1/voices", get(voices))
}

async fn languages() -> Json<LanguageList> {
    Json(LanguageList::all())
}

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
