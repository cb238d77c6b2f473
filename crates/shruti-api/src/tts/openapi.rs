//! OpenAPI responses of `POST /v1/tts` and `POST /v1/tts/timed`.

use shruti_protocol::{ErrorCode, TimedMessage};
use utoipa::openapi::Ref;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use shruti_service::openapi::errors::{self, LIMITS_AND_FAULTS, SIGN_IN};
use shruti_service::openapi::headers;
use shruti_service::synthesis::{Framing, MediaType};

/// Headers of a response that contains a clip.
const CLIP: &[&str] = &[
    "x-audio-encoding",
    "x-tts-voice",
    "x-tts-language",
    "x-tts-engine",
    "x-tts-chars",
    "x-shruti-warning",
    "Server-Timing",
];

/// Error codes that a request can return, in addition to those of authentication with a key.
const ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidToken,
    ErrorCode::InvalidJson,
    ErrorCode::MissingField,
    ErrorCode::InvalidField,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::EmptyText,
    ErrorCode::NotAcceptable,
    ErrorCode::RequestTimeout,
    ErrorCode::TextTooLong,
    ErrorCode::BodyTooLarge,
    ErrorCode::UnsupportedMediaType,
];

pub(super) struct Answers;

impl IntoResponses for Answers {
    fn responses() -> errors::Answers {
        let mut answers = errors::answers_to_key(&[SIGN_IN, ERROR_CODES, LIMITS_AND_FAULTS].concat());
        answers.insert("200".to_owned(), clip().into());
        answers
    }
}

pub(super) struct TimedAnswers;

impl IntoResponses for TimedAnswers {
    fn responses() -> errors::Answers {
        let mut answers = errors::answers_to_key(&[SIGN_IN, ERROR_CODES, LIMITS_AND_FAULTS].concat());
        answers.insert("200".to_owned(), timed_clip().into());
        answers
    }
}

fn timed_clip() -> Response {
    let what = "The clip as objects that are sent during synthesis, each on a separate line, or as the data of a \
                Server-Sent Event with the name of its `type`: `start`, `audio`, and last `done` or `error`. The \
                schema is that of one object.";
    let content = || ContentBuilder::new().schema(Some(Ref::from_schema_name(TimedMessage::name()))).build();
    let answer = [Framing::Lines, Framing::Events].into_iter().fold(
        ResponseBuilder::new().description(what),
        |answer, framing| {
            let content_type = framing.content_type();
            answer.content(content_type.to_str().unwrap_or_default(), content())
        },
    );
    headers::with(answer, &[headers::ALWAYS, CLIP, headers::RATE].concat()).build()
}

fn clip() -> Response {
    let what = "The clip, sent during synthesis: signed 16-bit little-endian samples at 24,000 Hz, one channel, \
                unless another format is requested. `audio/L16` and `audio/pcm` are the raw samples; `audio/wav` adds \
                a header. If the clip is short, the lengths in the header are correct and there is a Content-Length; \
                otherwise the lengths are unknown (all bits set). `audio/mpeg` is MP3, `audio/ogg` Opus, \
                `audio/basic` µ-law and `audio/x-alaw-basic` A-law at 8,000 Hz. Formats of `output_format` without \
                one of these types are sent with a type that includes their rate: `audio/L16`, `audio/pcm` with \
                `encoding=f32le`, `audio/PCMU` (µ-law) or `audio/PCMA` (A-law). Chunks contain whole samples, frames \
                or pages.";
    let own = MediaType::ALL.map(|media_type| media_type.content_type(media_type.format()));
    let own = own.iter().filter_map(|content_type| content_type.to_str().ok());
    let answer = own
        .chain(["audio/L16", "audio/pcm", "audio/PCMU", "audio/PCMA"])
        .fold(ResponseBuilder::new().description(what), |answer, content_type| {
            answer.content(content_type, ContentBuilder::new().build())
        });
    headers::with(answer, &[headers::ALWAYS, CLIP, headers::RATE].concat()).build()
}
