use std::collections::HashMap;

use super::*;
use crate::studio;

/// The committed OpenAPI document. A test of the server checks that it equals the document that is served.
const OPENAPI: &str = include_str!("../../../../docs/openapi.json");

fn site() -> &'static Site {
    OpenApiJson(|| OPENAPI).site()
}

fn pages() -> HashMap<String, String> {
    site().all_html()
}

/// Returns all values of an attribute in a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_link_resolves_on_this_server() {
    let pages = pages();
    for (path, page) in &pages {
        let links = values(page, "href");
        assert!(links.len() > 10, "{path}");
        for link in links {
            let (to, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if to.is_empty() { path } else { to };
            let known =
                ["/docs/style.css", "/openapi.json", "/asyncapi.json", "/studio", studio::ICON].contains(&to);
            let known = known || (markdown::is_markdown(to) && site().find(to).is_some());
            let known =
                known || to.strip_prefix("/docs/files/").is_some_and(|name| files::find(name).is_some());
            assert!(known || pages.contains_key(to), "{path}: {link}");
            assert!(anchor.is_empty() || values(&pages[to], "id").contains(&anchor), "{path}: {link}");
        }
    }
}

#[test]
fn pages_load_only_files_of_this_server_and_need_no_script() {
    for (path, page) in pages() {
        for no in ["<iframe", " style=", " onclick"] {
            assert!(!page.contains(no), "{path} has {no}");
        }
        for source in values(&page, "src") {
            let file = source.strip_prefix("/docs/files/");
            let known = file.is_some_and(|name| files::find(name).is_some());
            assert!(known || [studio::THEME, "/docs/page.js"].contains(&source), "{path}: {source}");
        }
        // the content of a page must be present before any script runs
        assert!(page.contains("<h1"), "{path}");
        let mut ids = values(&page, "id");
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{path} has an id twice");
    }
    assert!(!include_str!("style.css").contains("url(h"));
}

#[test]
fn the_read_aloud_page_has_its_element_and_scripts() {
    let pages = pages();
    let page = &pages["/docs/read-aloud"];
    assert!(page.contains("<shruti-read-aloud for=\"#demo\">") && values(page, "id").contains(&"demo"));
    let script = |name: &str| site().find(&format!("/docs/{name}")).map(|found| found.body().to_vec());
    let element = String::from_utf8(script("read-aloud.js").unwrap()).unwrap();
    // the script loads the script of its audio thread from the same folder
    assert!(element.contains("shruti-read-aloud") && element.contains("./worklet.js"));
    let worklet = String::from_utf8(script("worklet.js").unwrap()).unwrap();
    assert!(worklet.contains("registerProcessor(\"shruti-player\""));
}

#[test]
fn every_code_has_its_section() {
    let pages = pages();
    for code in ErrorCode::ALL {
        let (path, anchor) = code.doc_url().split_once('#').unwrap();
        assert!(values(&pages[path], "id").contains(&anchor), "{code}");
    }
}

#[test]
fn the_reference_has_every_field_with_its_range() {
    let pages = pages();
    let reference = pages["/docs/reference"].clone() + &pages["/docs/api/speak"];
    for part in [
        "<code>POST /v1/tts</code>",
        "0.5 to 2",
        "-6 to 6",
        "1 to 5000 characters",
        "at most 100 entries",
        "default <code>1.0</code>",
        "<code>Retry-After</code>",
        "<code>invalid_field</code>",
        "<code>audio/wav</code>",
    ] {
        assert!(reference.contains(part), "{part}");
    }
}

/// The image was drawn by hand from the source in the document, so the lines of the source must appear in the image
/// in the same order.
#[test]
fn the_diagram_matches_its_source() {
    let pages = pages();
    assert!(pages["/docs/websocket"].contains("<svg class=\"diagram\""));
    assert!(!pages["/docs/websocket"].contains("sequenceDiagram"));
    let sources: Vec<&str> = site()
        .texts()
        .flat_map(|text| text.split("```mermaid\n").skip(1))
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let [source] = sources[..] else { panic!("{} diagrams", sources.len()) };
    let picture = include_str!("conversation.svg");
    let mut rest = picture;
    for words in source.lines().filter_map(|line| line.split_once(": ")).map(|(_, words)| words.trim()) {
        let drawn = format!(">{}<", markdown::escape(words));
        let place = rest.find(&drawn).unwrap_or_else(|| panic!("'{words}' is missing or misplaced"));
        rest = &rest[place + drawn.len()..];
    }
    assert!(!rest.contains("<line"), "there is more in the picture");
}

#[test]
fn each_endpoint_has_a_page_with_examples_in_three_languages() {
    let pages = pages();
    let document: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
    let mut endpoints = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values().filter(|it| it["tags"][0] != "documents") {
            let name = operation["operationId"].as_str().unwrap().replace('_', "-");
            let page = &pages[&format!("/docs/api/{name}")];
            assert!(page.contains(path.as_str()), "{path}");
            let languages = ["sh", "python", "js"].map(|name| format!("class=\"language-{name}\""));
            let shown = languages.iter().filter(|class| page.contains(class.as_str())).count();
            let is_socket = operation["responses"]["101"].is_object();
            assert!(shown == 3 || is_socket, "{path}: {shown}");
            endpoints += 1;
        }
    }
    assert!(endpoints > 30, "{endpoints}");
    let speak = &pages["/docs/api/speak"];
    assert!(speak.contains("-o speech.mp3") && speak.contains("\"output_format\": \"mp3\""), "{speak}");
}

#[test]
fn the_sidebar_has_four_groups_and_each_page_once() {
    let pages = pages();
    let page = &pages["/docs/http"];
    let (_, rest) = page.split_once("<nav class=\"pages\"").unwrap();
    let (sidebar, _) = rest.split_once("</nav>").unwrap();
    assert_eq!(sidebar.matches("<h2>").count(), 4);
    let mut links = values(sidebar, "href");
    assert_eq!(links.len(), pages.len());
    links.sort_unstable();
    links.dedup();
    assert_eq!(links.len(), pages.len());
    assert_eq!(sidebar.matches(" aria-current=\"page\"").count(), 1);
}

#[test]
fn each_page_is_served_in_markdown_and_listed_for_models() {
    let Some(list) = site().find("/llms.txt") else { panic!("there is no /llms.txt") };
    let list = String::from_utf8(list.body().to_vec()).unwrap();
    for path in pages().keys() {
        let source = if path == "/docs" { "/docs/index.md".to_owned() } else { format!("{path}.md") };
        assert!(site().find(&source).is_some(), "{source}");
        let line = list.lines().find(|line| line.contains(&format!("]({source}): "))).expect(&source);
        assert!(!line.ends_with(": "), "{line} says nothing of the page");
    }
    assert!(site().paths().all(|path| path.starts_with("/docs") || path == "/llms.txt"));
}
