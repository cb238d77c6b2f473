//! Errors in OpenAI's format.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common::status;

pub(super) struct OpenAiErrors;

/// Body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenAiError {
    error: OpenAiErrorFields,
}

/// Error of a request.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenAiErrorFields {
    /// Human-readable description of the problem and of valid values.
    message: String,
    /// Category of the error.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Field that is invalid.
    #[schema(required)]
    param: Option<String>,
    /// Error code, as in the list of errors.
    code: String,
}

/// Returns the error format for the OpenAPI document.
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
        // serialising plain data cannot fail
        serde_json::to_vec(&OpenAiError { error }).unwrap_or_default()
    }

    fn headers(&self, code: ErrorCode, headers: &mut HeaderMap) {
        if code == ErrorCode::QuotaExhausted {
            // a retry cannot succeed before the next month
            headers.insert(HeaderName::from_static("x-should-retry"), HeaderValue::from_static("false"));
        }
    }
}
