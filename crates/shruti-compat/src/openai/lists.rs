//! Lists of models and voices from which the users of OpenAI's clients choose.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use serde::Serialize;
use shruti_protocol::ErrorCode;
use shruti_service::app::App;
use shruti_service::authorized::Authorized;
use shruti_service::openapi::JsonResponse;
use shruti_service::openapi::errors::{self, Answers, SIGN_IN};
use shruti_service::openapi::headers::{self, RequestHeaders};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder};
use utoipa::openapi::{Ref, Schema};
use utoipa::{IntoResponses, ToSchema};

use super::errors::form;
use crate::common::sign_in::ToLook;
use crate::elevenlabs::{self, models::ElevenLabsModel};

/// Name of the only listed model. Requests may contain any other name.
const MODEL: &str = "tts-1";

/// List of models in OpenAI's format.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelList {
    object: &'static str,
    data: Vec<Model>,
}

/// Model in OpenAI's format.
#[derive(Serialize, ToSchema)]
pub(crate) struct Model {
    id: &'static str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

/// List of speech models.
#[derive(Serialize, ToSchema)]
pub(crate) struct AudioModels {
    models: Vec<Choice>,
}

/// List of voices.
#[derive(Serialize, ToSchema)]
pub(crate) struct AudioVoices {
    voices: Vec<Choice>,
}

/// Entry of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct Choice {
    /// Value to send in requests.
    id: String,
    /// Name to display.
    name: String,
}

impl Choice {
    fn named(name: &str) -> Self {
        Self { id: name.to_owned(), name: name.to_owned() }
    }
}

pub(super) struct Models;

impl IntoResponses for Models {
    fn responses() -> Answers {
        let refused =
            [SIGN_IN, &[ErrorCode::InvalidToken, ErrorCode::RateLimited, ErrorCode::Overloaded]].concat();
        let mut answers = errors::answers_to_key_in(&form(), &refused);
        let elevenlabs = ArrayBuilder::new().items(Ref::from_schema_name(ElevenLabsModel::name()));
        let either = OneOfBuilder::new().item(Ref::from_schema_name(ModelList::name())).item(elevenlabs);
        let content = ContentBuilder::new().schema(Some(Schema::OneOf(either.build()))).build();
        let answer = ResponseBuilder::new().description("The models.").content("application/json", content);
        let answer = headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build();
        answers.insert("200".to_owned(), answer.into());
        answers
    }
}

/// List the models in OpenAI's format, or in ElevenLabs' format for requests with `xi-api-key`.
#[utoipa::path(
    get, path = "/v1/models", operation_id = "openai_models", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), responses(Models)
)]
pub(super) async fn models(_: Authorized<ToLook>, headers: HeaderMap) -> Response {
    if headers.contains_key("xi-api-key") {
        return Json(elevenlabs::models::list()).into_response();
    }
    let model = Model { id: MODEL, object: "model", created: 0, owned_by: "shruti" };
    Json(ModelList { object: "list", data: vec![model] }).into_response()
}

/// List the models to choose from.
#[utoipa::path(
    get, path = "/v1/audio/models", operation_id = "openai_audio_models", params(RequestHeaders),
    responses(JsonResponse<AudioModels>)
)]
pub(super) async fn audio_models() -> Json<AudioModels> {
    Json(AudioModels { models: vec![Choice::named(MODEL)] })
}

/// List the voices to choose from.
#[utoipa::path(
    get, path = "/v1/audio/voices", operation_id = "openai_audio_voices", params(RequestHeaders),
    responses(JsonResponse<AudioVoices>)
)]
pub(super) async fn audio_voices(State(app): State<Arc<App>>) -> Json<AudioVoices> {
    let voices = app.engine.voices();
    let voices = voices.iter().map(|voice| Choice::named(voice.name().as_str()));
    Json(AudioVoices { voices: voices.collect() })
}
