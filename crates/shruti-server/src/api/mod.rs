//! The API: a file or a folder for each part of it, with its routes, their documentation and their messages.

mod authorized;
mod cartesia;
mod catalog;
mod compat;
mod deepgram;
pub(crate) mod docs;
mod document;
mod elevenlabs;
mod health;
mod jambonz;
pub(crate) mod lexicon;
mod metrics;
pub(crate) mod normalize;
mod openai;
mod sarvam;
mod stream;
pub(crate) mod tokens;
pub(crate) mod tts;
pub(crate) mod usage;
mod vapi;

pub(crate) use authorized::RateSlot;

use crate::http::Native;
use crate::openapi::Api;

/// All paths of the API, with their documentation.
pub(crate) fn routes() -> Api {
    Api::default()
        .merge(tts::routes())
        .merge(stream::routes())
        .merge(tokens::routes())
        .merge(usage::routes())
        .merge(lexicon::routes())
        .merge(normalize::routes())
        .merge(catalog::routes())
        .merge(health::routes())
        .merge(metrics::routes())
        .merge(docs::routes(document::json))
        .errors_in(&Native)
        // these have forms of their own
        .merge(openai::routes())
        .merge(cartesia::routes())
        .merge(deepgram::routes())
        .merge(elevenlabs::routes())
        .merge(sarvam::routes())
        .merge(jambonz::routes())
        .merge(vapi::routes())
}
