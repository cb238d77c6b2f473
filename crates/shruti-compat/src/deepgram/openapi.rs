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
        let what = "The clip in the requested format, streamed during synthesis.";
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
    let model = "A voice, or a voice, a hyphen and a language, optionally with the prefix `aura-2-`; the default \
                 voice if absent.";
    vec![
        parameter("model", model, Type::String, json!("Ananya-hi")),
        parameter("speed", "Speaking rate, limited to the range 0.5 to 2.0.", Type::Number, json!(1.2)),
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
                "For `linear16`: 8000, 16000, 24000 (the default), 32000 or 48000; for `mulaw` and `alaw`: 8000 (the \
                 default) or 16000.",
                Type::Integer,
                json!(16_000),
            ),
            parameter(
                "container",
                "`wav` (the default for `linear16`), `none` (raw samples) or `ogg` (for `opus`).",
                Type::String,
                json!("none"),
            ),
            parameter(
                "bit_rate",
                "For `mp3` (48000 by default) and `opus` (32000 by default); the nearest supported bit rate is used.",
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
                "As for a clip; the default is 24000, or 8000 for `mulaw` and `alaw`.",
                Type::Integer,
                json!(8_000),
            ),
            openapi::max_lead(),
        ]);
        parameters
    }
}
