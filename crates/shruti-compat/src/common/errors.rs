//! Errors for clients that want none in a form of their own.

use shruti_protocol::{ApiError, ErrorBody, ErrorCode};
use shruti_service::http::{ErrorDialect, Native, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use super::status;

/// The body of this server's own API, with the statuses that clients of other services know.
pub(crate) struct PlainErrors;

/// For the documentation.
pub(crate) fn form() -> Form {
    Form { dialect: &PlainErrors, schema: ErrorBody::name(), own_headers: |_| &[] }
}

impl ErrorDialect for PlainErrors {
    fn status(&self, code: ErrorCode) -> u16 {
        status(code)
    }

    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8> {
        Native.body(error, id)
    }
}
