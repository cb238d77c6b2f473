//! Error responses of a path, by status, with examples that the error functions of this crate create.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::{ApiError, ErrorBody, ErrorCode, SynthesisRequest};
use utoipa::ToSchema;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{Ref, RefOr};

use super::headers;
use crate::auth::bearer;
use crate::http::errors::{draining, internal, lexicon_changed, overloaded};
use crate::http::{ErrorDialect, Native, RequestId, require_json};
use crate::metering::quota_exhausted;
use crate::synthesis::{Representation, unknown_voice};

/// Error codes of authentication with a key.
pub const SIGN_IN: &[ErrorCode] = &[
    ErrorCode::MissingApiKey,
    ErrorCode::InvalidApiKey,
    ErrorCode::ExpiredApiKey,
    ErrorCode::RevokedApiKey,
    ErrorCode::AccessLocked,
    ErrorCode::InsufficientScope,
    ErrorCode::OriginNotAllowed,
];

/// Error codes that can be returned for a valid request.
pub const LIMITS_AND_FAULTS: &[ErrorCode] = &[
    ErrorCode::QuotaExhausted,
    ErrorCode::RateLimited,
    ErrorCode::ConcurrencyLimited,
    ErrorCode::Internal,
    ErrorCode::Overloaded,
    ErrorCode::Draining,
];

/// Time of the examples, in milliseconds since 1970: a day in November 2026.
const EXAMPLE_MS: i64 = 1_795_176_000_000;

/// Responses by status.
pub type Answers = BTreeMap<String, RefOr<Response>>;

/// Error format of an API, with the name of its schema.
pub struct Form {
    /// Error format, which sets the statuses, bodies and headers of errors.
    pub dialect: &'static dyn ErrorDialect,
    /// Name of the schema of its errors.
    pub schema: Cow<'static, str>,
    /// Additional headers of the API, by status.
    pub own_headers: fn(u16) -> &'static [&'static str],
}

impl Form {
    /// Returns the format of this server's own API.
    pub(super) fn native() -> Self {
        Self { dialect: &Native, schema: ErrorBody::name(), own_headers: |_| &[] }
    }
}

/// Returns one response per status of these codes, for a path without authentication.
pub fn answers(codes: &[ErrorCode]) -> Answers {
    by_status(&Form::native(), codes, |_| &[])
}

/// Returns one response per status of these codes, for a path that requires a key. Errors that occur after
/// authentication have the rate limit headers.
pub fn answers_to_key(codes: &[ErrorCode]) -> Answers {
    answers_to_key_in(&Form::native(), codes)
}

/// Returns the same responses as [`answers_to_key`], in the error format of an API.
pub fn answers_to_key_in(form: &Form, codes: &[ErrorCode]) -> Answers {
    by_status(form, codes, |status| if matches!(status, 401 | 403 | 426) { &[] } else { headers::RATE })
}

fn by_status(form: &Form, codes: &[ErrorCode], more: impl Fn(u16) -> &'static [&'static str]) -> Answers {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for &code in codes {
        by_status.entry(form.dialect.status(code)).or_default().push(code);
    }
    let answers = by_status
        .into_iter()
        .map(|(status, codes)| (status.to_string(), answer(form, status, &codes, more(status)).into()));
    answers.collect()
}

fn answer(form: &Form, status: u16, codes: &[ErrorCode], more: &[&str]) -> Response {
    let lines: Vec<String> = codes.iter().map(|code| format!("- `{code}`: {}", code.meaning())).collect();
    let examples = codes.iter().map(|&code| {
        let body: Option<serde_json::Value> =
            serde_json::from_slice(&form.dialect.body(example(code), RequestId::EXAMPLE)).ok();
        (code.as_str(), ExampleBuilder::new().summary(code.meaning()).value(body))
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(&*form.schema)))
        .examples_from_iter(examples)
        .build();
    let own: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        426 => &["Upgrade"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    let answer = ResponseBuilder::new().description(lines.join("\n")).content("application/json", content);
    headers::with(answer, &[headers::ALWAYS, own, (form.own_headers)(status), more].concat()).build()
}

/// Returns an example of an error. If the error does not depend on the state of a server, the example comes from the
/// function that creates the error for clients.
fn example(code: ErrorCode) -> ApiError {
    let error_of = |body: &str| SynthesisRequest::from_json(body.as_bytes()).err();
    let found = match code {
        ErrorCode::InvalidJson => error_of(r#"{"text": "#),
        ErrorCode::MissingField => error_of(r#"{"voice": "Ananya"}"#),
        ErrorCode::InvalidField => error_of(r#"{"text": "hello", "speed": 3}"#),
        ErrorCode::UnknownVoice => Some(unknown_voice(&"Anita".into(), ["Ananya", "Arjun"].into_iter())),
        ErrorCode::UnsupportedLanguage => error_of(r#"{"text": "hello", "language": "fr"}"#),
        ErrorCode::EmptyText => error_of(r#"{"text": " "}"#),
        ErrorCode::TextTooLong => {
            error_of(&format!(r#"{{"text": "{}"}}"#, "a".repeat(MAX_TEXT_CHARS + 1_120)))
        }
        ErrorCode::MissingApiKey => bearer(&HeaderMap::new()).err(),
        ErrorCode::UnsupportedMediaType => require_json(&HeaderMap::new()).err(),
        ErrorCode::NotAcceptable => {
            let accept = (header::ACCEPT, HeaderValue::from_static("audio/flac"));
            Representation::negotiate(&HeaderMap::from_iter([accept])).err()
        }
        ErrorCode::LexiconChanged => Some(lexicon_changed(4)),
        ErrorCode::QuotaExhausted => Some(quota_exhausted(120, 45, EXAMPLE_MS)),
        ErrorCode::Internal => Some(internal()),
        ErrorCode::Draining => Some(draining()),
        ErrorCode::Overloaded => Some(overloaded(Duration::from_secs(1))),
        _ => None,
    };
    let error = found.unwrap_or_else(|| ApiError::new(code, code.meaning()));
    match code {
        ErrorCode::RateLimited => error.with_retry_after_ms(100),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_their_error_code() {
        for &code in ErrorCode::ALL {
            assert_eq!(example(code).code, code);
        }
    }
}
