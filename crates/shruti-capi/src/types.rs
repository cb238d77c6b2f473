//! The types and constants of the interface.

use std::ffi::{c_char, c_void};

/// The version of this interface; see `shruti_abi_version`.
pub const SHRUTI_ABI_VERSION: u32 = 1;

/// Samples of a second of audio.
pub const SHRUTI_SAMPLE_RATE: u32 = 24_000;

/// The longest text in bytes.
pub const SHRUTI_MAX_TEXT_BYTES: usize = 100_000;

/// What became of a call; below zero it failed.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiStatus {
    /// It succeeded.
    Ok = 0,
    /// The text was not read to its end: `shruti_stop` was called, or the callback asked for it.
    Stopped = 1,
    /// A pointer that must not be null is null.
    ErrorNull = -1,
    /// A text is not UTF-8.
    ErrorUtf8 = -2,
    /// A value is not known or outside its range.
    ErrorValue = -3,
    /// The text has more than `SHRUTI_MAX_TEXT_BYTES`.
    ErrorTooLong = -4,
    /// The engine is reading another text.
    ErrorBusy = -5,
    /// The engine failed.
    ErrorFailed = -6,
    /// A fault of the library.
    ErrorPanic = -7,
}

/// Which signs of a text are named.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiPunctuation {
    /// None.
    None = 0,
    /// Symbols: `# $ % & * + / < = > @ \ ^ _ | ~` and the rupee sign.
    Some = 1,
    /// Also brackets, quotation marks, colons, dashes.
    Most = 2,
    /// Also full stops, commas, question and exclamation marks, apostrophes.
    All = 3,
}

/// What an event reports.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrutiEventKind {
    /// Samples: `samples`, `sample_count`.
    Audio = 0,
    /// A word or a sign begins: `text_offset`, `text_length`.
    Word = 1,
    /// An SSML `<mark>` is reached: `mark_name`.
    Mark = 2,
}

/// What a callback receives. Fields that its kind does not name are zero.
#[repr(C)]
#[derive(Debug)]
pub struct ShrutiEvent {
    /// What it reports.
    pub kind: ShrutiEventKind,
    /// How many samples of the speech come before it.
    pub sample: u64,
    /// Signed 16-bit samples in the byte order of the machine, one channel; at most 480 of them (20 ms).
    pub samples: *const i16,
    /// Their number.
    pub sample_count: usize,
    /// Where the word begins in the text as given, in bytes.
    pub text_offset: usize,
    /// Its length in bytes.
    pub text_length: usize,
    /// The name of the mark, UTF-8.
    pub mark_name: *const c_char,
}

/// Receives the events of a text, on the thread that called `shruti_speak`. The event and what it points to live until it
/// returns. Anything but 0 stops the speech. It may call all functions with the engine but `shruti_engine_free`; another
/// `shruti_speak` gets `SHRUTI_STATUS_ERROR_BUSY`. It must not unwind or jump out.
pub type ShrutiCallback =
    Option<unsafe extern "C" fn(event: *const ShrutiEvent, user_data: *mut c_void) -> i32>;
