//! All pages of `/docs`: their paths, texts and common layout.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{CSS, HTML, JAVASCRIPT, MARKDOWN, TEXT};
use super::{markdown, reference, search};
use crate::document::Document;
use crate::studio;

/// Groups of the sidebar, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    GetStarted,
    Guides,
    Api,
    Operate,
}

impl Group {
    const ALL: [Self; 4] = [Self::GetStarted, Self::Guides, Self::Api, Self::Operate];

    const fn title(self) -> &'static str {
        match self {
            Self::GetStarted => "Get started",
            Self::Guides => "Guides",
            Self::Api => "API",
            Self::Operate => "Run a server",
        }
    }
}

/// A page from a file in `docs/`.
struct SourcePage {
    /// Path below `/docs/`; empty for the start page.
    name: &'static str,
    title: &'static str,
    group: Group,
    text: &'static str,
}

/// Defines a list of pages. Each entry consists of a group, a name (also the name of the file) and a title.
macro_rules! source_pages {
    ($($group:ident $name:literal $title:literal;)*) => {
        &[$(SourcePage {
            name: $name,
            title: $title,
            group: Group::$group,
            text: include_str!(concat!("../../../../docs/", $name, ".md")),
        }),*]
    };
}

const START: SourcePage = SourcePage {
    name: "",
    title: "Start",
    group: Group::GetStarted,
    text: include_str!("../../../../docs/README.md"),
};
const SOURCE_PAGES: &[SourcePage] = source_pages! {
    GetStarted "install" "Install";
    GetStarted "voices" "Voices";
    GetStarted "languages" "Languages";
    GetStarted "clients" "Python, TypeScript, Rust";
    GetStarted "glossary" "Glossary";
    Guides "hinglish" "Hinglish agents";
    Guides "twilio" "Twilio";
    Guides "exotel" "Exotel";
    Guides "plivo" "Plivo";
    Guides "home-assistant" "Home Assistant";
    Guides "mcp" "Assistants (MCP)";
    Guides "telephony" "jambonz and Vapi";
    Guides "ivr" "IVR prompts";
    Guides "whatsapp" "WhatsApp voice notes";
    Guides "long-texts" "Long texts";
    Guides "screen-readers" "Screen readers";
    Guides "read-aloud" "Read a page aloud";
    Guides "wasm" "A voice in the page";
    Guides "ssml" "SSML";
    Guides "corrections" "Correct a word";
    Guides "openai" "OpenAI clients";
    Guides "elevenlabs" "ElevenLabs clients";
    Guides "cartesia" "Cartesia clients";
    Guides "deepgram" "Deepgram clients";
    Guides "sarvam" "Sarvam clients";
    Api "http" "HTTP";
    Api "websocket" "WebSocket";
    Api "errors" "Errors";
    Operate "operating" "Operating";
    Operate "deploy" "Deployment";
    Operate "scaling" "Many servers";
    Operate "trained-voices" "Trained voices";
    Operate "remote" "Remote voices";
    Operate "performance" "Performance";
    Operate "security" "Security";
};
/// Name of the page that lists all endpoints, headers and schemas.
const REFERENCE: &str = "reference";
/// Names of the style sheet and the script of the pages.
const STYLE: &str = "style.css";
const SCRIPT: &str = "page.js";
/// Name of the script that defines the element of `read-aloud.md`. `npm run docs` in `sdk/typescript` builds this script.
/// [`WORKLET`] is the name of the script for the element's audio thread.
const READ_ALOUD: &str = "read-aloud.js";
const WORKLET: &str = "worklet.js";

/// A page of the documentation.
struct Page {
    /// Path below `/docs/`, for example `http` or `api/speak`.
    name: Cow<'static, str>,
    /// Title in the sidebar.
    title: Cow<'static, str>,
    group: Group,
    /// Whether the page describes an API that is compatible with another service.
    is_foreign: bool,
    /// Text in Markdown.
    text: Cow<'static, str>,
}

impl Page {
    fn path(&self) -> String {
        if self.name.is_empty() { "/docs".to_owned() } else { format!("/docs/{}", self.name) }
    }

    /// Returns the path of the page's Markdown.
    fn source_path(&self) -> String {
        if self.name.is_empty() { "/docs/index.md".to_owned() } else { format!("{}.md", self.path()) }
    }
}

/// All pages of the documentation.
pub(super) struct Site {
    pages: Vec<Page>,
    /// Documents that are served, by path.
    documents: HashMap<String, Document>,
    index: search::Index,
}

impl Site {
    /// Generates all pages from the files in `docs/` and the OpenAPI document.
    pub(super) fn new(openapi: &str) -> Self {
        let source_pages = [&START].into_iter().chain(SOURCE_PAGES).map(|page| Page {
            name: page.name.into(),
            title: page.title.into(),
            group: page.group,
            is_foreign: false,
            text: page.text.into(),
        });
        let reference = Page {
            name: REFERENCE.into(),
            title: "All endpoints".into(),
            group: Group::Api,
            is_foreign: false,
            text: reference::overview(openapi).into(),
        };
        let endpoints = reference::endpoints(openapi).into_iter().map(|endpoint| Page {
            name: endpoint.name.into(),
            title: endpoint.title.into(),
            group: Group::Api,
            is_foreign: endpoint.is_foreign,
            text: endpoint.text.into(),
        });
        let pages: Vec<Page> = source_pages.chain([reference]).chain(endpoints).collect();
        let sections = pages.iter().flat_map(|page| search::sections(&page.path(), &page.title, &page.text));
        let index = search::Index::new(sections);
        let mut site = Self { pages, documents: HashMap::new(), index };
        site.documents = site.made();
        site
    }

    fn made(&self) -> HashMap<String, Document> {
        let mut documents = HashMap::from([
            (format!("/docs/{STYLE}"), Document::new(CSS, include_str!("style.css"))),
            (format!("/docs/{SCRIPT}"), Document::new(JAVASCRIPT, include_str!("page.js"))),
            (format!("/docs/{READ_ALOUD}"), Document::new(JAVASCRIPT, include_str!("read-aloud.js"))),
            (
                format!("/docs/{WORKLET}"),
                Document::new(JAVASCRIPT, include_str!("../../../../studio/dist/worklet.js")),
            ),
            ("/llms.txt".to_owned(), Document::new(TEXT, self.list_for_models())),
        ]);
        for page in &self.pages {
            documents.insert(page.path(), Document::new(HTML, self.html(page)));
            documents.insert(page.source_path(), Document::new(MARKDOWN, markdown::served(&page.text)));
        }
        documents
    }

    /// Returns the document at a path. The path is compared as received, so a percent-encoded name matches no page.
    pub(super) fn find(&self, path: &str) -> Option<&Document> {
        self.documents.get(path)
    }

    /// Returns the page with the results of a search.
    pub(super) fn found(&self, query: &str) -> String {
        self.framed(None, &self.index.page(query), query)
    }

    /// Returns the page that browsers get for a missing page.
    pub(super) fn missing(&self) -> String {
        let text = "# Page not found\n\nUse the list of pages or the search.\n";
        self.framed(None, &markdown::render(text), "")
    }

    fn html(&self, page: &Page) -> String {
        self.framed(Some(page), &markdown::render(&page.text), "")
    }

    /// Returns the list of all pages for language models (<https://llmstxt.org>).
    fn list_for_models(&self) -> String {
        let mut text = String::from(
            "# Shruti\n\n> A self-hosted service that streams text to speech in eleven languages of India (Hindi, Bengali, \
             Tamil, Telugu, Gujarati, Kannada, Malayalam, Marathi, Punjabi, Odia, Indian English; in beta: Nepali, \
             Assamese, Konkani, Urdu) and in mixed text such as Hinglish, over HTTP and WebSocket, with barge-in and word times.\n\n\
             Send `POST /v1/tts` with `Authorization: Bearer <API_KEY>` and `{\"text\": …, \"output_format\": \"mp3\"}`; \
             without a format the answer is raw PCM, 16-bit little-endian, 24000 Hz, mono.\n",
        );
        for group in Group::ALL {
            // writing to a `String` cannot fail
            let _ = write!(text, "\n## {}\n\n", group.title());
            for page in self.pages.iter().filter(|page| page.group == group) {
                let about = about(&page.text);
                let _ = writeln!(text, "- [{}]({}): {about}", page.title, page.source_path());
            }
        }
        text += "\n## For programs\n\n- [OpenAPI 3.1](/openapi.json): the HTTP API\n- [AsyncAPI 3](/asyncapi.json): the \
                 messages of `/v1/tts/stream`\n";
        text
    }

    fn sidebar(&self, here: Option<&Page>) -> String {
        let link = |page: &Page| {
            let mark = match here {
                Some(here) if here.name == page.name => " aria-current=\"page\"",
                _ => "",
            };
            let (path, title) = (page.path(), markdown::escape(&page.title));
            let title = match title.split_once(' ') {
                Some((method, path)) if path.starts_with('/') => {
                    format!("<b>{method}</b> {}", path.replace('/', "/<wbr>"))
                }
                _ => title,
            };
            format!("<a href=\"{path}\"{mark}>{title}</a>\n")
        };
        let mut html = String::new();
        for group in Group::ALL {
            let own = self.pages.iter().filter(|page| page.group == group && !page.is_foreign);
            let own: String = own.map(link).collect();
            let foreign: Vec<&Page> =
                self.pages.iter().filter(|page| page.group == group && page.is_foreign).collect();
            let _ = write!(html, "<h2>{}</h2>\n{own}", group.title());
            if !foreign.is_empty() {
                let is_inside = here.is_some_and(|here| here.is_foreign);
                let open = if is_inside { " open" } else { "" };
                let links: String = foreign.into_iter().map(link).collect();
                let _ = write!(
                    html,
                    "<details{open}><summary>APIs of other services</summary>\n{links}</details>\n"
                );
            }
        }
        html
    }

    /// Returns a complete HTML page. `searched` is the content of the search field.
    fn framed(&self, here: Option<&Page>, page: &markdown::Page, searched: &str) -> String {
        let pages = self.sidebar(here);
        let section = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{title}</a></li>\n");
        let sections: String = page.sections.iter().map(section).collect();
        let source = here.map_or_else(String::new, |here| {
            format!("<p class=\"source\"><a href=\"{}\">This page as Markdown</a></p>\n", here.source_path())
        });
        let (title, body, searched) = (page.title.as_str(), page.html.as_str(), markdown::escape(searched));
        let (theme, icon) = (studio::THEME, studio::ICON);
        format!(
            r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Shruti</title>
<link rel="icon" href="{icon}" type="image/svg+xml">
<script src="{theme}"></script>
<script type="module" src="/docs/{SCRIPT}"></script>
<link rel="stylesheet" href="/docs/{STYLE}">
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<div class="bar"><a class="name" href="/docs">Shruti</a>
<form role="search" action="/docs/search"><input type="search" name="q" maxlength="{most}" value="{searched}" aria-label="Search the documentation" placeholder="Search" autocomplete="off" autocapitalize="none" enterkeyhint="search"></form>
<a href="/studio">Studio</a>
<button type="button" id="theme" hidden></button></div>
</header>
<div class="sheet">
<nav class="pages" aria-label="Pages">
<details class="menu" open><summary>Pages</summary>
{pages}</details>
</nav>
<main id="main">
{body}{source}</main>
<nav class="sections" aria-label="On this page">
<ul>
{sections}</ul>
</nav>
</div>
</body>
</html>
"##,
            most = search::MAX_CHARS,
        )
    }

    /// Returns the pages from files and those of the reference as HTML, by path.
    #[cfg(test)]
    pub(super) fn all_html(&self) -> HashMap<String, String> {
        self.pages.iter().map(|page| (page.path(), self.html(page))).collect()
    }

    /// Returns the paths of all documents that are served.
    #[cfg(test)]
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().map(String::as_str)
    }

    /// Returns the Markdown texts of all pages.
    #[cfg(test)]
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(|page| page.text.as_ref())
    }
}

/// Returns the first sentence after the first heading, on one line and without links.
fn about(text: &str) -> String {
    let paragraph = Parser::new(text)
        .skip_while(|event| !matches!(event, Event::Start(Tag::Paragraph)))
        .take_while(|event| !matches!(event, Event::End(TagEnd::Paragraph)));
    let words = paragraph.filter_map(|event| match event {
        Event::Text(words) => Some(words.into_string()),
        Event::Code(words) => Some(format!("`{words}`")),
        Event::SoftBreak | Event::HardBreak => Some(" ".to_owned()),
        _ => None,
    });
    let words: String = words.collect();
    words.split_once(". ").map_or_else(|| words.clone(), |(first, _)| format!("{first}."))
}
