//! The documented routes of all crates.

use std::sync::LazyLock;

use http::HeaderValue;
use shruti_service::http::Native;
use shruti_service::http::cors::SharedPaths;
use shruti_service::openapi::Api;

use crate::document;

/// Returns all routes of the OpenAPI document.
pub(crate) fn all() -> Api {
    let docs = shruti_site::docs_routes(document::json).errors_in(&Native);
    let operations = shruti_api::operations().merge(docs);
    shruti_api::routes().merge(operations).merge(shruti_compat::routes())
}

/// Returns the methods of a path if pages of other origins may read its responses; `None` for a path without CORS.
pub(crate) fn shared_methods(path: &str) -> Option<&'static HeaderValue> {
    static SHARED: LazyLock<SharedPaths> =
        LazyLock::new(|| SharedPaths::of(&shruti_api::routes().merge(shruti_compat::routes()).paths));
    SHARED.methods(path)
}
