//! OpenAPI descriptions of Cartesia's routes.

use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::{Answers, Form};
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::errors::{CartesiaErrors, ErrorFields};
use crate::common::openapi;
use crate::common::request::{Any, Flag, Ignored, Language, Part, Required, Text, Word, request};

request! {
    /// Request to speak a text. Cartesia's other fields are ignored.
    CartesiaRequest {
        /// Text, at most 5,000 characters.
        TRANSCRIPT: Text = "transcript",
        /// Any value; it is ignored.
        MODEL_ID: Ignored = "model_id",
        /// Name of a voice, or an object with the name as its `id`.
        VOICE: Required<Any> = "voice",
        /// Language tag whose base is a supported language; by default, the language is detected from the text.
        LANGUAGE: Language = "language",
        /// Alias of `language`.
        LOCALE: Language = "locale",
        /// `container` (`raw`, `wav`, `mp3`), `encoding` (`pcm_s16le`, `pcm_f32le`, `pcm_mulaw`, `pcm_alaw`),
        /// `sample_rate` (8000, 16000, 22050, 24000, 44100, 48000), `bit_rate` of `mp3`.
        OUTPUT_FORMAT: Required<Part> = "output_format",
        /// Object with `speed`, which is clamped to the range 0.5–2.0.
        GENERATION_CONFIG: Part = "generation_config",
        /// Speed, as a number or as `slow`, `normal` or `fast`, if `generation_config` has no `speed`.
        SPEED: Any = "speed",
        /// Whether word timestamps are sent; only for `/tts/sse`.
        ADD_TIMESTAMPS: Flag = "add_timestamps",
        /// Context ID, which is returned in every event; only for `/tts/sse`.
        CONTEXT_ID: Word = "context_id",
    }
    example: {
        "model_id": "sonic-3",
        "transcript": "नमस्ते, आप कैसे हैं?",
        "voice": {"mode": "id", "id": "Ananya"},
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
        "language": "hi"
    }
}

/// Errors that can occur when a WebSocket is opened.
const UPGRADE_REFUSED: &[ErrorCode] =
    &[ErrorCode::InvalidField, ErrorCode::InvalidToken, ErrorCode::WebsocketRequired];

fn form() -> Form {
    Form { dialect: &CartesiaErrors, schema: ErrorFields::name(), own_headers: |_| &[] }
}

pub(super) struct Bytes;

impl IntoResponses for Bytes {
    fn responses() -> Answers {
        let what = "The clip in the requested format, streamed during synthesis. For raw samples, the content type \
                    contains the sample rate.";
        let types = [
            "audio/L16; rate=24000; channels=1",
            "audio/basic",
            "audio/x-alaw-basic",
            "audio/wav",
            "audio/mpeg",
        ];
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &types)
    }
}

pub(super) struct Events;

impl IntoResponses for Events {
    fn responses() -> Answers {
        let what =
            "The clip as events, streamed during synthesis: `timestamps`, `chunk`, and finally `done`.";
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &["text/event-stream"])
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> Answers {
        openapi::or_opened(openapi::refusals(&form(), UPGRADE_REFUSED))
    }
}

/// Query parameters of the WebSocket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![openapi::clarity(), openapi::engine(), openapi::max_lead()]
    }
}
