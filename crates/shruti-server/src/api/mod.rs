//! The API: a file or a folder for each part of it, with its routes, their documentation and their messages.

mod authorized;
mod cartesia;
mod catalog;
mod clips;
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

use std::sync::LazyLock;

pub(crate) use authorized::RateSlot;
use http::HeaderValue;

use crate::http::Native;
use crate::http::cors::SharedPaths;
use crate::openapi::Api;

/// All paths of the API, with their documentation.
pub(crate) fn routes() -> Api {
    own().merge(operations()).merge(compatible())
}

/// Returns the methods of a path whose answers pages of other origins may read; `None` for a path that is not shared.
pub(crate) fn shared_methods(path: &str) -> Option<&'static HeaderValue> {
    static SHARED: LazyLock<SharedPaths> =
        LazyLock::new(|| SharedPaths::of(&own().merge(compatible()).paths));
    SHARED.methods(path)
}

/// The paths of this server's own API for callers with keys.
fn own() -> Api {
    Api::default()
        .merge(tts::routes())
        .merge(clips::routes())
        .merge(stream::routes())
        .merge(tokens::routes())
        .merge(usage::routes())
        .merge(lexicon::routes())
        .merge(normalize::routes())
        .merge(catalog::routes())
        .errors_in(&Native)
}

/// The paths for operators and readers.
fn operations() -> Api {
    Api::default()
        .merge(health::routes())
        .merge(metrics::routes())
        .merge(docs::routes(document::json))
        .errors_in(&Native)
}

/// The paths of the APIs of other services, whose errors have forms of their own.
fn compatible() -> Api {
    Api::default()
        .merge(openai::routes())
        .merge(cartesia::routes())
        .merge(deepgram::routes())
        .merge(elevenlabs::routes())
        .merge(sarvam::routes())
        .merge(jambonz::routes())
        .merge(vapi::routes())
}
