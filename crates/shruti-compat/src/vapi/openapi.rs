//! What the route for Vapi asks and answers.

use serde_json::json;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses, ToSchema};

use crate::common::errors::form;
use crate::common::openapi;

/// What is to be spoken.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({"message": {"type": "voice-request", "text": "नमस्ते, आप कैसे हैं?", "sampleRate": 24_000}})))]
pub(crate) struct VapiRequest {
    /// The message; what it tells of the call is ignored.
    message: VapiMessage,
}

/// What is to be spoken, and at which rate.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
pub(crate) struct VapiMessage {
    /// `voice-request`.
    #[schema(rename = "type")]
    kind: Option<String>,
    /// The text, of at most 5,000 characters.
    text: String,
    /// Samples a second; 24000 when not given.
    #[schema(rename = "sampleRate")]
    sample_rate: Option<u32>,
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> Answers {
        let what = "The bare samples, 16 bits each, while they are made.";
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &["application/octet-stream"])
    }
}

/// The query.
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
                "A voice, or a name that the operator maps to one; the default voice when not given.",
                "Arjun",
            ),
            text("language", "The language; found in the text when not given.", "hi-IN"),
        ]
    }
}
