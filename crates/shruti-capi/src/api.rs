//! The functions of the interface.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use shruti_lang::Language;
use shruti_screenreader::Event;

use crate::engine::ShrutiEngine;
use crate::guard::{self, Failure, guarded, guarded_or};
use crate::pointers::{engine, string, text};
use crate::types::{SHRUTI_ABI_VERSION, ShrutiCallback, ShrutiEvent, ShrutiEventKind, ShrutiStatus};

/// Returns the `SHRUTI_ABI_VERSION` that the library was built with. A program should compare it with that of its header.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_abi_version() -> u32 {
    SHRUTI_ABI_VERSION
}

/// Copies the message of the last failure of the calling thread, UTF-8 with a zero byte, cut to `size` bytes. Returns the length of
/// the whole message without the zero byte; 0 if nothing has failed. With a `size` of 0 nothing is copied.
///
/// # Safety
///
/// `buffer` is null or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_last_error(buffer: *mut c_char, size: usize) -> usize {
    guarded_or(0, || {
        let message = guard::last_error();
        if !buffer.is_null() && size > 0 {
            let mut length = message.len().min(size - 1);
            while !message.is_char_boundary(length) {
                length -= 1;
            }
            // SAFETY: `length` is less than `size`, for which the caller promises room; the message is the library's own
            // memory and does not overlap.
            unsafe { ptr::copy_nonoverlapping(message.as_ptr(), buffer.cast::<u8>(), length) };
            // SAFETY: `length` is less than `size`.
            let end = unsafe { buffer.add(length) };
            // SAFETY: `end` lies within the buffer.
            unsafe { end.write(0) };
        }
        message.len()
    })
}

/// Starts an engine. `voice_engine` is "rules" (clear at high rates, starts soonest, the choice for screen readers), "learned"
/// (natural) or "auto"; null is "rules". Takes memory for the voices and a thread a core.
///
/// # Safety
///
/// `voice_engine` is null or a string that ends with a zero byte; `result` is null or has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_engine_new(
    voice_engine: *const c_char,
    result: *mut *mut ShrutiEngine,
) -> ShrutiStatus {
    guarded(|| {
        if result.is_null() {
            return Err(Failure::new(ShrutiStatus::ErrorNull, "the result is null"));
        }
        // SAFETY: the caller promises null or a string.
        let voice_engine = unsafe { string(voice_engine) }?;
        let engine = Box::into_raw(Box::new(ShrutiEngine::new(voice_engine)?));
        // SAFETY: it is not null, and the caller promises room for a pointer.
        unsafe { result.write(engine) };
        Ok(ShrutiStatus::Ok)
    })
}

/// Ends an engine and its threads. Null is allowed. No other call with the engine may be in progress or follow.
///
/// # Safety
///
/// `engine` is null or comes from `shruti_engine_new` and was not freed; nothing else uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_engine_free(engine: *mut ShrutiEngine) {
    guarded_or((), || {
        if !engine.is_null() {
            // SAFETY: it was made by `Box::into_raw` in `shruti_engine_new`, and the caller promises that it is used no more.
            drop(unsafe { Box::from_raw(engine) });
        }
    });
}

/// Returns the number of voices; 0 for null.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_voice_count(engine: *const ShrutiEngine) -> usize {
    // SAFETY: the caller promises null or an engine.
    guarded_or(0, || unsafe { self::engine(engine) }.map_or(0, |engine| engine.voices().len()))
}

/// Returns the name of a voice, which lives as long as the engine; null if there is none of this index.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_voice_name(engine: *const ShrutiEngine, index: usize) -> *const c_char {
    guarded_or(ptr::null(), || {
        // SAFETY: the caller promises null or an engine.
        let engine = unsafe { self::engine(engine) };
        let name = engine.ok().and_then(|engine| engine.voices().get(index));
        name.map_or(ptr::null(), |name| name.as_ptr())
    })
}

/// Returns the number of languages. All voices speak all of them.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_language_count() -> usize {
    Language::ALL.len()
}

/// Returns the code of a language (`hi`), a constant; null if there is none of this index.
#[unsafe(no_mangle)]
pub extern "C" fn shruti_language_code(index: usize) -> *const c_char {
    CODES.get(index).map_or(ptr::null(), |code| code.as_ptr().cast())
}

/// The codes with the zero bytes that C strings end with: all have two letters.
static CODES: [[u8; 3]; Language::ALL.len()] = {
    let mut codes = [[0; 3]; Language::ALL.len()];
    let mut at = 0;
    while at < codes.len() {
        let code = Language::ALL[at].code().as_bytes();
        assert!(code.len() == 2);
        codes[at] = [code[0], code[1], 0];
        at += 1;
    }
    codes
};

/// Sets the voice of the texts that follow, by its name without regard to case; null is the first voice.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile; `name` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_voice(engine: *const ShrutiEngine, name: *const c_char) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller promises null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller promises null or a string.
        engine.set_voice(unsafe { string(name) }?)?;
        Ok(ShrutiStatus::Ok)
    })
}

/// Sets the language of the texts that follow: `hi`, `hi-IN`. Null finds it from each text.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile; `code` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_language(
    engine: *const ShrutiEngine,
    code: *const c_char,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller promises null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller promises null or a string.
        engine.set_language(unsafe { string(code) }?)?;
        Ok(ShrutiStatus::Ok)
    })
}

/// Sets the rate of the texts that follow, 0.5 to 6.0; 1.0 is the voice's own.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_rate(engine: *const ShrutiEngine, rate: f32) -> ShrutiStatus {
    // SAFETY: the caller promises null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_rate(rate).map(|()| ShrutiStatus::Ok))
}

/// Sets the shift of the pitch of the texts that follow, -6.0 to 6.0 semitones.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_pitch(engine: *const ShrutiEngine, semitones: f32) -> ShrutiStatus {
    // SAFETY: the caller promises null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_pitch(semitones).map(|()| ShrutiStatus::Ok))
}

/// Sets the factor of the amplitude of the texts that follow, 0.0 to 2.0; peaks are clipped.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_volume(engine: *const ShrutiEngine, volume: f32) -> ShrutiStatus {
    // SAFETY: the caller promises null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_volume(volume).map(|()| ShrutiStatus::Ok))
}

/// Sets which signs of the texts that follow are named: a `ShrutiPunctuation`.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_punctuation(engine: *const ShrutiEngine, level: i32) -> ShrutiStatus {
    // SAFETY: the caller promises null or an engine.
    guarded(|| unsafe { self::engine(engine) }?.set_punctuation(level).map(|()| ShrutiStatus::Ok))
}

/// Sets whether each character of the texts that follow is said by its name, and whether capital letters among them are
/// announced.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_set_spelling(
    engine: *const ShrutiEngine,
    spelling: bool,
    capitals: bool,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller promises null or an engine.
        unsafe { self::engine(engine) }?.set_spelling(spelling, capitals);
        Ok(ShrutiStatus::Ok)
    })
}

/// Reads a text, plain or SSML (one that begins with `<speak`), and returns when the callback has had all of it. `length` is in
/// bytes; the text is UTF-8 and needs no zero byte. The callback sets the pace: the engine works a few hundred milliseconds
/// ahead of it, no further. Returns `SHRUTI_STATUS_STOPPED` if the speech was stopped.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile; `text` is null or has `length` bytes, which do not change
/// meanwhile; `callback` may be called with `user_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_speak(
    engine: *const ShrutiEngine,
    text: *const c_char,
    length: usize,
    callback: ShrutiCallback,
    user_data: *mut c_void,
) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller promises null or an engine.
        let engine = unsafe { self::engine(engine) }?;
        // SAFETY: the caller promises null or that many bytes.
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
            // holds what the event points to until the callback has returned
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
                    // a name with a zero byte is cut there
                    let bytes =
                        mark.into_bytes().into_iter().take_while(|&byte| byte != 0).collect::<Vec<u8>>();
                    name = CString::new(bytes).unwrap_or_default();
                    ShrutiEvent { kind: ShrutiEventKind::Mark, sample, mark_name: name.as_ptr(), ..empty }
                }
            };
            // SAFETY: the caller promises that the callback may be called with its data; the event lives until it returns.
            unsafe { callback(&raw const event, user_data) == 0 }
        })
    })
}

/// Stops the text that the engine is reading; does nothing if there is none. Returns at once: after it no callback begins, and
/// `shruti_speak` returns as soon as a callback in progress does.
///
/// # Safety
///
/// `engine` is null or an engine that is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shruti_stop(engine: *const ShrutiEngine) -> ShrutiStatus {
    guarded(|| {
        // SAFETY: the caller promises null or an engine.
        unsafe { self::engine(engine) }?.stop();
        Ok(ShrutiStatus::Ok)
    })
}
