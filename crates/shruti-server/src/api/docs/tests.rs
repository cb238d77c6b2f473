use std::collections::HashMap;

use super::*;

fn pages() -> HashMap<String, String> {
    let openapi = OpenApiJson(crate::api::document::json);
    let start = ("/docs".to_owned(), written("", include_str!("../../../../../docs/README.md")));
    let others = PAGES.iter().map(|page| (format!("/docs/{}", page.name), page.html(openapi)));
    [start].into_iter().chain(others).collect()
}

/// The values of an attribute, wherever it stands.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_link_leads_to_something_on_this_server() {
    let pages = pages();
    for (path, page) in &pages {
        let links = values(page, "href");
        assert!(links.len() > 10, "{path}");
        for link in links {
            let (to, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if to.is_empty() { path } else { to };
            let known =
                ["/docs/style.css", "/openapi.json", "/asyncapi.json", "/studio", studio::ICON].contains(&to);
            let known =
                known || to.strip_prefix("/docs/files/").is_some_and(|name| files::find(name).is_some());
            assert!(known || pages.contains_key(to), "{path}: {link}");
            assert!(anchor.is_empty() || values(&pages[to], "id").contains(&anchor), "{path}: {link}");
        }
    }
}

#[test]
fn pages_ask_for_nothing_but_this_server_s_files_and_need_no_script() {
    for (path, page) in pages() {
        for no in ["<iframe", " style=", " onclick"] {
            assert!(!page.contains(no), "{path} has {no}");
        }
        for source in values(&page, "src") {
            let file = source.strip_prefix("/docs/files/");
            let known = file.is_some_and(|name| files::find(name).is_some());
            assert!(known || [studio::THEME, "/docs/page.js"].contains(&source), "{path}: {source}");
        }
        // what a page says stands in it before any script has run
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
fn every_code_has_its_section() {
    let pages = pages();
    for code in ErrorCode::ALL {
        let (path, anchor) = code.doc_url().split_once('#').unwrap();
        assert!(values(&pages[path], "id").contains(&anchor), "{code}");
    }
}

#[test]
fn the_reference_has_every_field_with_its_range() {
    let reference = &pages()["/docs/reference"];
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

/// The picture is drawn by hand from the source in the document: each line of that must be in it, in its place.
#[test]
fn the_diagram_shows_what_its_source_says() {
    let pages = pages();
    assert!(pages["/docs/websocket"].contains("<svg class=\"diagram\""));
    assert!(!pages["/docs/websocket"].contains("sequenceDiagram"));
    let sources: Vec<&str> = PAGES
        .iter()
        .filter_map(|page| match page.source {
            Source::Written(text) => Some(text),
            Source::Reference => None,
        })
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
