//! Wire types of Shruti: the requests of clients and the responses of the server. Shared names, such as those of
//! languages and voices, are in `shruti_lang`.
//!
//! This crate contains no synthesis and no transport code, so that `shruti-server`, `shruti-client` and other crates
//! can share its types.

mod error;
pub mod fields;
pub mod limits;
mod listing;
mod normalization;
#[cfg(feature = "openapi")]
mod openapi;
mod request;
pub mod stream;
mod timed;
mod token;
pub mod unknown_fields;
mod usage;

pub use error::{ApiError, ErrorBody, ErrorCode, ErrorDetail, ErrorType};
pub use listing::{LanguageEntry, LanguageList, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList};
pub use normalization::{Normalization, NormalizedToken, NormalizedWord};
pub use request::SynthesisRequest;
pub use timed::TimedMessage;
pub use token::{TokenAnswer, TokenRequest};
pub use usage::{UsageAllowance, UsageAmount, UsageAnswer, UsageDay};
