//! OpenAPI parameters and responses of `/v1/lexicon`.

use shruti_protocol::ErrorCode;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Required, example::ExampleBuilder};
use utoipa::{IntoParams, IntoResponses};

use shruti_service::openapi::errors::{Answers, SIGN_IN, answers_to_key};
use shruti_service::openapi::headers;

const EXAMPLE: &str = "[words]\nAIIMS = \"एम्स\"\n\"New Delhi\" = \"नई दिल्ली\"\n\n[ta]\nOoty = \"/uːʈiː/\"\n";

/// Error codes that both methods can return, in addition to those of authentication.
const ERROR_CODES: &[ErrorCode] =
    &[ErrorCode::NotFound, ErrorCode::RateLimited, ErrorCode::Internal, ErrorCode::Overloaded];

/// Error codes that only `PUT` can return.
const UPDATE_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidField,
    ErrorCode::RequestTimeout,
    ErrorCode::LexiconChanged,
    ErrorCode::BodyTooLarge,
    ErrorCode::UnsupportedMediaType,
];

pub(super) struct Lexicon;

impl IntoResponses for Lexicon {
    fn responses() -> Answers {
        answers(&[SIGN_IN, ERROR_CODES].concat())
    }
}

pub(super) struct Replaced;

impl IntoResponses for Replaced {
    fn responses() -> Answers {
        answers(&[SIGN_IN, UPDATE_ERROR_CODES, ERROR_CODES].concat())
    }
}

fn answers(refused: &[ErrorCode]) -> Answers {
    let mut answers = answers_to_key(refused);
    let example = ExampleBuilder::new().summary("A lexicon").value(Some(EXAMPLE.into())).build();
    let content = ContentBuilder::new().examples_from_iter([("lexicon", example)]).build();
    let found =
        ResponseBuilder::new().description("The current lexicon.").content(super::MEDIA_TYPE, content);
    let found = headers::with(found, &[headers::ALWAYS, headers::RATE, &["ETag"]].concat());
    answers.insert("200".to_owned(), found.build().into());
    answers
}

/// The header `If-Match`.
pub(super) struct IfMatch;

impl IntoParams for IfMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let version = ParameterBuilder::new()
            .name("If-Match")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("The version to replace, from an `ETag`; if absent, any version is replaced."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()));
        vec![version.build()]
    }
}
