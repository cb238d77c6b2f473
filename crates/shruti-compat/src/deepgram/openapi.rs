//! OpenAPI descriptions of Deepgram's routes.

use serde_json::{Value, json};
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses};

use super::errors::form;
use crate::common::openapi;
use crate::common::request::{Text, request};

request! {
    /// Request to speak a text.
    DeepgramRequest {
        /// Text, at most 5,000 characters.
        TEXT: Text = "text",
    }
    example: {"text": "नमस्ते, आप कैसे हैं?"}
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> Answers {
        let what = "The clip in the format that was asked for, while it is made.";
        let types = [
            "audio/mpeg",
            "audio/wav",
            "audio/L16; rate=24000; channels=1",
            "audio/ogg",
            "audio/basic",
            "audio/x-alaw-basic",
        ];
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &types)
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> Answers {
        openapi::or_opened(openapi::refusals(&form(), openapi::UPGRADE_REFUSED))
    }
}

fn parameter(name: &str, what: &str, kind: Type, example: Value) -> Parameter {
    openapi::in_query(name, what, openapi::of(kind), example)
}

fn common() -> Vec<Parameter> {
    let model = "A voice, or a voice, a hyphen and a language, also behind `aura-2-`; the default voice when not given.";
    vec![
        parameter("model", model, Type::String, json!("Ananya-hi")),
        parameter("speed", "Rate of speaking, brought within 0.5 to 2.0.", Type::Number, json!(1.2)),
        openapi::clarity(),
        openapi::engine(),
    ]
}

/// Query parameters of a clip.
pub(super) struct ClipParameters;

impl IntoParams for ClipParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = common();
        parameters.extend([
            parameter(
                "encoding",
                "`mp3` (the default, 22,050 Hz), `linear16`, `mulaw`, `alaw` or `opus`.",
                Type::String,
                json!("linear16"),
            ),
            parameter(
                "sample_rate",
                "Of `linear16` 8000, 16000, 24000 (the default), 32000 or 48000; of `mulaw` and `alaw` 8000 (the \
                 default) or 16000.",
                Type::Integer,
                json!(16_000),
            ),
            parameter(
                "container",
                "`wav` (the default of `linear16`), `none` (bare samples) or `ogg` (of `opus`).",
                Type::String,
                json!("none"),
            ),
            parameter(
                "bit_rate",
                "Of `mp3` (48000 when not given) and `opus` (32000); the nearest that there is.",
                Type::Integer,
                json!(48_000),
            ),
        ]);
        parameters
    }
}

/// Query parameters of the WebSocket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = common();
        parameters.extend([
            parameter(
                "encoding",
                "`linear16` (the default), `mulaw` or `alaw`.",
                Type::String,
                json!("mulaw"),
            ),
            parameter(
                "sample_rate",
                "As for a clip: 24000, and 8000 of `mulaw` and `alaw`, when not given.",
                Type::Integer,
                json!(8_000),
            ),
            openapi::max_lead(),
        ]);
        parameters
    }
}
