//! Domain vocabulary: languages, voices, speech shaping, and the limits that text, engine and wire protocol share.
//!
//! Every other crate may depend on this crate, which depends on none of them.

mod clarity;
#[cfg(feature = "external-data")]
pub mod external;
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

/// Sample rate of all audio inside the service, and default sample rate of audio on the wire, in samples per second.
pub const SAMPLE_RATE: u32 = 24_000;
