//! OpenAPI description of the route for Vapi.

use serde_json::json;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses};

use crate::common::errors::form;
use crate::common::openapi;
use crate::common::request::{PartOf, Required, Text, Whole, Word, request};

request! {
    /// Request to speak a text.
    VapiRequest {
        /// Message; its information about the call is ignored.
        MESSAGE: Required<PartOf<VapiMessage>> = "message",
    }
    example: {"message": {"type": "voice-request", "text": "नमस्ते, आप कैसे हैं?", "sampleRate": 24_000}}
}

request! {
    /// Text to speak, and its sample rate.
    VapiMessage {
        /// `voice-request`.
        TYPE: Word = "type",
        /// Text, at most 5,000 characters.
        TEXT: Text = "text",
        /// Sample rate in Hz; 24000 by default.
        SAMPLE_RATE: Whole = "sampleRate",
    }
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> Answers {
        let what = "The raw 16-bit samples, streamed during synthesis.";
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &["application/octet-stream"])
    }
}

/// Query parameters.
pub(super) struct Parameters;

impl IntoParams for Parameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = |name, what, example: &str| {
            openapi::in_query(name, what, openapi::of(Type::String), json!(example))
        };
        vec![
            openapi::clarity(),
            openapi::engine(),
            text(
                "voice",
                "A voice, or a name that the operator maps to one; the default voice if absent.",
                "Arjun",
            ),
            text("language", "The language; detected from the text if absent.", "hi-IN"),
        ]
    }
}
