//! What `POST /v1/audio/speech` asks and answers.

use serde_json::Value;
use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::Answers;
use utoipa::{IntoResponses, ToSchema};

use super::errors::form;
use crate::common::openapi;

/// What is to be spoken. Other fields of OpenAI's are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({"model": "tts-1", "voice": "nova", "input": "नमस्ते, आप कैसे हैं?"})))]
pub(crate) struct OpenAiRequest {
    /// The text, of 1 to 5,000 characters.
    input: String,
    /// Any; a language at its end sets it: `tts-1:ta-IN`.
    model: Option<String>,
    /// A voice, or one of OpenAI's names, or an object with such a name as its `id`; the default voice when not given.
    voice: Option<Value>,
    /// `mp3` (the default; 24 kHz, 64 kbit/s), `opus` (in Ogg), `wav`, `pcm` (24 kHz, 16 bits), `ulaw`, `alaw` (8 kHz).
    response_format: Option<String>,
    /// 0.25 to 4, brought within 0.5 to 2.0.
    speed: Option<f64>,
    /// `audio` (the default) or `sse`.
    stream_format: Option<String>,
    /// A tag whose base is one of the languages; found in the text when not given.
    language: Option<String>,
    /// Shift of the pitch in semitones, -6 to 6.
    pitch: Option<f64>,
    /// `off`, `phone` or `room`; `phone` for `ulaw` and `alaw` and `off` for all others when not given. It may also be
    /// given in the query.
    clarity: Option<String>,
    /// `auto`, `learned` or `rules`: which synthesis speaks for the built-in voices. It may also be given in the query.
    engine: Option<String>,
    /// Words and the spellings to speak them by.
    lexicon: Option<Value>,
}

pub(super) struct Speech;

impl IntoResponses for Speech {
    fn responses() -> Answers {
        let own = [openapi::REFUSED, &[ErrorCode::EmptyText]].concat();
        let what = "The clip, while it is made; as events with `stream_format` `sse`.";
        let types = [
            "audio/mpeg",
            "audio/ogg",
            "audio/wav",
            "audio/pcm",
            "audio/basic",
            "audio/x-alaw-basic",
            "text/event-stream",
        ];
        openapi::or_clip(openapi::refusals(&form(), &own), what, &types)
    }
}
