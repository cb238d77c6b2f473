//! Errors in Sarvam's format.

use http::HeaderMap;
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common::status;

pub(super) struct SarvamErrors;

/// Body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct SarvamError {
    error: SarvamErrorFields,
}

/// Error of a request.
#[derive(Serialize, ToSchema)]
pub(crate) struct SarvamErrorFields {
    /// Human-readable description of the problem and of valid values.
    message: String,
    /// Error code, as in the list of errors.
    code: String,
    /// ID of the request.
    request_id: String,
}

/// Returns the error format for the OpenAPI document.
pub(super) fn form() -> Form {
    Form { dialect: &SarvamErrors, schema: SarvamError::name(), own_headers: |_| &[] }
}

impl ErrorDialect for SarvamErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        match status(code) {
            401 => 403,
            other => other,
        }
    }

    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8> {
        let error = SarvamErrorFields {
            message: error.message,
            code: error.code.to_string(),
            request_id: id.to_string(),
        };
        // serialising plain data cannot fail
        serde_json::to_vec(&SarvamError { error }).unwrap_or_default()
    }

    fn headers(&self, _code: ErrorCode, _headers: &mut HeaderMap) {}
}
