//! The wire types of Shruti: what clients send, what the server answers, and the names both use.
//!
//! Nothing here knows how speech is made or how bytes travel; `shruti-server`, `shruti-client` and the rest
//! agree through these types alone.

mod clarity;
mod error;
pub mod fields;
mod language;
pub mod limits;
mod listing;
mod normalization;
#[cfg(feature = "openapi")]
mod openapi;
mod request;
pub mod stream;
mod token;
mod usage;
mod voice;
mod voice_engine;

pub use clarity::{Clarity, UnknownClarity};
pub use error::{ApiError, ErrorBody, ErrorCode, ErrorDetail, ErrorType};
pub use language::{Language, UnknownLanguage};
pub use listing::{LanguageEntry, LanguageList, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList};
pub use normalization::{Normalization, NormalizedToken, NormalizedWord};
pub use request::SynthesisRequest;
pub use token::{TokenAnswer, TokenRequest};
pub use usage::{UsageAllowance, UsageAmount, UsageAnswer, UsageDay};
pub use voice::{Gender, VoiceId};
pub use voice_engine::{UnknownVoiceEngine, VoiceEngine};

/// Samples a second of all audio on the wire; signed 16-bit little-endian, one channel.
pub const SAMPLE_RATE: u32 = 24_000;
