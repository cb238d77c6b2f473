//! What the routes of other services' APIs have in common in the documentation.

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

/// What a text to be spoken can be refused for, with what is asked for beside it.
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

/// What the opening of a socket whose query names a voice can be refused for.
pub(crate) const UPGRADE_REFUSED: &[ErrorCode] = &[
    ErrorCode::InvalidField,
    ErrorCode::InvalidToken,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::WebsocketRequired,
];

/// What a path that wants a key refuses, in the form of its API.
pub(crate) fn refusals(form: &Form, own: &[ErrorCode]) -> Answers {
    answers_to_key_in(form, &[SIGN_IN, own, LIMITS_AND_FAULTS].concat())
}

/// These, and the clip in one of some content types.
pub(crate) fn or_clip(mut answers: Answers, what: &str, types: &[&str]) -> Answers {
    let answer = types.iter().fold(ResponseBuilder::new().description(what), |answer, name| {
        answer.content(*name, ContentBuilder::new().build())
    });
    answers.insert("200".to_owned(), clip(answer).into());
    answers
}

/// An answer with the headers of a clip.
pub(crate) fn clip(answer: ResponseBuilder) -> Response {
    headers::with(answer, &[headers::ALWAYS, headers::RATE, headers::CLIP_ELSEWHERE].concat()).build()
}

/// These, and an open connection.
pub(crate) fn or_opened(mut answers: Answers) -> Answers {
    let answer = ResponseBuilder::new().description("The connection is open.");
    let answer = headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build();
    answers.insert("101".to_owned(), answer.into());
    answers
}

/// A field of the query that need not be given.
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

/// A part of the path.
pub(crate) fn in_path(name: &str, what: &str, schema: ObjectBuilder, example: Value) -> Parameter {
    let mut parameter = in_query(name, what, schema, example);
    parameter.parameter_in = ParameterIn::Path;
    parameter.required = Required::True;
    parameter
}

/// The schema of a kind of value.
pub(crate) fn of(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(kind)
}

/// The schema of a whole number.
pub(crate) fn whole(least: u32, most: u32) -> ObjectBuilder {
    of(Type::Integer).minimum(Some(least)).maximum(Some(most))
}

/// The query of a clip that takes nothing else there.
pub(crate) struct ClipQuery;

impl IntoParams for ClipQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![clarity(), engine()]
    }
}

/// For whom the sound is shaped, in the query of every route.
pub(crate) fn clarity() -> Parameter {
    let what = "For whom the sound is shaped, at the same loudness: `phone` for a listener on a telephone, `room` for one \
                in a room where others talk, `off` for the voice as it is. `phone` at 8000 Hz and else `off` if not \
                given.";
    let names = Clarity::ALL.map(Clarity::as_str);
    in_query("clarity", what, of(Type::String).enum_values(Some(names)), json!("off"))
}

/// Which synthesis speaks, in the query of every route.
pub(crate) fn engine() -> Parameter {
    let what = "Which synthesis speaks for the built-in voices: `learned` (natural), `rules` (clear and synthetic), or \
                `auto` for `learned` where the server has room for another conversation, else `rules`. As the server is \
                set up if not given.";
    let names = VoiceEngine::ALL.map(VoiceEngine::as_str);
    in_query("engine", what, of(Type::String).enum_values(Some(names)), json!("auto"))
}

/// How far sound of a socket is sent ahead.
pub(crate) fn max_lead() -> Parameter {
    let what = "How far sound is sent ahead of real time, in milliseconds; 10,000 if not given, 0 for as fast as it is \
                taken.";
    in_query("max_lead_ms", what, whole(0, MAX_LEAD_MS), json!(10_000))
}
