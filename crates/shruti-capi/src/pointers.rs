//! Conversion of the pointers of a C caller to Rust references.

use std::ffi::{CStr, c_char};

use crate::engine::ShrutiEngine;
use crate::guard::Failure;
use crate::types::ShrutiStatus;

/// Returns the engine that a pointer points to, or an error if the pointer is null.
///
/// # Safety
///
/// The pointer must be null or come from `shruti_engine_new`. The engine must not be freed while the reference is in
/// use.
pub(crate) unsafe fn engine<'a>(engine: *const ShrutiEngine) -> Result<&'a ShrutiEngine, Failure> {
    // SAFETY: the caller guarantees that a non-null pointer points to an engine that outlives the reference.
    unsafe { engine.as_ref() }.ok_or_else(|| Failure::new(ShrutiStatus::ErrorNull, "the engine is null"))
}

/// Returns a zero-terminated string, or `None` for null. Returns an error if the string is not UTF-8.
///
/// # Safety
///
/// The pointer must be null or point to a zero-terminated string that does not change while the reference is in use.
pub(crate) unsafe fn string<'a>(string: *const c_char) -> Result<Option<&'a str>, Failure> {
    if string.is_null() {
        return Ok(None);
    }
    // SAFETY: the pointer is not null, and the caller guarantees a zero-terminated string that does not change.
    let string = unsafe { CStr::from_ptr(string) };
    string.to_str().map(Some).map_err(|_| Failure::new(ShrutiStatus::ErrorUtf8, "the string is not UTF-8"))
}

/// Returns the text of `length` bytes that a pointer points to. Returns an error if the pointer is null, or if the text
/// is too long or not UTF-8.
///
/// # Safety
///
/// The pointer must be null or point to `length` bytes that do not change while the reference is in use.
pub(crate) unsafe fn text<'a>(text: *const c_char, length: usize) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::new(ShrutiStatus::ErrorNull, "the text is null"));
    }
    if length > shruti_screenreader::MAX_TEXT_BYTES {
        let message = format!("the text is longer than {} bytes", shruti_screenreader::MAX_TEXT_BYTES);
        return Err(Failure::new(ShrutiStatus::ErrorTooLong, message));
    }
    // SAFETY: the pointer is not null, and the caller guarantees `length` bytes, which is less than `isize::MAX` after
    // the check above.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|_| Failure::new(ShrutiStatus::ErrorUtf8, "the text is not UTF-8"))
}
