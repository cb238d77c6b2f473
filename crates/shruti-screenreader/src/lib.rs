//! Speech for screen readers, in the process of the caller.
//!
//! A [`Speaker`] holds an engine with the built-in voices. [`Speaker::read`] begins a [`Reading`] of a text, plain or SSML, which
//! gives [`Event`]s in the order of the sound: pieces of 24 kHz 16-bit audio of at most 20 ms, the word and the index mark
//! that begin there. A [`Stopper`] ends it from any thread.
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
//! The voices speak at up to twice their own rate. What is asked for beyond that is done with their sound, by [leaving out
//! periods of the voice](TimeScale), which keeps the pitch.

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
