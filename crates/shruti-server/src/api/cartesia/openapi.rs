//! What Cartesia's routes ask and answer.

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use utoipa::openapi::Required;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::errors::{CartesiaErrors, ErrorFields};
use crate::openapi::errors::{self, Form, LIMITS_AND_FAULTS, SIGN_IN};
use crate::openapi::headers;

/// What is to be spoken. Other fields of Cartesia's are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by hand, this is its description")]
#[schema(examples(json!({
    "model_id": "sonic-3",
    "transcript": "नमस्ते, आप कैसे हैं?",
    "voice": {"mode": "id", "id": "Ananya"},
    "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
    "language": "hi"
})))]
pub(crate) struct CartesiaRequest {
    /// The text, of at most 5,000 characters.
    transcript: String,
    /// Any.
    model_id: Option<String>,
    /// The name of a voice, or an object with it as its `id`.
    voice: Value,
    /// A tag whose base is one of the languages; found in the text when not given.
    language: Option<String>,
    /// `container` (`raw`, `wav`, `mp3`), `encoding` (`pcm_s16le`, `pcm_f32le`, `pcm_mulaw`, `pcm_alaw`), `sample_rate`
    /// (8000, 16000, 22050, 24000, 44100, 48000), `bit_rate` of `mp3`.
    output_format: Value,
    /// `speed`, brought within 0.5 to 2.0.
    generation_config: Option<Value>,
    /// Whether events tell when words are spoken; of `/tts/sse` alone.
    add_timestamps: Option<bool>,
    /// Sent back with events; of `/tts/sse` alone.
    context_id: Option<String>,
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
const UPGRADE_REFUSED: &[ErrorCode] =
    &[ErrorCode::InvalidField, ErrorCode::InvalidToken, ErrorCode::WebsocketRequired];

fn refusals(own: &[ErrorCode]) -> errors::Answers {
    let form = Form { dialect: &CartesiaErrors, schema: ErrorFields::name(), own_headers: |_| &[] };
    errors::answers_to_key_in(&form, &[SIGN_IN, own, LIMITS_AND_FAULTS].concat())
}

fn clip(what: &str, types: &[&str]) -> Response {
    let answer = types.iter().fold(ResponseBuilder::new().description(what), |answer, name| {
        answer.content(*name, ContentBuilder::new().build())
    });
    headers::with(answer, &[headers::ALWAYS, headers::RATE, headers::CLIP_ELSEWHERE].concat()).build()
}

pub(super) struct Bytes;

impl IntoResponses for Bytes {
    fn responses() -> errors::Answers {
        let mut answers = refusals(REFUSED);
        let what = "The clip in the format that was asked for, while it is made. The content type names the rate of \
                    bare samples.";
        let types = [
            "audio/L16; rate=24000; channels=1",
            "audio/basic",
            "audio/x-alaw-basic",
            "audio/wav",
            "audio/mpeg",
        ];
        answers.insert("200".to_owned(), clip(what, &types).into());
        answers
    }
}

pub(super) struct Events;

impl IntoResponses for Events {
    fn responses() -> errors::Answers {
        let mut answers = refusals(REFUSED);
        let what = "The clip as events, while it is made: `timestamps`, `chunk`, and last `done`.";
        answers.insert("200".to_owned(), clip(what, &["text/event-stream"]).into());
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

/// The query of the socket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(60_000));
        let lead = ParameterBuilder::new()
            .name("max_lead_ms")
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(
                "How far sound is sent ahead of real time; 10,000 if not given, 0 for as fast as it is taken.",
            ))
            .schema(Some(number.build()))
            .example(Some(json!(10_000)));
        vec![lead.build()]
    }
}
