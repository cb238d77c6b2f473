//! HTTP statuses of errors.

use shruti_protocol::ErrorCode;

/// Returns the HTTP status of an error code for clients that know only 400, 401, 402, 403, 404, 405, 408,
/// 413, 426, 429 and 5xx. Client errors with other statuses, such as a text that is too long, become 400.
pub(crate) const fn status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::TextTooLong | ErrorCode::NotAcceptable | ErrorCode::UnsupportedMediaType => 400,
        code => code.status(),
    }
}
