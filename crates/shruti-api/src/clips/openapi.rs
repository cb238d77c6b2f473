//! OpenAPI parameters and responses of `GET /v1/clips/{voice}/{language}`.

use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_service::clips::url::{MAX_CHARS, MAX_LIFE_S};
use utoipa::openapi::Required;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, IntoResponses};

use shruti_service::openapi::errors::{self, LIMITS_AND_FAULTS};
use shruti_service::openapi::headers;
use shruti_service::synthesis::MediaType;

/// Headers of a response that contains a clip.
const CLIP: &[&str] = &[
    "x-audio-encoding",
    "x-tts-voice",
    "x-tts-language",
    "x-tts-engine",
    "x-tts-chars",
    "Server-Timing",
    "ETag",
];

/// Error codes that a request can return.
const ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidSignature,
    ErrorCode::ExpiredUrl,
    ErrorCode::InvalidApiKey,
    ErrorCode::ExpiredApiKey,
    ErrorCode::RevokedApiKey,
    ErrorCode::AccessLocked,
    ErrorCode::InsufficientScope,
    ErrorCode::OriginNotAllowed,
    ErrorCode::MissingField,
    ErrorCode::InvalidField,
    ErrorCode::UnknownVoice,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::EmptyText,
    ErrorCode::TextTooLong,
    ErrorCode::NotFound,
    ErrorCode::RangeNotSatisfiable,
];

pub(super) struct Parameters;

impl IntoParams for Parameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let in_path = [
            ("voice", "A voice of `GET /v1/voices`.", "Ananya"),
            ("language", "A code of `GET /v1/languages`, or `auto` for detection from the text.", "hi"),
        ];
        let lifetime = MAX_LIFE_S / 86_400;
        let in_query = [
            ("text", true, format!("The text to speak, at most {MAX_CHARS} characters."), json!("नमस्ते")),
            (
                "expires",
                true,
                format!("Expiry of the URL, in seconds since 1970; at most {lifetime} days from now."),
                json!("1795600800"),
            ),
            (
                "key",
                true,
                "The first 11 characters of the API key that signs the URL.".to_owned(),
                json!("sk_a1B2c3D4"),
            ),
            (
                "sig",
                true,
                "The signature: HMAC-SHA256 of the canonical URL, in base64url without padding.".to_owned(),
                json!("mKqYWmc0zoYWrCsJ0Fm6NdkuEJjGZeF2Bxjw5t2DQ0M"),
            ),
            (
                "format",
                false,
                "The format, one of the values of `output_format`; `mp3` if absent.".to_owned(),
                json!("wav_8000"),
            ),
            ("speed", false, "Speaking rate, 0.5 to 2.0.".to_owned(), json!("1.0")),
            ("pitch", false, "Pitch shift in semitones, -6 to 6.".to_owned(), json!("0")),
            ("clarity", false, "`off`, `phone` or `room`.".to_owned(), json!("phone")),
            ("engine", false, "`auto`, `learned` or `rules`.".to_owned(), json!("auto")),
        ];
        let text = || Some(ObjectBuilder::new().schema_type(Type::String));
        let path = in_path.into_iter().map(|(name, what, example)| {
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path);
            parameter
                .required(Required::True)
                .description(Some(what))
                .schema(text())
                .example(Some(json!(example)))
        });
        let query = in_query.into_iter().map(|(name, is_required, what, example)| {
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
            let required = if is_required { Required::True } else { Required::False };
            parameter.required(required).description(Some(what)).schema(text()).example(Some(example))
        });
        path.chain(query).map(ParameterBuilder::build).collect()
    }
}

pub(super) struct Answers;

impl IntoResponses for Answers {
    fn responses() -> errors::Answers {
        let mut answers = errors::answers_to_key(&[ERROR_CODES, LIMITS_AND_FAULTS].concat());
        let description = "The clip. It has a Content-Length if it is cached or short. `Cache-Control` is `public, \
                     immutable` until the URL expires.";
        answers.insert("200".to_owned(), clip(description).into());
        let part = "The bytes of the requested range, which `Content-Range` names.";
        answers.insert("206".to_owned(), clip(part).into());
        let had =
            ResponseBuilder::new().description("The clip has the entity tag that `If-None-Match` names.");
        let had = headers::with(had, &[headers::ALWAYS, &["ETag"], headers::RATE].concat());
        answers.insert("304".to_owned(), had.build().into());
        answers
    }
}

fn clip(what: &str) -> Response {
    let own = MediaType::ALL.map(|media_type| media_type.content_type(media_type.format()));
    let own = own.iter().filter_map(|content_type| content_type.to_str().ok());
    let answer = own
        .chain(["audio/L16", "audio/pcm", "audio/PCMU", "audio/PCMA"])
        .fold(ResponseBuilder::new().description(what), |answer, content_type| {
            answer.content(content_type, ContentBuilder::new().build())
        });
    headers::with(answer, &[headers::ALWAYS, CLIP, headers::RATE].concat()).build()
}
