//! Between the APIs and the engine: what each of them needs to have something spoken, charged and sent.
//!
//! [`clip`] is one text as one HTTP body, [`conversation`] turns on a WebSocket. Both know no API's messages.

mod body;
mod bound;
mod clip;
pub mod conversation;
mod failure;
mod format;
mod request;
mod script;
mod speak;

pub use body::ClipWriter;
pub(crate) use bound::BoundEngine;
pub(crate) use failure::turn_error;
pub use format::{MediaType, Representation, named_format};
pub use request::{lexicon, unknown_voice, voice};
pub use script::unread_script;
pub use speak::{Delivery, Spoken, speak};
