//! The statuses of errors.

use shruti_protocol::ErrorCode;

/// The status of a code where clients know no others than 400, 401, 402, 403, 404, 405, 408, 413, 426, 429 and those of
/// servers: texts that are too long are bad requests like others.
pub(crate) const fn status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::TextTooLong | ErrorCode::NotAcceptable | ErrorCode::UnsupportedMediaType => 400,
        code => code.status(),
    }
}
