//! Pages of the Studio and their assets, embedded in the binary.
//!
//! `studio/build.mjs` bundles the sources in `studio/` into `studio/dist/`. This folder is committed, so building
//! the server needs no Node.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Uri, header};
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::not_found;

use crate::document::Document;

/// Path prefix of the assets. A name from [`ASSETS`] follows.
pub(super) const ASSETS_AT: &str = "/studio/assets/";

/// Assets that pages outside the Studio also use: the script that stores the colour theme, and the icon.
pub(crate) const THEME: &str = "/studio/assets/theme.js";
pub(crate) const ICON: &str = "/studio/assets/icon.svg";

/// The document of every page.
const PAGE: &str = include_str!("../../../../studio/dist/index.html");
/// Assets: name, whether the name changes with the content, and content. The list is explicit, so that no other file of
/// the folder is served by accident.
const ASSETS: &[(&str, bool, &[u8])] = &include!("../../../../studio/dist/assets.rs");

const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";

/// The page and the assets, as documents that can be served.
struct Assets {
    page: Document,
    files: Vec<(&'static str, Document)>,
    /// Response to a request for the script of another version.
    script_of_old: String,
}

impl Assets {
    fn all() -> &'static Self {
        static ALL: LazyLock<Assets> = LazyLock::new(Assets::new);
        &ALL
    }

    fn new() -> Self {
        let document = |&(name, is_named, content): &(&'static str, bool, &'static [u8])| {
            let document = Document::new(content_type(name), content);
            (name, if is_named { document.immutable() } else { document })
        };
        let script = ASSETS.iter().map(|(name, ..)| *name).find(|name| is_main_script(name));
        Self {
            page: Document::new("text/html; charset=utf-8", PAGE),
            files: ASSETS.iter().map(document).collect(),
            script_of_old: format!("import \"./{}\";\n", script.unwrap_or_default()),
        }
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => SCRIPT_TYPE,
    }
}

/// Returns whether an asset is the main script of the pages, of this or another version.
fn is_main_script(name: &str) -> bool {
    name.strip_prefix("studio-").is_some_and(|rest| rest.strip_suffix(".js").is_some())
}

/// Returns the document. It is the same for every page; its script reads the path.
pub(super) async fn page(headers: HeaderMap) -> Response {
    Assets::all().page.answer(&headers)
}

/// Returns an asset. Its name is compared as received: it is not decoded, and no file is opened.
pub(super) async fn asset(uri: Uri, request_headers: HeaderMap) -> Response {
    let assets = Assets::all();
    let Some(name) = uri.path().strip_prefix(ASSETS_AT) else {
        return ErrorResponse(not_found()).into_response();
    };
    if let Some((_, document)) = assets.files.iter().find(|(known, _)| *known == name) {
        return document.answer(&request_headers);
    }
    // a page that was open while the server was upgraded requests the old script. The response imports the
    // new script. It is not a redirect, because the other script files import the new script by its name, and a
    // redirect would load a second instance of it
    if is_main_script(name) {
        let headers = [(header::CACHE_CONTROL, "no-store"), (header::CONTENT_TYPE, SCRIPT_TYPE)];
        return (headers, assets.script_of_old.as_str()).into_response();
    }
    ErrorResponse(not_found()).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded_once() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studio/dist");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut lying: BTreeSet<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert!(lying.remove("index.html") && lying.remove("assets.rs"), "the page and the list");
        let embedded: BTreeSet<String> = ASSETS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(embedded, lying);
        assert_eq!(embedded.len(), ASSETS.len(), "each once");
    }

    /// Checks the files that the page requests. The browser test checks the files that scripts request.
    #[test]
    fn the_page_requests_files_that_are_served() {
        let requested: Vec<&str> =
            PAGE.split(ASSETS_AT).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(requested.len(), 4, "icon, theme, style and script: {requested:?}");
        for name in requested {
            assert!(ASSETS.iter().any(|(known, ..)| *known == name), "{name}");
        }
        assert_eq!(ASSETS.iter().filter(|(name, ..)| is_main_script(name)).count(), 1);
    }

    /// Checks that the page, its script and its style sheet are small enough to load in two seconds at 30 kB
    /// per second.
    #[test]
    fn compressed_script_and_style_are_at_most_60_kib() {
        let assets = Assets::new();
        let shell = assets.files.iter().filter(|(name, _)| name.starts_with("studio-"));
        let bytes: usize = shell.map(|(_, document)| document.compressed_len()).sum();
        let bytes = bytes + assets.page.compressed_len();
        assert!(bytes <= 60 * 1024, "{bytes} bytes");
    }
}
