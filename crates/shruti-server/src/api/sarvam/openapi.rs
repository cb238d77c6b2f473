//! What Sarvam's routes ask and answer.

use serde_json::Value;
use utoipa::{IntoResponses, ToSchema};

use super::errors::form;
use crate::api::compat::openapi;
use crate::openapi::errors::Answers;

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
