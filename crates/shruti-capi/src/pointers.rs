//! What a C caller passes, as Rust values.

use std::ffi::{CStr, c_char};

use crate::engine::ShrutiEngine;
use crate::guard::Failure;
use crate::types::ShrutiStatus;

/// An engine's reference.
///
/// # Safety
///
/// The pointer is null, or comes from `shruti_engine_new` and was not freed; it is not freed while the reference lives.
pub(crate) unsafe fn engine<'a>(engine: *const ShrutiEngine) -> Result<&'a ShrutiEngine, Failure> {
    // SAFETY: the caller promises that a pointer that is not null leads to an engine that lives as long.
    unsafe { engine.as_ref() }.ok_or_else(|| Failure::new(ShrutiStatus::ErrorNull, "the engine is null"))
}

/// A string that ends with a zero byte; `None` for null.
///
/// # Safety
///
/// The pointer is null, or leads to a string that ends with a zero byte and does not change while the reference lives.
pub(crate) unsafe fn string<'a>(string: *const c_char) -> Result<Option<&'a str>, Failure> {
    if string.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not null, and the caller promises a string that ends and stays.
    let string = unsafe { CStr::from_ptr(string) };
    string.to_str().map(Some).map_err(|_| Failure::new(ShrutiStatus::ErrorUtf8, "the string is not UTF-8"))
}

/// A text of a length.
///
/// # Safety
///
/// The pointer is null, or leads to that many bytes, which do not change while the reference lives.
pub(crate) unsafe fn text<'a>(text: *const c_char, length: usize) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::new(ShrutiStatus::ErrorNull, "the text is null"));
    }
    if length > shruti_screenreader::MAX_TEXT_BYTES {
        return Err(Failure::new(ShrutiStatus::ErrorTooLong, "the text is too long"));
    }
    // SAFETY: it is not null, and the caller promises that many bytes, fewer than `isize::MAX` as just checked.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|_| Failure::new(ShrutiStatus::ErrorUtf8, "the text is not UTF-8"))
}
