//! The vocabulary of the domain: languages, voices, how speech is shaped, and the bounds that text, engine and wire
//! share.
//!
//! All other crates may know this one; it knows none of them.

mod clarity;
mod language;
pub mod limits;
#[cfg(feature = "openapi")]
mod openapi;
pub mod suggestion;
mod voice;
mod voice_engine;

pub use clarity::{Clarity, UnknownClarity};
pub use language::{Language, UnknownLanguage};
pub use voice::{Gender, VoiceId};
pub use voice_engine::{UnknownVoiceEngine, VoiceEngine};

/// Samples per second of all speech inside the service, and of all audio on the wire.
pub const SAMPLE_RATE: u32 = 24_000;
