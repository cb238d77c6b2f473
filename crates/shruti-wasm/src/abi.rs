//! Exports of the WebAssembly module. The module runs one speaker on one thread. `sdk/wasm/src/module.ts` is the
//! JavaScript counterpart.
//!
//! The page passes text and data in a buffer: [`input`] returns its address, the page writes to it, and the next call
//! reads it. Samples and words are in buffers at the addresses that [`samples`], [`marks`] and [`spoken`] return. These
//! buffers are valid until the next call to [`render`].

// `export_name` is unsafe because two symbols with the same name would clash; no other crate exports names that begin
// with `shruti_`
#![allow(unsafe_code)]

use std::cell::RefCell;

use shruti_lang::Language;
use shruti_voice::{Style, Voice};

use crate::{Progress, Speaker};

/// Number of 32-bit values per word in [`marks`].
const MARK_FIELDS: usize = 6;

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

#[derive(Default)]
struct Module {
    input: Vec<u8>,
    speaker: Option<Speaker>,
    samples: Vec<i16>,
    marks: Vec<u32>,
    spoken: Vec<u8>,
    progress: u32,
}

/// Error code that a call returns; 0 means success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Refusal {
    DamagedData = 1,
    UnknownVoice = 2,
    UnknownLanguage = 3,
    /// The data of the language or of English is not loaded. Every language needs the English data for English words in
    /// its texts.
    MissingData = 4,
    NotUtf8 = 5,
    NoSpeaker = 6,
}

fn code(result: Result<(), Refusal>) -> u32 {
    result.map_or_else(|refusal| refusal as u32, |()| 0)
}

fn with<T>(work: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with_borrow_mut(work)
}

impl Module {
    fn text(&self) -> Result<&str, Refusal> {
        str::from_utf8(&self.input).map_err(|_| Refusal::NotUtf8)
    }

    fn load(&mut self) -> Result<(), Refusal> {
        let pack = std::mem::take(&mut self.input);
        load_pack(pack)
    }

    fn start(&mut self, speed: f32, pitch: f32) -> Result<(), Refusal> {
        let (voice, language) = self.text()?.split_once('\n').ok_or(Refusal::UnknownVoice)?;
        let voice = Voice::named(voice).ok_or(Refusal::UnknownVoice)?;
        let language = Language::from_name(language).ok_or(Refusal::UnknownLanguage)?;
        if !(has_data(language) && has_data(Language::English)) {
            return Err(Refusal::MissingData);
        }
        self.speaker = Some(Speaker::new(language, Style { voice, speed, pitch }));
        Ok(())
    }

    fn push(&mut self) -> Result<(), Refusal> {
        let piece = str::from_utf8(&self.input).map_err(|_| Refusal::NotUtf8)?;
        self.speaker.as_mut().ok_or(Refusal::NoSpeaker)?.push(piece);
        Ok(())
    }

    fn render(&mut self, most: usize) {
        self.marks.clear();
        self.spoken.clear();
        self.samples.clear();
        self.progress = progress_code(Progress::Ended);
        let Some(speaker) = &mut self.speaker else { return };
        let block = speaker.block(most);
        for mark in block.marks {
            let spoken = mark.spoken.unwrap_or_default();
            let place = [self.spoken.len() as u32, spoken.len() as u32];
            self.marks.extend([mark.char_start, mark.char_end, mark.start_ms, mark.end_ms]);
            self.marks.extend(place);
            self.spoken.extend(spoken.into_bytes());
        }
        self.samples = block.samples;
        self.progress = progress_code(block.progress);
    }
}

const fn progress_code(progress: Progress) -> u32 {
    match progress {
        Progress::More => 0,
        Progress::NeedsText => 1,
        Progress::Ended => 2,
    }
}

#[cfg(feature = "external-data")]
fn load_pack(pack: Vec<u8>) -> Result<(), Refusal> {
    shruti_lang::external::load(pack).map_err(|_| Refusal::DamagedData)
}

/// Rejects all data, because the data is embedded in the module.
#[cfg(not(feature = "external-data"))]
fn load_pack(_: Vec<u8>) -> Result<(), Refusal> {
    Err(Refusal::DamagedData)
}

#[cfg(feature = "external-data")]
fn has_data(language: Language) -> bool {
    !shruti_lang::external::bytes(&format!("text/{language}/normalize.toml")).is_empty()
}

#[cfg(not(feature = "external-data"))]
fn has_data(_: Language) -> bool {
    true
}

/// Allocates an input buffer of `length` bytes and returns its address.
#[unsafe(export_name = "shruti_input")]
extern "C" fn input(length: usize) -> *mut u8 {
    with(|module| {
        module.input = vec![0; length];
        module.input.as_mut_ptr()
    })
}

/// Loads the input as the data of a language. Must be called before a speaker for that language starts. Returns 0 or an
/// error code.
#[unsafe(export_name = "shruti_load")]
extern "C" fn load() -> u32 {
    code(with(Module::load))
}

/// Replaces the current speaker with a new one. The input is the name of the voice, a line feed, and the language.
/// Returns 0 or an error code.
#[unsafe(export_name = "shruti_start")]
extern "C" fn start(speed: f32, pitch: f32) -> u32 {
    code(with(|module| module.start(speed, pitch)))
}

/// Appends the input to the text of the speaker. Returns 0 or an error code.
#[unsafe(export_name = "shruti_push")]
extern "C" fn push() -> u32 {
    code(with(Module::push))
}

/// Ends the text.
#[unsafe(export_name = "shruti_finish")]
extern "C" fn finish() {
    with(|module| module.speaker.iter_mut().for_each(Speaker::finish));
}

/// Changes the speech rate of the clauses after the current one.
#[unsafe(export_name = "shruti_set_speed")]
extern "C" fn set_speed(speed: f32) {
    with(|module| module.speaker.iter_mut().for_each(|speaker| speaker.set_speed(speed)));
}

/// Drops the speaker and the rest of its audio.
#[unsafe(export_name = "shruti_cancel")]
extern "C" fn cancel() {
    with(|module| module.speaker = None);
}

/// Renders the next block, of at most `most` samples, and returns its number of samples.
#[unsafe(export_name = "shruti_render")]
extern "C" fn render(most: usize) -> usize {
    with(|module| {
        module.render(most);
        module.samples.len()
    })
}

/// Returns the state after the last block: 0 if more audio follows, 1 if more text is needed, 2 at the end.
#[unsafe(export_name = "shruti_progress")]
extern "C" fn progress() -> u32 {
    with(|module| module.progress)
}

/// Returns the address of the 16-bit samples of the last block.
#[unsafe(export_name = "shruti_samples")]
extern "C" fn samples() -> *const i16 {
    with(|module| module.samples.as_ptr())
}

/// Returns the number of words that begin in the last block.
#[unsafe(export_name = "shruti_mark_count")]
extern "C" fn mark_count() -> usize {
    with(|module| module.marks.len() / MARK_FIELDS)
}

/// Returns the address of the words that begin in the last block. Each word has six 32-bit values: start and end in the
/// text, in characters; start and end in the audio, in milliseconds; offset and length of its spoken form in
/// [`spoken`], in bytes. The length is 0 if the word is spoken as written.
#[unsafe(export_name = "shruti_marks")]
extern "C" fn marks() -> *const u32 {
    with(|module| module.marks.as_ptr())
}

/// Returns the address of the spoken forms, in UTF-8, of the words that are not spoken as written.
#[unsafe(export_name = "shruti_spoken")]
extern "C" fn spoken() -> *const u8 {
    with(|module| module.spoken.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(bytes: &[u8]) {
        input(bytes.len());
        with(|module| module.input.copy_from_slice(bytes));
    }

    fn started(whom: &str) -> u32 {
        write(whom.as_bytes());
        start(1.0, 0.0)
    }

    #[test]
    fn a_text_becomes_samples_and_words() {
        assert_eq!(started("Arjun\nhi"), 0);
        write("दाम ₹50".as_bytes());
        assert_eq!(push(), 0);
        finish();
        let (mut total, mut words) = (0, Vec::new());
        loop {
            total += render(480);
            with(|module| {
                for mark in module.marks.chunks(MARK_FIELDS) {
                    let place = mark[4] as usize..(mark[4] + mark[5]) as usize;
                    let spoken = String::from_utf8(module.spoken[place].to_vec()).unwrap();
                    words.push((mark[0], mark[1], spoken));
                }
            });
            if progress() == 2 {
                break;
            }
        }
        assert!(total > 12_000, "{total}");
        assert_eq!(words, [(0, 3, String::new()), (4, 7, "पचास रुपए".to_owned())]);
    }

    #[test]
    fn unsupported_calls_are_rejected() {
        for (whom, refusal) in [
            ("Nobody\nhi", Refusal::UnknownVoice),
            ("Ananya", Refusal::UnknownVoice),
            ("Ananya\nfr", Refusal::UnknownLanguage),
        ] {
            assert_eq!(started(whom), refusal as u32, "{whom}");
        }
        write(&[0xff]);
        assert_eq!(start(1.0, 0.0), Refusal::NotUtf8 as u32);
        cancel();
        write(b"a");
        assert_eq!(push(), Refusal::NoSpeaker as u32);
        assert_eq!((render(480), progress()), (0, 2));
        assert_eq!(load(), Refusal::DamagedData as u32);
    }
}
