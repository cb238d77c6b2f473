//! Errors in Deepgram's format.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common::status;

pub(super) struct DeepgramErrors;

/// Body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepgramError {
    /// Error code: `INVALID_AUTH` for keys, otherwise as in the list of errors, in capital letters.
    err_code: String,
    /// Human-readable description of the problem and of valid values.
    err_msg: String,
    /// ID of the request.
    request_id: String,
}

/// Returns the error format for the OpenAPI document.
pub(super) fn form() -> Form {
    Form { dialect: &DeepgramErrors, schema: DeepgramError::name(), own_headers: |_| &["dg-error"] }
}

/// Returns the name that Deepgram's clients expect for an error code.
pub(super) fn code(code: ErrorCode) -> String {
    match code {
        ErrorCode::MissingApiKey
        | ErrorCode::InvalidApiKey
        | ErrorCode::ExpiredApiKey
        | ErrorCode::RevokedApiKey
        | ErrorCode::InvalidToken => "INVALID_AUTH".to_owned(),
        code => code.as_str().to_ascii_uppercase(),
    }
}

impl ErrorDialect for DeepgramErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        status(code)
    }

    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8> {
        let error =
            DeepgramError { err_code: code(error.code), err_msg: error.message, request_id: id.to_string() };
        // serialising plain data cannot fail
        serde_json::to_vec(&error).unwrap_or_default()
    }

    fn headers(&self, code: ErrorCode, headers: &mut HeaderMap) {
        // a client whose upgrade is refused cannot read the body, so a header contains the reason
        if let Ok(reason) = HeaderValue::from_str(code.meaning()) {
            headers.insert(HeaderName::from_static("dg-error"), reason);
        }
    }
}
