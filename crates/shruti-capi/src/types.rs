//! Types and constants of the C interface.

use std::ffi::{c_char, c_void};

/// Version of this interface; see `shruti_abi_version`.
pub const SHRUTI_ABI_VERSION: u32 = 1;

/// Sample rate of the audio, in hertz.
pub const SHRUTI_SAMPLE_RATE: u32 = 24_000;

/// Maximum size of a text, in bytes.
pub const SHRUTI_MAX_TEXT_BYTES: usize = 100_000;

/// Result of a call. Negative values are errors.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiStatus {
    /// The call succeeded.
    Ok = 0,
    /// The reading ended before the end of the text: `shruti_stop` was called, or the callback returned a value other
    /// than 0.
    Stopped = 1,
    /// A pointer that must not be null is null.
    ErrorNull = -1,
    /// A string or text is not valid UTF-8.
    ErrorUtf8 = -2,
    /// A value is unknown or out of range.
    ErrorValue = -3,
    /// The text is longer than `SHRUTI_MAX_TEXT_BYTES`.
    ErrorTooLong = -4,
    /// The engine is reading another text.
    ErrorBusy = -5,
    /// The engine failed.
    ErrorFailed = -6,
    /// An internal error (a panic) occurred in the library.
    ErrorPanic = -7,
}

/// Punctuation level: the punctuation marks and symbols that are read by name.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiPunctuation {
    /// No punctuation marks or symbols.
    None = 0,
    /// Symbols: `# $ % & * + / < = > @ \ ^ _ | ~` and the rupee sign.
    Some = 1,
    /// Also brackets, quotation marks, colons, semicolons and dashes.
    Most = 2,
    /// Also full stops, commas, question marks, exclamation marks and apostrophes.
    All = 3,
}

/// Kind of an event.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiEventKind {
    /// Audio: `samples`, `sample_count`.
    Audio = 0,
    /// Start of a word, or of a punctuation mark or symbol that is read by name: `text_offset`, `text_length`.
    Word = 1,
    /// An SSML `<mark>` element: `mark_name`.
    Mark = 2,
}

/// Event that a callback receives. `kind` and `sample` are always set; other fields are zero unless the kind lists
/// them.
#[repr(C)]
#[derive(Debug)]
pub struct ShrutiEvent {
    /// Kind of the event.
    pub kind: ShrutiEventKind,
    /// Number of audio samples of the text that precede the event.
    pub sample: u64,
    /// Signed 16-bit samples in native byte order, one channel; at most 480 samples (20 ms).
    pub samples: *const i16,
    /// Number of samples.
    pub sample_count: usize,
    /// Start of the word in the text, in bytes.
    pub text_offset: usize,
    /// Length of the word in the text, in bytes.
    pub text_length: usize,
    /// Name of the mark: UTF-8, zero-terminated.
    pub mark_name: *const c_char,
}

/// Callback that receives the events of a text on the thread that called `shruti_speak`. The event and the data that it
/// points to are valid until the callback returns. A return value other than 0 stops the reading. The callback may call
/// any function with the same engine except `shruti_engine_free`; a nested `shruti_speak` returns
/// `SHRUTI_STATUS_ERROR_BUSY`. The callback must not unwind or jump out.
pub type ShrutiCallback =
    Option<unsafe extern "C" fn(event: *const ShrutiEvent, user_data: *mut c_void) -> i32>;
