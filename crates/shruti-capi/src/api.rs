//! Functions of the C interface.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use shruti_lang::Language;
use shruti_screenreader::Event;

use crate::engine::ShrutiEngine;
use crate::guard::{self, Failure, guarded, guarded_or};
use crate::pointers::{engine, string, text};
use crate::types::{SHRUTI_ABI_VERSION, ShrutiCallback, ShrutiEvent, ShrutiEventKind, ShrutiStatus};

/// Returns the `SHRUTI_ABI_VERSION` of the library. A program should compare it with the constant in its header.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_abi_version() -> u32 {
    SHRUTI_ABI_VERSION
}

/// Copies the error message of the last failed call on the calling thread to `buffer`: UTF-8 with a terminating zero
/// byte, truncated to `size` bytes. Returns the length of the whole message without the zero byte, or 0 if no call has
/// failed. Copies nothing if `size` is 0.
///
/// # Safety
///
/// `buffer` must be null or have room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_last_error(buffer: *mut c_char, size: usize) -> usize {
    guarded_or(0, || {
        let message = guard::last_error();
        if !buffer.is_null() && size > 0 {
            let mut length = message.len().min(size - 1);
            while !message.is_char_boundary(length) {
                length -= 1;
            }
            // SAFETY: `length` is less than `size`, and the caller guarantees room for `size` bytes; the library owns
            // the message, which does not overlap the buffer.
            unsafe { ptr::copy_nonoverlapping(message.as_ptr(), buffer.cast::<u8>(), length) };
            // SAFETY: `length` is less than `size`.
            let end = unsafe { buffer.add(length) };
            // SAFETY: `end` is within the buffer.
            unsafe { end.write(0) };
        }
        message.len()
    })
}

/// Starts an engine. `voice_engine` is "rules" (lowest latency, clear at high rates; recommended for screen readers),
/// "learned" (more natural) or "auto"; null selects "rules". Loads the voices into memory and starts at least one
/// thread per CPU core. The caller frees the engine with `shruti_engine_free`.
///
/// # Safety
///
/// `voice_engine` must be null or a zero-terminated string. `result` must be null or have room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_engine_new(
    voice_engine: *const c_char,
    result: *mut *mut ShrutiEngine,
) -> ShrutiStatus {
    guarded(|| {
        if result.is_null() {
            return Err(Failure::new(ShrutiStatus::ErrorNull, "the result pointer is null"));
        }
        // SAFETY: the caller guarantees that the pointer is null or a string.
        let voice_engine = unsafe { string(voice_engine) }?;
        let engine = Box::into_raw(Box::new(ShrutiEngine::new(voice_engine)?));
        // SAFETY: `result` is not null, and the caller guarantees room for a pointer.
        unsafe { result.write(engine) };
        Ok(ShrutiStatus::Ok)
    })
}

/// Frees an engine and ends its threads. Does nothing for null. No other call may use the engine at the same time or
/// later.
///
/// # Safety
///
/// `engine` must be null or a pointer from `shruti_engine_new` that has not been freed. Nothing else may use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_engine_free(engine: *mut ShrutiEngine) {
    guarded_or((), || {
        if !engine.is_null() {
            // SAFETY: `Box::into_raw` in `shruti_engine_new` created the pointer, and the caller guarantees that
            // nothing else uses it.
            drop(unsafe { Box::from_raw(engine) });
        }
    });
}

/// Returns the number of voices, or 0 if `engine` is null.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_voice_count(engine: *const ShrutiEngine) -> usize {
    // SAFETY: the caller guarantees that the pointer is null or an engine.
    guarded_or(0, || unsafe { self::engine(engine) }.map_or(0, |engine| engine.voices().len()))
}

/// Returns the name of a voice, or null if the index is out of range. The string is valid until the engine is freed.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_voice_name(engine: *const ShrutiEngine, index: usize) -> *const c_char {
    guarded_or(ptr::null(), || {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        let engine = unsafe { self::engine(engine) };
        let name = engine.ok().and_then(|engine| engine.voices().get(index));
        name.map_or(ptr::null(), |name| name.as_ptr())
    })
}

/// Returns the number of languages. Every voice speaks every language.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_language_count() -> usize {
    Language::ALL.len()
}

/// Returns the code of a language, such as `hi`, or null if the index is out of range. The string is a constant.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_language_code(index: usize) -> *const c_char {
    CODES.get(index).map_or(ptr::null(), |code| code.as_ptr().cast())
}

/// Maximum length of a language code, in bytes.
const LONGEST_CODE: usize = 3;

/// Zero-terminated language codes.
static CODES: [[u8; LONGEST_CODE + 1]; Language::ALL.len()] = {
    let mut codes = [[0; LONGEST_CODE + 1]; Language::ALL.len()];
    let mut at = 0;
    while at < codes.len() {
        let code = Language::ALL[at].code().as_bytes();
        assert!(code.len() <= LONGEST_CODE);
        let mut letter = 0;
        while letter < code.len() {
            codes[at][letter] = code[letter];
            letter += 1;
        }
        at += 1;
    }
    codes
};

/// Sets the voice of later texts, by its case-insensitive name. Null selects the first voice.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call. `name` must be null or a zero-terminated
/// string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_voice(engine: *const ShrutiEngine, name: *const c_char) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller guarantees that the pointer is null or a string.
        engine.set_voice(unsafe { string(name) }?)?;
        Ok(ShrutiStatus::Ok)
    })
}

/// Sets the language of later texts, such as `hi` or `hi-IN`. Null detects the language of each text.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call. `code` must be null or a zero-terminated
/// string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_language(
    engine: *const ShrutiEngine,
    code: *const c_char,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller guarantees that the pointer is null or a string.
        engine.set_language(unsafe { string(code) }?)?;
        Ok(ShrutiStatus::Ok)
    })
}

/// Sets the speech rate of later texts, from 0.5 to 6.0; 1.0 is the normal rate of the voice.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_rate(engine: *const ShrutiEngine, rate: f32) -> ShrutiStatus {
    // SAFETY: the caller guarantees that the pointer is null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_rate(rate).map(|()| ShrutiStatus::Ok))
}

/// Sets the pitch shift of later texts, from -6.0 to 6.0 semitones.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_pitch(engine: *const ShrutiEngine, semitones: f32) -> ShrutiStatus {
    // SAFETY: the caller guarantees that the pointer is null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_pitch(semitones).map(|()| ShrutiStatus::Ok))
}

/// Sets the volume of later texts, an amplitude factor from 0.0 to 2.0. Peaks are clipped.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_volume(engine: *const ShrutiEngine, volume: f32) -> ShrutiStatus {
    // SAFETY: the caller guarantees that the pointer is null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_volume(volume).map(|()| ShrutiStatus::Ok))
}

/// Sets the punctuation level of later texts, a `ShrutiPunctuation`.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_punctuation(engine: *const ShrutiEngine, level: i32) -> ShrutiStatus {
    // SAFETY: the caller guarantees that the pointer is null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_punctuation(level).map(|()| ShrutiStatus::Ok))
}

/// Sets whether later texts are spelled character by character, and whether spelled capital letters are announced.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_spelling(
    engine: *const ShrutiEngine,
    spelling: bool,
    capitals: bool,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        unsafe { self::engine(engine) }?.set_spelling(spelling, capitals);
        Ok(ShrutiStatus::Ok)
    })
}

/// Reads a text and returns after the last callback. The text is plain text or SSML (if it starts with `<speak`), in
/// UTF-8; it needs no terminating zero byte. `length` is the size of the text in bytes. The callback sets the pace: the
/// engine synthesises at most a few hundred milliseconds ahead of it. Returns `SHRUTI_STATUS_STOPPED` if the reading
/// was stopped.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call. `text` must be null or `length` bytes that do
/// not change during the call. It must be sound to call `callback` with `user_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_speak(
    engine: *const ShrutiEngine,
    text: *const c_char,
    length: usize,
    callback: ShrutiCallback,
    user_data: *mut c_void,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller guarantees that the pointer is null or `length` bytes.
        let text = unsafe { self::text(text, length) }?;
        let callback =
            callback.ok_or_else(|| Failure::new(ShrutiStatus::ErrorNull, "the callback is null"))?;
        engine.speak(text, |event| {
            let empty = ShrutiEvent {
                kind: ShrutiEventKind::Audio,
                sample: 0,
                samples: ptr::null(),
                sample_count: 0,
                text_offset: 0,
                text_length: 0,
                mark_name: ptr::null(),
            };
            // these variables own the data that the event points to until the callback returns
            let (samples, name);
            let event = match event {
                Event::Audio(audio, sample) => {
                    samples = audio;
                    ShrutiEvent { sample, samples: samples.as_ptr(), sample_count: samples.len(), ..empty }
                }
                Event::Word { source, sample } => ShrutiEvent {
                    kind: ShrutiEventKind::Word,
                    sample,
                    text_offset: source.start,
                    text_length: source.len(),
                    ..empty
                },
                Event::Mark { name: mark, sample } => {
                    // a name that contains a zero byte is truncated at that byte
                    let bytes =
                        mark.into_bytes().into_iter().take_while(|&byte| byte != 0).collect::<Vec<u8>>();
                    name = CString::new(bytes).unwrap_or_default();
                    ShrutiEvent { kind: ShrutiEventKind::Mark, sample, mark_name: name.as_ptr(), ..empty }
                }
            };
            // SAFETY: the caller guarantees that the callback may be called with its data; the event lives until the
            // callback returns.
            unsafe { callback(&raw const event, user_data) == 0 }
        })
    })
}

/// Stops the text that the engine is reading. Does nothing if there is none. Returns immediately: no later callback
/// starts, and `shruti_speak` returns as soon as a callback in progress returns.
///
/// # Safety
///
/// `engine` must be null or an engine that is not freed during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_stop(engine: *const ShrutiEngine) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointer is null or an engine.
        unsafe { self::engine(engine) }?.stop();
        Ok(ShrutiStatus::Ok)
    })
}
