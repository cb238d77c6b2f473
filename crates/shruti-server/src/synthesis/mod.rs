//! Between the APIs and the engine: what each of them needs to have something spoken, charged and sent.
//!
//! [`clip`] is one text as one HTTP body, [`conversation`] turns on a WebSocket. Both know no API's messages.

mod body;
mod bound;
mod clip;
pub(crate) mod conversation;
mod failure;
mod format;
mod request;
mod script;
mod speak;

pub(crate) use body::ClipWriter;
pub(crate) use bound::BoundEngine;
pub(crate) use failure::turn_error;
pub(crate) use format::{MediaType, Representation, named_format};
pub(crate) use request::{lexicon, unknown_voice, voice};
pub(crate) use script::unread_script;
pub(crate) use speak::{Delivery, Spoken, speak};
