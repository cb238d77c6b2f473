//! Conversion of Markdown to HTML: headings with anchors, scrollable tables, and links that stay on the server.

use std::collections::HashMap;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A rendered document.
pub(super) struct Page {
    /// First heading, as HTML.
    pub(super) title: String,
    /// Sections (second-level headings): the ID and the title of each, as HTML.
    pub(super) sections: Vec<(String, String)>,
    pub(super) html: String,
}

/// Renders one of the project's own documents. Raw HTML is passed through.
pub(super) fn render(text: &str) -> Page {
    let mut page = Page { title: String::new(), sections: Vec::new(), html: String::new() };
    let mut ids = Ids::default();
    let mut shown = Vec::new();
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES);
    // whether the current link has no target on the server, so that only its text is kept
    let mut is_unlinked = false;
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inside: Vec<Event<'_>> = events
                    .by_ref()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                    .collect();
                let words: String = inside.iter().filter_map(words).collect();
                let id = ids.of(&words);
                let mut title = String::new();
                html::push_html(&mut title, inside.into_iter());
                match level {
                    HeadingLevel::H1 => page.title = escape(&words),
                    HeadingLevel::H2 => page.sections.push((id.clone(), title.clone())),
                    _ => {}
                }
                let heading = format!("<{level} id=\"{id}\"><a href=\"#{id}\">{title}</a></{level}>\n");
                shown.push(Event::Html(heading.into()));
            }
            // Mermaid needs a script in the browser, so the only diagram of the documents is embedded as a prepared
            // image
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "mermaid" => {
                let is_inside = |event: &Event<'_>| !matches!(event, Event::End(TagEnd::CodeBlock));
                events.by_ref().take_while(is_inside).for_each(drop);
                shown.push(Event::Html(include_str!("conversation.svg").into()));
            }
            Event::Start(Tag::Table(columns)) => {
                shown.push(Event::Html("<div class=\"wide\" tabindex=\"0\">".into()));
                shown.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                shown.push(Event::End(TagEnd::Table));
                shown.push(Event::Html("</div>\n".into()));
            }
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with("audio/") => {
                let is_inside = |event: &Event<'_>| !matches!(event, Event::End(TagEnd::Link));
                let inside: Vec<Event<'_>> = events.by_ref().take_while(is_inside).collect();
                let label: String = inside.iter().filter_map(words).collect();
                shown.push(Event::Html(player(&dest_url, &label).into()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match on_the_server(&dest_url) {
                Some(path) => {
                    shown.push(Event::Start(Tag::Link { link_type, dest_url: path.into(), title, id }));
                }
                None => is_unlinked = true,
            },
            Event::End(TagEnd::Link) if is_unlinked => is_unlinked = false,
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(on_the_server(&dest_url).unwrap_or_default());
                shown.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            other => shown.push(other),
        }
    }
    html::push_html(&mut page.html, shown.into_iter());
    // the content security policy forbids inline styles, so the alignment of columns becomes a class
    page.html = page.html.replace(" style=\"text-align: right\"", " class=\"number\"");
    page.html = page.html.replace(" style=\"text-align: left\"", "");
    // scrollable elements must be reachable by keyboard, and an empty corner cell of a table must not be a heading
    page.html = page.html.replace("<pre><code", "<pre tabindex=\"0\"><code");
    for (heading, cell) in [("<th></th>", "<td></td>"), ("<th class=\"number\"></th>", "<td></td>")] {
        page.html = page.html.replace(heading, cell);
    }
    page
}

fn words<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::Text(words) | Event::Code(words) => Some(words),
        _ => None,
    }
}

/// Generator for the IDs of headings. It uses GitHub's algorithm, so that a link works both on GitHub and on
/// the server.
#[derive(Default)]
pub(super) struct Ids(HashMap<String, usize>);

impl Ids {
    pub(super) fn of(&mut self, words: &str) -> String {
        let text = words.to_lowercase();
        let text = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let id: String = text.map(|c| if c == ' ' { '-' } else { c }).collect();
        let before = self.0.entry(id.clone()).or_default();
        *before += 1;
        if *before == 1 { id } else { format!("{id}-{}", *before - 1) }
    }
}

/// Converts a link between files of the repository to a link on the server. Returns `None` if the target is outside
/// `docs/`; the text of the link is then kept without a link.
fn on_the_server(link: &str) -> Option<String> {
    let (file, anchor) =
        link.split_once('#').map_or((link, String::new()), |(file, id)| (file, format!("#{id}")));
    if file.starts_with("../") {
        return None;
    }
    Some(match file.rsplit_once('.') {
        Some(("README", "md")) => format!("/docs{anchor}"),
        Some((name, "md")) if !name.contains('/') || name.starts_with("api/") => {
            format!("/docs/{name}{anchor}")
        }
        Some((name, "json")) if !name.contains('/') => format!("/{file}{anchor}"),
        _ if ["img/", "audio/"].iter().any(|folder| file.starts_with(folder)) => {
            let name = file.rsplit_once('/').map_or(file, |(_, name)| name);
            format!("/docs/files/{name}")
        }
        _ => link.to_owned(),
    })
}

/// Returns an audio player for a file of the documentation.
fn player(link: &str, label: &str) -> String {
    let path = on_the_server(link).unwrap_or_default();
    let name = path.rsplit_once('/').map_or("", |(_, name)| name).replace(['-', '.'], " ");
    let label = escape(&format!("{label}: {name}"));
    format!("<audio controls preload=\"none\" src=\"{path}\" aria-label=\"{label}\"></audio>")
}

/// Returns whether a file name has the extension `.md`.
pub(super) fn is_markdown(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "md")
}

/// Converts a document to the Markdown that is served, with links that work on the server.
pub(super) fn served(text: &str) -> String {
    let mut served = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, link) = rest.split_at(at + 2);
        served.push_str(before);
        let end = link.find([')', ' ', '\n']).unwrap_or(link.len());
        let (link, after) = link.split_at(end);
        let (file, anchor) = link.split_once('#').map_or((link, ""), |(file, _)| (file, &link[file.len()..]));
        match on_the_server(link) {
            Some(_) if file == "README.md" => served.extend(["/docs/index.md", anchor]),
            Some(_) if is_markdown(file) && !file.contains("//") => served.extend(["/docs/", file, anchor]),
            Some(path) => served.push_str(&path),
            None => served.push_str(link),
        }
        rest = after;
    }
    served.push_str(rest);
    served
}

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_get_the_ids_of_github() {
        let page =
            render("# A `<b>`\n## `POST /v1/tts`\n## What a cancel guarantees\n### `config`\n### `config`\n");
        assert_eq!(page.title, "A &lt;b&gt;");
        let ids: Vec<&str> = page.sections.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["post-v1tts", "what-a-cancel-guarantees"]);
        assert!(page.html.contains("<h3 id=\"config\">") && page.html.contains("<h3 id=\"config-1\">"));
        assert!(page.html.contains("<code>&lt;b&gt;</code>"), "{}", page.html);
    }

    #[test]
    fn code_is_focusable_and_table_headings_are_not_empty() {
        let page = render("# A\n```sh\nls\n```\n\n| | b |\n|---|---|\n| c | d |\n");
        assert!(page.html.contains("<pre tabindex=\"0\"><code class=\"language-sh\">"), "{}", page.html);
        assert!(page.html.contains("<td></td>") && !page.html.contains("<th></th>"), "{}", page.html);
        let page = render("# A\n| |\n|--:|\n| 1 |\n");
        assert!(page.html.contains("<td></td>") && !page.html.contains("></th>"), "{}", page.html);
    }

    #[test]
    fn audio_links_have_players() {
        let page = render("# A\n[listen](audio/hi-ananya.opus) or [not](http.md)\n");
        let player = "<audio controls preload=\"none\" src=\"/docs/files/hi-ananya.opus\" aria-label=\"listen: hi ananya opus\">";
        assert!(
            page.html.contains(player) && page.html.contains("<a href=\"/docs/http\">not</a>"),
            "{}",
            page.html
        );
    }

    #[test]
    fn served_markdown_has_links_of_the_server() {
        for (text, expected) in [
            ("see [a](errors.md#x) and [b](README.md)", "see [a](/docs/errors.md#x) and [b](/docs/index.md)"),
            ("![p](img/voices/hi.png)", "![p](/docs/files/hi.png)"),
            (
                "[o](openapi.json), [e](https://a.example/b.md)",
                "[o](/openapi.json), [e](https://a.example/b.md)",
            ),
            ("[t](#there) and a[1](b", "[t](#there) and a[1](b"),
            ("[r](api/speak.md) [w](/docs/websocket)", "[r](/docs/api/speak.md) [w](/docs/websocket)"),
        ] {
            assert_eq!(served(text), expected);
        }
    }

    #[test]
    fn links_between_files_stay_on_the_server() {
        for (file, path) in [
            ("errors.md", "/docs/errors"),
            ("http.md#post-v1tts", "/docs/http#post-v1tts"),
            ("README.md", "/docs"),
            ("asyncapi.json", "/asyncapi.json"),
            ("#limits", "#limits"),
            ("/docs/websocket", "/docs/websocket"),
            ("img/voices/hi.png", "/docs/files/hi.png"),
            ("https://example.org/a.md", "https://example.org/a.md"),
        ] {
            assert_eq!(on_the_server(file).as_deref(), Some(path));
        }
        assert_eq!(on_the_server("../measure/README.md"), None);
        let page = render("# A\nsee [`measure`](../measure/README.md), [errors](errors.md)\n");
        assert!(page.html.contains("see <code>measure</code>, <a href=\"/docs/errors\">"), "{}", page.html);
    }
}
