//! OpenAPI descriptions that the routes of the compatible APIs share.

use serde_json::{Value, json};
use shruti_lang::{Clarity, VoiceEngine};
use shruti_protocol::ErrorCode;
use shruti_protocol::stream::MAX_LEAD_MS;
use shruti_service::openapi::errors::{Answers, Form, LIMITS_AND_FAULTS, SIGN_IN, answers_to_key_in};
use shruti_service::openapi::headers;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// Errors that can result from a request to speak a text.
pub(crate) const REFUSED: &[ErrorCode] = &[
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

/// Errors that can occur when a WebSocket whose query names a voice is opened.
pub(crate) const UPGRADE_REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidField,
    ErrorCode::InvalidToken,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::WebsocketRequired,
];

/// Returns the error responses of a path that requires a key, in the error format of its API.
pub(crate) fn refusals(form: &Form, own: &[ErrorCode]) -> Answers {
    answers_to_key_in(form, &[SIGN_IN, own, LIMITS_AND_FAULTS].concat())
}

/// Adds the response with a clip, in any of these content types.
pub(crate) fn or_clip(mut answers: Answers, what: &str, types: &[&str]) -> Answers {
    let answer = types.iter().fold(ResponseBuilder::new().description(what), |answer, name| {
        answer.content(*name, ContentBuilder::new().build())
    });
    answers.insert("200".to_owned(), clip(answer).into());
    answers
}

/// Builds the response with the headers of a clip.
pub(crate) fn clip(answer: ResponseBuilder) -> Response {
    headers::with(answer, &[headers::ALWAYS, headers::RATE, headers::CLIP_ELSEWHERE].concat()).build()
}

/// Adds the response for an open connection.
pub(crate) fn or_opened(mut answers: Answers) -> Answers {
    let answer = ResponseBuilder::new().description("The connection is open.");
    let answer = headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build();
    answers.insert("101".to_owned(), answer.into());
    answers
}

/// Describes an optional query parameter.
pub(crate) fn in_query(name: &str, what: &str, schema: ObjectBuilder, example: Value) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(what))
        .schema(Some(schema.build()))
        .example(Some(example))
        .build()
}

/// Describes a path parameter.
pub(crate) fn in_path(name: &str, what: &str, schema: ObjectBuilder, example: Value) -> Parameter {
    let mut parameter = in_query(name, what, schema, example);
    parameter.parameter_in = ParameterIn::Path;
    parameter.required = Required::True;
    parameter
}

/// Returns the schema of a type.
pub(crate) fn of(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(kind)
}

/// Returns the schema of an integer in a range.
pub(crate) fn whole(least: u32, most: u32) -> ObjectBuilder {
    of(Type::Integer).minimum(Some(least)).maximum(Some(most))
}

/// Query parameters of a clip whose API has no query parameters of its own.
pub(crate) struct ClipQuery;

impl IntoParams for ClipQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![clarity(), engine()]
    }
}

/// Describes the `clarity` query parameter of all routes.
pub(crate) fn clarity() -> Parameter {
    let what = "Listening condition that the audio is optimized for, at the same loudness: `phone` for a telephone, \
                `room` for a room with other voices, `off` for the unprocessed voice. The default is `phone` at 8000 \
                Hz, otherwise `off`.";
    let names = Clarity::ALL.map(Clarity::as_str);
    in_query("clarity", what, of(Type::String).enum_values(Some(names)), json!("off"))
}

/// Describes the `engine` query parameter of all routes.
pub(crate) fn engine() -> Parameter {
    let what = "Engine of the built-in voices: `learned` (natural), `rules` (clear and synthetic), or `auto` for \
                `learned` if the server has capacity for another conversation, otherwise `rules`. The default is the \
                server's setting.";
    let names = VoiceEngine::ALL.map(VoiceEngine::as_str);
    in_query("engine", what, of(Type::String).enum_values(Some(names)), json!("auto"))
}

/// Describes the `max_lead_ms` query parameter of WebSockets.
pub(crate) fn max_lead() -> Parameter {
    let what =
        "Maximum lead of the sent audio over real time, in milliseconds; 10,000 by default, 0 for no limit.";
    in_query("max_lead_ms", what, whole(0, MAX_LEAD_MS), json!(10_000))
}
