//! What `POST /v1/audio/speech` asks and answers.

use shruti_protocol::ErrorCode;
use shruti_service::openapi::errors::Answers;
use utoipa::IntoResponses;

use super::errors::form;
use crate::common::openapi;
use crate::common::request::{
    Any, ClarityName, EngineName, Language, Lexicon, Number, Pitch, Text, Word, request,
};

request! {
    /// What is to be spoken. Other fields of OpenAI's are ignored.
    OpenAiRequest {
        /// The text, of 1 to 5,000 characters.
        INPUT: Text = "input",
        /// Any; a language at its end sets it: `tts-1:ta-IN`.
        MODEL: Word = "model",
        /// A voice, or one of OpenAI's names, or an object with such a name as its `id`; the default voice when not given.
        VOICE: Any = "voice",
        /// `mp3` (the default; 24 kHz, 64 kbit/s), `opus` (in Ogg), `wav`, `pcm` (24 kHz, 16 bits), `ulaw`, `alaw` (8 kHz).
        RESPONSE_FORMAT: Word = "response_format",
        /// 0.25 to 4, brought within 0.5 to 2.0.
        SPEED: Number = "speed",
        /// `audio` (the default) or `sse`.
        STREAM_FORMAT: Word = "stream_format",
        /// A tag whose base is one of the languages; found in the text when not given.
        LANGUAGE: Language = "language",
        /// Shift of the pitch in semitones, -6 to 6.
        PITCH: Pitch = "pitch",
        /// `off`, `phone` or `room`; `phone` for `ulaw` and `alaw` and `off` for all others when not given. It may also be
        /// given in the query.
        CLARITY: ClarityName = "clarity",
        /// `auto`, `learned` or `rules`: which synthesis speaks for the built-in voices. It may also be given in the query.
        ENGINE: EngineName = "engine",
        /// Words and the spellings to speak them by.
        LEXICON: Lexicon = "lexicon",
    }
    example: {"model": "tts-1", "voice": "nova", "input": "नमस्ते, आप कैसे हैं?"}
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
