//! The pages and what they are made of, embedded in the binary.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, Uri, header};
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::not_found;

use super::bundle::{BundleError, bundle, part};
use crate::document::Document;

/// Where the assets live; behind it follows a name of [`ASSETS`].
pub(super) const ASSETS_AT: &str = "/studio/assets/";

/// What pages outside the Studio take from it: the script that keeps the choice of colours, and the icon.
pub(crate) const THEME: &str = "/studio/assets/theme.js";
pub(crate) const ICON: &str = "/studio/assets/icon.svg";

macro_rules! embed {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../studio/", $name)))),*]
    };
}

const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";
const STYLE_TYPE: &str = "text/css; charset=utf-8";

/// All that the pages are made of. A list, and not whatever lies in the folder: what is served comes from what is named
/// here. A test holds it against the folder.
const ASSETS: &[(&str, &str)] = embed! {
    "account.css" "allowance.js" "api.js" "app.js" "audio-output.js" "chart.js" "client/audio-thread.js"
    "client/worklet.js" "clip-download.js" "clip-list.js" "clip-player.js" "clip-store.js"
    "clip.js" "clipboard.js" "controls.js" "conversation.js" "csv.js" "cues.js" "dialog.js" "dom.js"
    "draft.js" "file-sink.js" "form-dialog.js" "format.js" "found-language.js" "icon.svg" "joined-formats.js"
    "key-dialogs.js" "lexicon-editor.js" "lexicon-toml.js" "long-text-panel.js" "long-text.css"
    "long-text.js" "navigation.js" "normalization-panel.js" "normalization-table.js" "notice.js" "obstacle.js" "offsets.js"
    "ogg-join.js" "operator/account-dialogs.js" "operator/accounts.js" "operator/api.js" "operator/frame.js"
    "operator/health.js" "operator/pages.js" "operator/promos.js" "operator/sparkline.js"
    "operator/trends.js" "operator/usage.js" "pages/account.js"
    "pages/forgotten.js" "pages/keys.js" "pages/link.js" "pages/playground.js" "pages/promo.js"
    "pages/pronunciation.js" "pages/quickstart.js" "pages/signin.js" "pages/usage.js" "pages/verify.js"
    "pages/voices.js" "playback-session.js" "player-bar.js" "playground.css" "preferences.js" "pronunciation.css"
    "recordings.js" "samples.js" "session.js"
    "sessions-list.js" "shown-once.js" "sign-out.js" "snippets.js" "speech-view.js" "studio.css" "tabs.js" "theme.js"
    "token-stream.js" "tokens.css" "tts-stream.js" "turn-cutter.js" "usage-view.js" "verification.js" "voice-choice.js"
    "voices.css" "voices.js" "wav.js" "waveform.js" "word-highlighter.js"
};

/// The styles in the order in which they hold, joined into one file.
const STYLES: [&str; 7] = [
    "studio.css",
    "tokens.css",
    "playground.css",
    "long-text.css",
    "account.css",
    "voices.css",
    "pronunciation.css",
];
/// The script of the pages: all modules that this one imports, joined into one file.
const ENTRY: &str = "app.js";
/// What few visits need, loaded when it is asked for: the pages for operators, long texts, and pages that are not the first one
/// of most visits. With the names of their files.
const PARTS: [(&str, &str); 6] = [
    ("operator/pages.js", "operator"),
    ("long-text.js", "long-text"),
    ("pages/account.js", "account"),
    ("pages/keys.js", "keys"),
    ("pages/pronunciation.js", "pronunciation"),
    ("pages/quickstart.js", "quickstart"),
];
/// The script of the browser's audio thread. It is a part of the client for TypeScript, as its build makes it.
const WORKLET: &str = "client/worklet.js";
/// What is served as it is.
const SINGLE: [(&str, &str); 2] = [("icon.svg", "image/svg+xml"), ("theme.js", SCRIPT_TYPE)];

/// Everything that is served, by its name.
struct Assets {
    page: Document,
    files: Vec<(String, Document)>,
    script: String,
}

impl Assets {
    fn all() -> &'static Self {
        static ALL: LazyLock<Assets> =
            LazyLock::new(|| Assets::joined().expect("a test joins these very files"));
        &ALL
    }

    fn joined() -> Result<Self, BundleError> {
        let sources: BTreeMap<&str, &str> = ASSETS.iter().copied().collect();
        let of = |name: &str| sources.get(name).copied().unwrap_or_default();
        let (mut parts, mut files) = (BTreeMap::new(), Vec::new());
        for (entry, name) in PARTS {
            let script = Document::new(SCRIPT_TYPE, part(entry, ENTRY, &sources)?).immutable();
            let name = format!("{name}-{}.js", script.hash());
            parts.insert(entry, format!("{ASSETS_AT}{name}"));
            files.push((name, script));
        }
        let script = Document::new(SCRIPT_TYPE, bundle(ENTRY, &sources, &parts)?).immutable();
        let style = Document::new(STYLE_TYPE, STYLES.map(of).concat()).immutable();
        let names = [format!("studio-{}.js", script.hash()), format!("studio-{}.css", style.hash())];
        let page = include_str!("../../../../studio/index.html")
            .replace(ENTRY, &names[0])
            .replace(STYLES[0], &names[1]);
        let [script_name, style_name] = names;
        files.extend([
            (script_name.clone(), script),
            (style_name, style),
            (WORKLET.to_owned(), Document::new(SCRIPT_TYPE, bundle(WORKLET, &sources, &BTreeMap::new())?)),
        ]);
        for (name, content_type) in SINGLE {
            files.push((name.to_owned(), Document::new(content_type, of(name))));
        }
        Ok(Self { page: Document::new("text/html; charset=utf-8", page), files, script: script_name })
    }
}

/// Any page: they are all one document, whose script looks at the path.
pub(super) async fn page(asked: HeaderMap) -> Response {
    Assets::all().page.answer(&asked)
}

/// One asset. Its name is compared as it came: nothing in it is decoded, and no file is opened.
pub(super) async fn asset(uri: Uri, asked: HeaderMap) -> Response {
    let assets = Assets::all();
    let Some(name) = uri.path().strip_prefix(ASSETS_AT) else {
        return ErrorResponse(not_found()).into_response();
    };
    if let Some((_, document)) = assets.files.iter().find(|(known, _)| known == name) {
        return document.answer(&asked);
    }
    // a page that was open while the server was replaced by another one
    let script_of_old = name.strip_prefix("studio-").and_then(|rest| rest.strip_suffix(".js"));
    if script_of_old.is_some() {
        let now = format!("{ASSETS_AT}{}", assets.script);
        return ([(header::CACHE_CONTROL, "no-store")], Redirect::temporary(&now)).into_response();
    }
    ErrorResponse(not_found()).into_response()
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
    fn every_file_of_the_folder_is_embedded_once() {
        let mut lying = files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studio")), "");
        assert!(lying.remove("index.html"), "the page itself");
        assert!(lying.remove("package.json"), "tells Node that the scripts are modules");
        let embedded: BTreeSet<String> = ASSETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(embedded, lying);
        assert_eq!(embedded.len(), ASSETS.len(), "each once");
        let styles: BTreeSet<&str> =
            embedded.iter().map(String::as_str).filter(|name| name.strip_suffix(".css").is_some()).collect();
        assert_eq!(styles, BTreeSet::from(STYLES), "every style is joined");
    }

    /// What a script asks for is found by the test of the browser; what the page asks for, here too.
    #[test]
    fn the_page_asks_for_what_is_served_alone() {
        let assets = Assets::joined().unwrap();
        let page = include_str!("../../../../studio/index.html");
        let asked = page.split(ASSETS_AT).skip(1).map(|rest| rest.split('"').next().unwrap());
        let asked: Vec<&str> = asked.filter(|name| ![ENTRY, STYLES[0]].contains(name)).collect();
        assert_eq!(asked, SINGLE.map(|(name, _)| name), "besides script and style");
        assert!(page.contains(ENTRY) && page.contains(STYLES[0]), "which become the joined ones");
        assert_eq!(assets.files.len(), 3 + PARTS.len() + SINGLE.len());
    }

    /// At 30 kB a second the whole shell is there in two seconds.
    #[test]
    fn script_and_style_have_60_kib_at_most_compressed() {
        let assets = Assets::joined().unwrap();
        let shell = assets.files.iter().filter(|(name, _)| name.starts_with("studio-"));
        let bytes: usize = shell.map(|(_, document)| document.compressed_len()).sum();
        let bytes = bytes + assets.page.compressed_len();
        assert!(bytes <= 60 * 1024, "{bytes} bytes");
    }
}
