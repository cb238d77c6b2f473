//! The pages and what they are made of, embedded in the binary.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Uri};

use crate::http::Document;
use crate::http::ErrorResponse;
use crate::http::errors::not_found;

/// Where the assets live; behind it follows a name of [`ASSETS`].
pub(super) const ASSETS_AT: &str = "/studio/assets/";

/// What pages outside the Studio take from it: the script that keeps the choice of colours, and the icon.
pub(crate) const THEME: &str = "/studio/assets/theme.js";
pub(crate) const ICON: &str = "/studio/assets/icon.svg";

macro_rules! embed {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../../../../studio/", $name)))),*]
    };
}

/// Everything that the page asks for. A list, and not whatever lies in the folder: what is served is what is named
/// here. A test holds it against the folder.
const ASSETS: &[(&str, &[u8])] = embed! {
    "account.css" "allowance.js" "api.js" "app.js" "chart.js" "clip-controls.js" "clip-download.js" "clip-list.js" "clip-player.js" "clip-store.js" "clip.js" "clipboard.js" "controls.js" "conversation.js" "csv.js"
    "dialog.js" "dom.js" "format.js" "found-language.js" "icon.svg" "key-dialogs.js" "lexicon-editor.js" "lexicon-toml.js" "normalization-panel.js" "normalization-table.js" "notice.js" "obstacle.js" "offsets.js"
    "pages/account.js" "pages/keys.js" "pages/link.js" "pages/playground.js" "pages/promo.js" "pages/pronunciation.js" "pages/quickstart.js"
    "pages/signin.js" "pages/usage.js" "pages/voices.js" "playback-session.js" "player-worklet.js" "player.js"
    "playground.css" "preferences.js" "pronunciation.css" "resampler.js" "samples.js" "session.js" "snippets.js" "speech-view.js" "studio.css" "tabs.js"
    "theme.js" "token-stream.js" "tts-stream.js" "voice-choice.js" "voices.css" "voices.js" "wav.js" "waveform.js"
    "word-highlighter.js"
};

/// Any page: they are all one document, whose script looks at the path.
pub(super) async fn page(asked: HeaderMap) -> Response {
    static INDEX: LazyLock<Document> = LazyLock::new(|| {
        Document::new("text/html; charset=utf-8", include_str!("../../../../studio/index.html"))
    });
    INDEX.answer(&asked)
}

/// One asset. Its name is compared as it came: nothing in it is decoded, and no file is opened.
pub(super) async fn asset(uri: Uri, asked: HeaderMap) -> Response {
    static DOCUMENTS: LazyLock<Vec<(&str, Document)>> = LazyLock::new(|| {
        let document = |&(name, bytes): &(&'static str, &'static [u8])| {
            content_type(name).map(|content_type| (name, Document::new(content_type, bytes)))
        };
        ASSETS.iter().filter_map(document).collect()
    });
    let name = uri.path().strip_prefix(ASSETS_AT);
    match DOCUMENTS.iter().find(|(known, _)| name == Some(known)) {
        Some((_, document)) => document.answer(&asked),
        None => ErrorResponse(not_found()).into_response(),
    }
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn files(folder: &Path, before: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{before}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.extend(files(&entry.path(), &format!("{name}/")));
            } else {
                found.insert(name);
            }
        }
        found
    }

    #[test]
    fn every_file_of_the_folder_is_embedded_and_has_a_type() {
        let mut lying = files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studio")), "");
        assert!(lying.remove("index.html"), "the page itself");
        assert!(lying.remove("package.json"), "tells Node that the scripts are modules");
        let embedded: BTreeSet<String> = ASSETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(embedded, lying);
        assert_eq!(embedded.len(), ASSETS.len(), "each once");
        for (name, _) in ASSETS {
            assert!(content_type(name).is_some(), "{name}");
        }
    }

    /// What a script asks for is found by the test of the browser; what the page asks for, here too.
    #[test]
    fn the_page_asks_for_embedded_assets_alone() {
        let page = include_str!("../../../../studio/index.html");
        let asked: Vec<&str> =
            page.split(ASSETS_AT).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(asked.len() > 3, "{asked:?}");
        for name in asked {
            assert!(ASSETS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
