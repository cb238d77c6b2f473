//! Errors in Cartesia's format.

use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};

use crate::common::status;

pub(super) struct CartesiaErrors;

/// Error, as the body of a response and as part of an `error` message.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CartesiaError)]
pub(crate) struct ErrorFields {
    /// Error code, as in the list of errors.
    error_code: String,
    /// Human-readable meaning of the code.
    title: String,
    /// Human-readable description of the problem and of valid values.
    message: String,
    /// ID of the request.
    request_id: String,
    /// Documentation of the code: a URL, or a path on the server.
    doc_url: String,
}

impl ErrorFields {
    pub(super) fn new(error: ApiError, id: RequestId) -> Self {
        Self {
            doc_url: error.doc_url(),
            error_code: error.code.to_string(),
            title: error.code.meaning().trim_end_matches('.').to_owned(),
            message: error.message,
            request_id: id.to_string(),
        }
    }
}

impl ErrorDialect for CartesiaErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        status(code)
    }

    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8> {
        // serialising plain data cannot fail
        serde_json::to_vec(&ErrorFields::new(error, id)).unwrap_or_default()
    }
}
