//! Errors as Cartesia's clients read them.

use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::http::{ErrorDialect, RequestId};

use crate::common::status;

pub(super) struct CartesiaErrors;

/// A failure, as the body of an answer and as a part of an `error` message.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CartesiaError)]
pub(crate) struct ErrorFields {
    /// Which error it is, as in the list of errors.
    error_code: String,
    /// What it means, for people.
    title: String,
    /// What is wrong and what would be right, for people.
    message: String,
    /// The request's id.
    request_id: String,
    /// Where the code is documented: a URL, or a path on the server.
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
        // plain data always serialises
        serde_json::to_vec(&ErrorFields::new(error, id)).unwrap_or_default()
    }
}
