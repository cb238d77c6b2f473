//! Errors as OpenAI's clients read them.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common::status;

pub(super) struct OpenAiErrors;

/// The body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenAiError {
    error: OpenAiErrorFields,
}

/// A failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenAiErrorFields {
    /// What is wrong and what would be right, for people.
    message: String,
    /// The kind of trouble.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The field that is wrong.
    #[schema(required)]
    param: Option<String>,
    /// Which error it is, as in the list of errors.
    code: String,
}

/// For the documentation.
pub(super) fn form() -> Form {
    let own_headers = |status| if status == 402 { &["x-should-retry"] as &[&str] } else { &[] };
    Form { dialect: &OpenAiErrors, schema: OpenAiError::name(), own_headers }
}

impl ErrorDialect for OpenAiErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        status(code)
    }

    fn body(&self, error: ApiError, _id: RequestId) -> Vec<u8> {
        let error = OpenAiErrorFields {
            message: error.message,
            kind: error.code.error_type().as_str(),
            param: error.param,
            code: error.code.to_string(),
        };
        // plain data always serialises
        serde_json::to_vec(&OpenAiError { error }).unwrap_or_default()
    }

    fn headers(&self, code: ErrorCode, headers: &mut HeaderMap) {
        if code == ErrorCode::QuotaExhausted {
            // no waiting between two tries brings the next month
            headers.insert(HeaderName::from_static("x-should-retry"), HeaderValue::from_static("false"));
        }
    }
}
