//! OpenAPI descriptions of Sarvam's routes.

use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses};

use super::errors::form;
use crate::common::openapi;
use crate::common::request::{Any, Language, Number, Text, Word, request};

request! {
    /// Request to speak a text.
    SarvamRequest {
        /// Text, at most 5,000 characters.
        TEXT: Text = "text",
        /// Language; detected from the text by default.
        TARGET_LANGUAGE_CODE: Language = "target_language_code",
        /// Alias of `target_language_code`.
        LANGUAGE_CODE: Language = "language_code",
        /// Voice, or an alias set by the operator; the default voice if absent.
        SPEAKER: Word = "speaker",
        /// Speaking rate, clamped to the range 0.5–2.0.
        PACE: Number = "pace",
        /// Sample rate in Hz, as a number or a string; 22050 by default.
        SPEECH_SAMPLE_RATE: Any = "speech_sample_rate",
        /// `mp3`, `wav`, `linear16`, `mulaw`, `alaw` or `opus`.
        OUTPUT_AUDIO_CODEC: Word = "output_audio_codec",
    }
    example: {"text": "नमस्ते, आप कैसे हैं?", "target_language_code": "hi-IN"}
}

fn clip(types: &[&str]) -> Answers {
    openapi::or_clip(
        openapi::refusals(&form(), openapi::REFUSED),
        "The clip, streamed during synthesis.",
        types,
    )
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

/// Query parameters of the WebSocket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "`true` to receive an `event` `final` after the audio of each flush.";
        vec![
            openapi::in_query("send_completion_event", what, openapi::of(Type::Boolean), json!(true)),
            openapi::clarity(),
            openapi::engine(),
            openapi::max_lead(),
        ]
    }
}
