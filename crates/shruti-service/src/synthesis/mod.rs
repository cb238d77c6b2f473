//! Between the APIs and the engine: what each of them needs to have something spoken, charged and sent.
//!
//! [`clip`] is one text as one HTTP body, [`conversation`] turns on a WebSocket. Both know no API's messages.

mod accept;
mod body;
mod bound;
mod cached_body;
mod clip;
pub mod conversation;
mod failure;
mod fetch;
mod format;
mod framing;
mod identity;
mod recorder;
mod rendering;
mod request;
mod script;
mod speak;

pub use body::{BrokenOff, ClipStart, ClipWriter};
pub(crate) use bound::BoundEngine;
pub(crate) use failure::turn_error;
pub use fetch::{ClipRequest, Fetched, FetchedAnswer, fetch};
pub use format::{MediaType, Representation, named_format};
pub use framing::{Framing, event, line};
pub(crate) use rendering::Renderings;
pub use request::{lexicon, unknown_voice, voice};
pub use script::unread_script;
pub use speak::{Delivery, Spoken, speak, speak_or_repeat};
