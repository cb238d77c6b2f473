//! What Deepgram's routes ask and answer.

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use utoipa::openapi::Required;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::errors::form;
use crate::openapi::errors::{self, LIMITS_AND_FAULTS, SIGN_IN};
use crate::openapi::headers;

/// What is to be spoken.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({"text": "नमस्ते, आप कैसे हैं?"})))]
pub(crate) struct DeepgramRequest {
    /// The text, of at most 5,000 characters.
    text: String,
}

/// What the query can be refused for.
const QUERY_REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidToken,
    ErrorCode::InvalidField,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
];

/// What the body can be refused for beside that.
const BODY_REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidJson,
    ErrorCode::MissingField,
    ErrorCode::TextTooLong,
    ErrorCode::RequestTimeout,
    ErrorCode::BodyTooLarge,
];

fn refusals(own: &[&[ErrorCode]]) -> errors::Answers {
    errors::answers_to_key_in(&form(), &[&[SIGN_IN], own, &[LIMITS_AND_FAULTS]].concat().concat())
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> errors::Answers {
        let mut answers = refusals(&[QUERY_REFUSED, BODY_REFUSED]);
        let what = "The clip in the format that was asked for, while it is made.";
        let types = [
            "audio/mpeg",
            "audio/wav",
            "audio/L16; rate=24000; channels=1",
            "audio/ogg",
            "audio/basic",
            "audio/x-alaw-basic",
        ];
        let answer = types.into_iter().fold(ResponseBuilder::new().description(what), |answer, name| {
            answer.content(name, ContentBuilder::new().build())
        });
        let clip = [headers::ALWAYS, headers::RATE, headers::CLIP_ELSEWHERE].concat();
        answers.insert("200".to_owned(), headers::with(answer, &clip).build().into());
        answers
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> errors::Answers {
        let mut answers = refusals(&[QUERY_REFUSED, &[ErrorCode::WebsocketRequired]]);
        let answer = ResponseBuilder::new().description("The connection is open.");
        let answer = headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build();
        answers.insert("101".to_owned(), answer.into());
        answers
    }
}

fn parameter(name: &str, what: &str, kind: Type, example: Value) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(what))
        .schema(Some(ObjectBuilder::new().schema_type(kind).build()))
        .example(Some(example))
        .build()
}

fn common() -> Vec<Parameter> {
    let model = "A voice, or a voice, a hyphen and a language, also behind `aura-2-`; the default voice when not given.";
    vec![
        parameter("model", model, Type::String, json!("Ananya-hi")),
        parameter("speed", "Rate of speaking, brought within 0.5 to 2.0.", Type::Number, json!(1.2)),
    ]
}

/// The query of a clip.
pub(super) struct ClipParameters;

impl IntoParams for ClipParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = common();
        parameters.extend([
            parameter(
                "encoding",
                "`mp3` (the default, 22,050 Hz), `linear16`, `mulaw`, `alaw` or `opus`.",
                Type::String,
                json!("linear16"),
            ),
            parameter(
                "sample_rate",
                "Of `linear16` 8000, 16000, 24000 (the default), 32000 or 48000; of `mulaw` and `alaw` 8000 (the \
                 default) or 16000.",
                Type::Integer,
                json!(16_000),
            ),
            parameter(
                "container",
                "`wav` (the default of `linear16`), `none` (bare samples) or `ogg` (of `opus`).",
                Type::String,
                json!("none"),
            ),
            parameter(
                "bit_rate",
                "Of `mp3` (48000 when not given) and `opus` (32000); the nearest that there is.",
                Type::Integer,
                json!(48_000),
            ),
        ]);
        parameters
    }
}

/// The query of the socket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = common();
        let lead = "How far sound is sent ahead of real time, in milliseconds up to 60,000; 10,000 if not given, 0 for as \
                    fast as it is taken.";
        parameters.extend([
            parameter(
                "encoding",
                "`linear16` (the default), `mulaw` or `alaw`.",
                Type::String,
                json!("mulaw"),
            ),
            parameter(
                "sample_rate",
                "As for a clip: 24000, and 8000 of `mulaw` and `alaw`, when not given.",
                Type::Integer,
                json!(8_000),
            ),
            parameter("max_lead_ms", lead, Type::Integer, json!(10_000)),
        ]);
        parameters
    }
}
