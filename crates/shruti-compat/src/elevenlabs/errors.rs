//! Errors as ElevenLabs' clients read them.

use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use crate::common;

pub(super) struct ElevenLabsErrors;

/// The body of a failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsError {
    detail: ElevenLabsErrorDetail,
}

/// A failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsErrorDetail {
    /// Which error it is: one of ElevenLabs' where it has one of that meaning, else as in the list of errors.
    status: &'static str,
    /// What is wrong and what would be right, for people.
    message: String,
}

/// For the documentation.
pub(super) fn form() -> Form {
    Form { dialect: &ElevenLabsErrors, schema: ElevenLabsError::name(), own_headers: |_| &[] }
}

/// The word by which ElevenLabs' clients know a code.
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
            // it is part of the path
            ErrorCode::UnknownVoice => 404,
            code => common::status(code),
        }
    }

    fn body(&self, error: ApiError, _id: RequestId) -> Vec<u8> {
        let detail = ElevenLabsErrorDetail { status: word(error.code), message: error.message };
        // plain data always serialises
        serde_json::to_vec(&ElevenLabsError { detail }).unwrap_or_default()
    }
}
