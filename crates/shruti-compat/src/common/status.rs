//! HTTP statuses of errors.

use shruti_protocol::ErrorCode;

/// Returns the HTTP status of an error code in the compatible APIs. `text_too_long` (413), `not_acceptable` (406) and
/// `unsupported_media_type` (415) become 400; other codes keep their status.
pub(crate) const fn status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::TextTooLong | ErrorCode::NotAcceptable | ErrorCode::UnsupportedMediaType => 400,
        code => code.status(),
    }
}
