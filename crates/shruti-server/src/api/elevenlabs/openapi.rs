//! What ElevenLabs' routes ask and answer.

use serde::Serialize;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, Required};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::alignment::ClipAlignment;
use super::errors::form;
use crate::openapi::errors::{self, LIMITS_AND_FAULTS, SIGN_IN};
use crate::openapi::headers;

/// What is to be spoken. Other fields of ElevenLabs' are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({
    "text": "नमस्ते, आप कैसे हैं?",
    "model_id": "eleven_multilingual_v2",
    "language_code": "hi",
    "voice_settings": {"speed": 1.1}
})))]
pub(crate) struct ElevenLabsRequest {
    /// The text, of at most 5,000 characters.
    text: String,
    /// Any.
    model_id: Option<String>,
    /// A tag whose base is one of the languages; that of the query, or found in the text, when not given.
    language_code: Option<String>,
    /// `speed`, brought within 0.5 to 2.0.
    voice_settings: Option<Value>,
}

/// A clip with the times of its characters.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsTimedClip {
    /// The clip in `output_format`, in base64.
    audio_base64: String,
    /// When the characters are spoken.
    alignment: ClipAlignment,
    /// The same: nothing is told of how the text is normalised.
    normalized_alignment: ClipAlignment,
}

/// What a request can be refused for beside the sign-in with a key.
const REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidToken,
    ErrorCode::InvalidJson,
    ErrorCode::MissingField,
    ErrorCode::InvalidField,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::TextTooLong,
    ErrorCode::RequestTimeout,
    ErrorCode::BodyTooLarge,
];

/// What the opening of a socket can be refused for.
const UPGRADE_REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidField,
    ErrorCode::InvalidToken,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::WebsocketRequired,
];

fn refusals(own: &[ErrorCode]) -> errors::Answers {
    errors::answers_to_key_in(&form(), &[SIGN_IN, own, LIMITS_AND_FAULTS].concat())
}

fn clip(answer: ResponseBuilder) -> Response {
    headers::with(answer, &[headers::ALWAYS, headers::RATE, headers::CLIP_ELSEWHERE].concat()).build()
}

pub(super) struct Sound;

impl IntoResponses for Sound {
    fn responses() -> errors::Answers {
        let mut answers = refusals(REFUSED);
        let what = "The clip in the format that was asked for, while it is made.";
        let types =
            ["audio/mpeg", "audio/pcm", "audio/wav", "audio/basic", "audio/x-alaw-basic", "audio/ogg"];
        let answer = types.into_iter().fold(ResponseBuilder::new().description(what), |answer, name| {
            answer.content(name, ContentBuilder::new().build())
        });
        answers.insert("200".to_owned(), clip(answer).into());
        answers
    }
}

pub(super) struct Timed;

impl IntoResponses for Timed {
    fn responses() -> errors::Answers {
        let mut answers = refusals(REFUSED);
        let schema = Ref::from_schema_name(ElevenLabsTimedClip::name());
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let answer = ResponseBuilder::new().description("The clip, while it is made, and its times.");
        answers.insert("200".to_owned(), clip(answer.content("application/json", content)).into());
        answers
    }
}

pub(super) struct TimedLines;

impl IntoResponses for TimedLines {
    fn responses() -> errors::Answers {
        let mut answers = refusals(REFUSED);
        let what = "On each line an object like that of `with-timestamps`, whose alignments may be null.";
        let answer = ResponseBuilder::new().description(what);
        let answer = answer.content("application/x-ndjson", ContentBuilder::new().build());
        answers.insert("200".to_owned(), clip(answer).into());
        answers
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> errors::Answers {
        let mut answers = refusals(UPGRADE_REFUSED);
        let answer = ResponseBuilder::new().description("The connection is open.");
        let answer = headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build();
        answers.insert("101".to_owned(), answer.into());
        answers
    }
}

/// The path and the query of a clip.
pub(super) struct ClipParameters;

impl IntoParams for ClipParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        vec![
            parameter("voice_id", "A voice, by one of its names.", text(), json!("Ananya")),
            parameter(
                "output_format",
                "`mp3_44100_128` if not given; `mp3_22050_32`, `mp3_24000_48`, `mp3_44100_` with 32, 64, 96 or 192, \
                 `pcm_` and `wav_` with a sample rate, `ulaw_8000`, `alaw_8000`, `opus_48000_` with a bit rate.",
                text(),
                json!("pcm_24000"),
            ),
            parameter("language_code", "The language, where the body names none.", text(), json!("hi")),
        ]
    }
}

/// The path and the query of a socket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let number = |least, most| {
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(Some(most))
        };
        let flag = || ObjectBuilder::new().schema_type(Type::Boolean);
        let mut parameters = ClipParameters::into_params(place);
        parameters.extend([
            parameter(
                "auto_mode",
                "Whether each message is spoken by itself, as a whole.",
                flag(),
                json!(true),
            ),
            parameter(
                "sync_alignment",
                "Whether times count from the context's start, and not from the end of the alignment before.",
                flag(),
                json!(true),
            ),
            parameter(
                "inactivity_timeout",
                "Seconds after which a connection without messages or sound is closed; 300 if not given.",
                number(1, 300),
                json!(180),
            ),
            parameter(
                "max_lead_ms",
                "How far sound is sent ahead of real time; 10,000 if not given, 0 for as fast as it is taken.",
                number(0, 60_000),
                json!(10_000),
            ),
        ]);
        parameters
    }
}

fn parameter(name: &str, what: &str, schema: ObjectBuilder, example: Value) -> Parameter {
    let is_path = name == "voice_id";
    ParameterBuilder::new()
        .name(name)
        .parameter_in(if is_path { ParameterIn::Path } else { ParameterIn::Query })
        .required(if is_path { Required::True } else { Required::False })
        .description(Some(what))
        .schema(Some(schema.build()))
        .example(Some(example))
        .build()
}
