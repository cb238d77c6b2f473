//! The API: a file or a folder for each part of it, with its routes, their documentation and their messages.

mod catalog;
mod document;
mod health;
mod lexicon;
mod metrics;
mod normalize;
mod stream;
mod tokens;
mod tts;
mod usage;

use std::sync::LazyLock;

use http::HeaderValue;

use crate::http::Native;
use crate::http::cors::SharedPaths;
use crate::openapi::Api;

/// All paths of the API, with their documentation.
pub(crate) fn routes() -> Api {
    own().merge(operations()).merge(shruti_compat::routes())
}

/// Returns the methods of a path whose answers pages of other origins may read; `None` for a path that is not shared.
pub(crate) fn shared_methods(path: &str) -> Option<&'static HeaderValue> {
    static SHARED: LazyLock<SharedPaths> =
        LazyLock::new(|| SharedPaths::of(&own().merge(shruti_compat::routes()).paths));
    SHARED.methods(path)
}

/// The paths of this server's own API for callers with keys.
fn own() -> Api {
    Api::default()
        .merge(tts::routes())
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
        .merge(shruti_site::docs_routes(document::json))
        .errors_in(&Native)
}
