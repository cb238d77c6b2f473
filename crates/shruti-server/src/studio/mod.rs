//! `/studio`: the pages, and the API that they alone use.
//!
//! Both are for the browser of a person, and no part of the API of `/v1`: they change with each other, and the OpenAPI
//! document does not list them.

mod api;
mod headers;
mod pages;

#[cfg(fuzzing)]
pub(crate) use api::read_body;
use std::sync::Arc;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;

use crate::app::App;
pub(crate) use headers::protect;
use pages::ASSETS_AT;

/// The pages that have a name; others below `/studio/` say that they do not exist.
const PAGES: [&str; 9] = [
    "/studio",
    "/studio/keys",
    "/studio/promo",
    "/studio/usage",
    "/studio/quickstart",
    "/studio/account",
    "/studio/sign-in",
    "/studio/sign-up",
    "/studio/link",
];

pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    api::routes(app)
        // who comes with a browser and nothing else meant the pages
        .route("/", get(async || Redirect::temporary("/studio")))
        .route("/studio", get(pages::page))
        .route("/studio/", get(pages::page))
        .route("/studio/{*page}", get(pages::page))
        .route(&format!("{ASSETS_AT}{{*name}}"), get(pages::asset))
}

/// Whether a path belongs to the Studio.
pub(crate) fn is_at(path: &str) -> bool {
    path.strip_prefix("/studio").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path of the Studio as it may be logged and counted: never what a caller made up.
pub(crate) fn loggable(path: &str) -> Option<&'static str> {
    if path.starts_with(ASSETS_AT) {
        return Some("/studio/assets");
    }
    PAGES.into_iter().find(|&known| known == path).or_else(|| api::loggable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_and_logged_without_made_up_words() {
        for (path, is_ours, logged) in [
            ("/studio", true, Some("/studio")),
            ("/studio/", true, None),
            ("/studio/keys", true, Some("/studio/keys")),
            ("/studio/keys/sk_secret", true, None),
            ("/studio/assets/app.js", true, Some("/studio/assets")),
            ("/studio/assets/../../etc/passwd", true, Some("/studio/assets")),
            ("/studio/api/sign-in", true, Some("/studio/api/sign-in")),
            ("/studio/api/keys", true, Some("/studio/api/keys")),
            ("/studio/api/keys/sk_AbCd1234", true, Some("/studio/api/keys/{prefix}")),
            ("/studio/api/keys/sk_AbCd1234/rotate", true, Some("/studio/api/keys/{prefix}")),
            ("/studio/api/other", true, None),
            ("/studios", false, None),
            ("/v1/tts", false, None),
            ("/", false, None),
        ] {
            assert_eq!((is_at(path), loggable(path)), (is_ours, logged), "{path}");
        }
    }
}
