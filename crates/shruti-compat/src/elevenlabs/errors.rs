//! Errors in ElevenLabs' format.

use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common;

pub(super) struct ElevenLabsErrors;

/// Body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsError {
    detail: ElevenLabsErrorDetail,
}

/// Error of a request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsErrorDetail {
    /// Error code: ElevenLabs' code for this error if there is one, otherwise the code in the list of errors.
    status: &'static str,
    /// Human-readable description of the problem and of valid values.
    message: String,
}

/// Returns the error format for the OpenAPI document.
pub(super) fn form() -> Form {
    Form { dialect: &ElevenLabsErrors, schema: ElevenLabsError::name(), own_headers: |_| &[] }
}

/// Returns the name that ElevenLabs' clients expect for an error code.
pub(super) const fn word(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::QuotaExhausted => "quota_exceeded",
        ErrorCode::UnknownVoice => "voice_not_found",
        ErrorCode::TextTooLong => "max_character_limit_exceeded",
        ErrorCode::ConcurrencyLimited | ErrorCode::QueueFull => "too_many_concurrent_requests",
        code => code.as_str(),
    }
}

impl ErrorDialect for ElevenLabsErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        match code {
            // the voice is part of the path
            ErrorCode::UnknownVoice => 404,
            code => common::status(code),
        }
    }

    fn body(&self, error: ApiError, _id: RequestId) -> Vec<u8> {
        let detail = ElevenLabsErrorDetail { status: word(error.code), message: error.message };
        // serialising plain data cannot fail
        serde_json::to_vec(&ElevenLabsError { detail }).unwrap_or_default()
    }
}
