//! OpenAPI description of `POST /v1/audio/speech`.

use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::Answers;
use utoipa::IntoResponses;

use super::errors::form;
use crate::common::openapi;
use crate::common::request::{
    Any, ClarityName, EngineName, Language, Lexicon, Number, Pitch, Text, Word, request,
};

request! {
    /// Request to speak a text. OpenAI's other fields are ignored.
    OpenAiRequest {
        /// Text, 1 to 5,000 characters.
        INPUT: Text = "input",
        /// Any value; a language suffix sets the language: `tts-1:ta-IN`.
        MODEL: Word = "model",
        /// Voice, one of OpenAI's names, or an object with such a name as its `id`; the default voice if absent.
        VOICE: Any = "voice",
        /// `mp3` (the default; 24 kHz, 64 kbit/s), `opus` (in Ogg), `wav`, `pcm` (24 kHz, 16 bits), `ulaw`, `alaw`
        /// (8 kHz).
        RESPONSE_FORMAT: Word = "response_format",
        /// Number from 0.25 to 4, which is clamped to the range 0.5–2.0.
        SPEED: Number = "speed",
        /// `audio` (the default) or `sse`.
        STREAM_FORMAT: Word = "stream_format",
        /// Language tag whose base is a supported language; by default, the language is detected from the text.
        LANGUAGE: Language = "language",
        /// Pitch shift in semitones, -6 to 6.
        PITCH: Pitch = "pitch",
        /// `off`, `phone` or `room`; by default `phone` for `ulaw` and `alaw`, and `off` for all other formats. It can
        /// also be set in the query.
        CLARITY: ClarityName = "clarity",
        /// Engine of the built-in voices: `auto`, `learned` or `rules`. It can also be set in the query.
        ENGINE: EngineName = "engine",
        /// Words and the spellings that determine their pronunciation.
        LEXICON: Lexicon = "lexicon",
    }
    example: {"model": "tts-1", "voice": "nova", "input": "नमस्ते, आप कैसे हैं?"}
}

pub(super) struct Speech;

impl IntoResponses for Speech {
    fn responses() -> Answers {
        let own = [openapi::REFUSED, &[ErrorCode::EmptyText]].concat();
        let what = "The clip, streamed during synthesis; as events with `stream_format` `sse`.";
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
