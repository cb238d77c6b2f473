//! In-process speech for screen readers.
//!
//! A [`Speaker`] contains an engine with the built-in voices. [`Speaker::read`] starts a [`Reading`] of a text, plain
//! or SSML. The reading yields [`Event`]s in playback order: pieces of 24 kHz 16-bit audio of at most 20 ms, starts of
//! words, and index marks. A [`Stopper`] stops the reading from any thread.
//!
//! ```
//! use shruti_lang::VoiceEngine;
//! use shruti_screenreader::{Event, Settings, Speaker};
//!
//! let speaker = Speaker::new(VoiceEngine::Rules)?;
//! let settings = Settings { rate: 3.0, ..Settings::default() };
//! let mut reading = speaker.read("नमस्ते", &settings)?;
//! while let Some(event) = reading.next_event() {
//!     if let Event::Audio(samples, _) = event? {
//!         println!("{} samples", samples.len());
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rates
//!
//! The voices can speak at up to twice their normal rate. For higher rates, [`TimeScale`] shortens the audio: it
//! removes pitch periods, so that the pitch stays the same.

mod error;
mod reading;
mod settings;
mod speaker;
mod stopper;
mod time_scale;

pub use error::ReadError;
pub use reading::{Event, MAX_PIECE, Reading};
pub use settings::{MAX_TEXT_BYTES, PITCH, RATE, Settings, VOLUME};
pub use shruti_text::verbosity::{Punctuation, Verbosity, character_name};
pub use speaker::{Speaker, SpeakerError};
pub use stopper::Stopper;
pub use time_scale::TimeScale;
