//! Errors for clients without their own error format.

use shruti_protocol::{ApiError, ErrorBody, ErrorCode};
use shruti_service::http::{ErrorDialect, Native, RequestId};
use shruti_service::openapi::errors::Form;
use utoipa::ToSchema;

use super::status;

/// Error bodies of the native API, with the statuses that clients of other services expect.
pub(crate) struct PlainErrors;

/// Returns the error format for the OpenAPI document.
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
