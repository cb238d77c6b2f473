//! Layer between the APIs and the engine: synthesises, charges and sends speech.
//!
//! [`clip`] synthesises one text for one HTTP body; [`conversation`] handles turns on a WebSocket. Both are independent
//! of the messages of any API.

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
mod render;
mod request;
mod speak;
mod traced_engine;
mod turn_cache;
mod writer;

pub(crate) use bound::BoundEngine;
pub(crate) use failure::turn_error;
pub use fetch::{ClipRequest, Fetched, FetchedAnswer, fetch};
pub use format::{MediaType, Representation, named_format};
pub use framing::{Framing, event, line};
pub use request::{lexicon, unknown_voice, voice};
pub use speak::{Delivery, Spoken, speak, speak_or_repeat};
pub(crate) use turn_cache::TurnCache;
pub use writer::{AbortReason, ClipStart, ClipWriter};
