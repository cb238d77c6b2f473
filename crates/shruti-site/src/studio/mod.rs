//! `/studio`: the pages and their private API.
//!
//! Both are for browsers and are not part of the API in `/v1`: they change together, and the OpenAPI document does not
//! list them.

mod api;
mod headers;
mod pages;

use std::sync::Arc;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use shruti_service::app::App;

#[cfg(fuzzing)]
pub(crate) use api::read_body;
pub use headers::protect;
use pages::ASSETS_AT;
pub(crate) use pages::{ICON, THEME};

/// Returns the routes of the pages and of their API.
pub fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    api::routes(app)
        // visitors who open the server's address in a browser get the Studio
        .route("/", get(async || Redirect::temporary("/studio")))
        // browsers request this path automatically
        .route("/favicon.ico", get(async || Redirect::permanent(ICON)))
        .route("/studio", get(pages::page))
        .route("/studio/", get(pages::page))
        .route("/studio/{*page}", get(pages::page))
        .route(&format!("{ASSETS_AT}{{*name}}"), get(pages::asset))
}

/// Returns whether a path belongs to the Studio.
pub fn is_at(path: &str) -> bool {
    path.strip_prefix("/studio").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studio_paths_are_distinguished() {
        for (path, is_ours) in [
            ("/studio", true),
            ("/studio/", true),
            ("/studio/keys/sk_secret", true),
            ("/studio/assets/app.js", true),
            ("/studio/api/keys/sk_AbCd1234", true),
            ("/studios", false),
            ("/v1/tts", false),
            ("/", false),
        ] {
            assert_eq!(is_at(path), is_ours, "{path}");
        }
    }
}
