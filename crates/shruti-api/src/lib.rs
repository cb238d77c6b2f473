//! The native API: clips, conversations, tokens, usage, lexicons, text normalisation and the catalogue, and also the
//! paths for operators.
//!
//! Each part has a file or a folder that contains its routes, their documentation and their messages. `document`
//! contains the parts of the OpenAPI document that do not belong to a single path.
//!
//! This crate must not depend on the compatible APIs, the pages or the router: it depends on `shruti-service`, not on
//! `shruti-compat`, `shruti-site` or `shruti-server`.

mod catalog;
mod clips;
mod document;
mod health;
mod lexicon;
mod metrics;
mod normalize;
mod stream;
mod tokens;
mod tts;
mod usage;
mod words;

use shruti_service::http::Native;
use shruti_service::openapi::Api;

pub use document::{components, operations_tag, tags};

/// Returns the routes for callers with API keys, with their documentation.
pub fn routes() -> Api {
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

/// Returns the routes for operators, with their documentation.
pub fn operations() -> Api {
    Api::default().merge(health::routes()).merge(metrics::routes()).errors_in(&Native)
}
