//! What Sarvam's routes ask and answer.

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::errors::form;
use crate::common::openapi;

/// What is to be spoken, and how.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({"text": "नमस्ते, आप कैसे हैं?", "target_language_code": "hi-IN"})))]
pub(crate) struct SarvamRequest {
    /// The text, of at most 5,000 characters.
    text: String,
    /// The language; found from the script when not given.
    target_language_code: Option<String>,
    /// The same under another name.
    language_code: Option<String>,
    /// A voice, or a name that the operator maps to one; the default voice when not given.
    speaker: Option<String>,
    /// Rate of speaking, brought within 0.5 to 2.0.
    pace: Option<f64>,
    /// In Hz, as a number or a string; 22050 when not given.
    speech_sample_rate: Option<Value>,
    /// `mp3`, `wav`, `linear16`, `mulaw`, `alaw` or `opus`.
    output_audio_codec: Option<String>,
}

fn clip(types: &[&str]) -> Answers {
    openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), "The clip, while it is made.", types)
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> Answers {
        clip(&["application/json"])
    }
}

pub(super) struct StreamedClip;

impl IntoResponses for StreamedClip {
    fn responses() -> Answers {
        clip(&["audio/mpeg", "audio/wav", "audio/L16", "audio/ogg", "audio/basic", "audio/x-alaw-basic"])
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> Answers {
        let own = [ErrorCode::InvalidField, ErrorCode::InvalidToken, ErrorCode::WebsocketRequired];
        openapi::or_opened(openapi::refusals(&form(), &own))
    }
}

/// The query of the socket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "`true` for an `event` `final` behind the sound of what was flushed.";
        vec![
            openapi::in_query("send_completion_event", what, openapi::of(Type::Boolean), json!(true)),
            openapi::clarity(),
            openapi::engine(),
            openapi::max_lead(),
        ]
    }
}
