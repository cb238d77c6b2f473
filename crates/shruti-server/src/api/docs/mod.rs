//! `/docs`: the written documents as pages, a reference made from the OpenAPI document, and both as programs read them.
//!
//! Pages are made once, from what is embedded in the binary. They ask for nothing of another origin, and can be read
//! without a script: with one they have the Studio's colours and buttons that copy.

mod files;
mod markdown;
mod reference;
mod search;

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use axum::Extension;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, Uri, header};
use serde_json::json;
use shruti_protocol::ErrorCode;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, IntoResponses};

use crate::http::errors::not_found;
use crate::http::{Document, ErrorPage, ErrorResponse};
use crate::openapi::Api;
use crate::openapi::errors::{self, Answers};
use crate::openapi::headers::{self, ALWAYS, RequestHeaders};
use crate::studio;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// What a page may do: be read, in our own style, and be searched.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A page under `/docs/`.
struct Page {
    name: &'static str,
    title: &'static str,
    source: Source,
}

/// Where the text of a page comes from.
enum Source {
    Written(&'static str),
    /// Made from the OpenAPI document.
    Reference,
}

impl Page {
    /// In Markdown.
    fn text(&self, openapi: OpenApiJson) -> Cow<'static, str> {
        match self.source {
            Source::Written(text) => text.into(),
            Source::Reference => reference::markdown((openapi.0)()).into(),
        }
    }

    fn html(&self, openapi: OpenApiJson) -> String {
        written(self.name, &self.text(openapi))
    }
}

const PAGES: [Page; 25] = {
    const fn page(name: &'static str, title: &'static str, text: &'static str) -> Page {
        Page { name, title, source: Source::Written(text) }
    }
    [
        page("install", "Install", include_str!("../../../../../docs/install.md")),
        page("http", "HTTP", include_str!("../../../../../docs/http.md")),
        page("websocket", "WebSocket", include_str!("../../../../../docs/websocket.md")),
        page("clients", "Clients", include_str!("../../../../../docs/clients.md")),
        page("openai", "OpenAI clients", include_str!("../../../../../docs/openai.md")),
        page("cartesia", "Cartesia clients", include_str!("../../../../../docs/cartesia.md")),
        page("deepgram", "Deepgram clients", include_str!("../../../../../docs/deepgram.md")),
        page("elevenlabs", "ElevenLabs clients", include_str!("../../../../../docs/elevenlabs.md")),
        page("sarvam", "Sarvam clients", include_str!("../../../../../docs/sarvam.md")),
        page("telephony", "jambonz and Vapi", include_str!("../../../../../docs/telephony.md")),
        page("languages", "Languages", include_str!("../../../../../docs/languages.md")),
        page("long-texts", "Long texts", include_str!("../../../../../docs/long-texts.md")),
        page("ssml", "SSML", include_str!("../../../../../docs/ssml.md")),
        page("corrections", "Correct a word", include_str!("../../../../../docs/corrections.md")),
        page("voices", "The voices", include_str!("../../../../../docs/voices.md")),
        page("trained-voices", "Trained voices", include_str!("../../../../../docs/trained-voices.md")),
        page("deploy", "Deployment", include_str!("../../../../../docs/deploy.md")),
        page("scaling", "Many servers", include_str!("../../../../../docs/scaling.md")),
        page("remote", "Remote voices", include_str!("../../../../../docs/remote.md")),
        page("operating", "Operating", include_str!("../../../../../docs/operating.md")),
        page("performance", "Performance", include_str!("../../../../../docs/performance.md")),
        page("security", "Security", include_str!("../../../../../docs/security.md")),
        page("errors", "Errors", include_str!("../../../../../docs/errors.md")),
        page("glossary", "Glossary", include_str!("../../../../../docs/glossary.md")),
        Page { name: "reference", title: "Reference", source: Source::Reference },
    ]
};
const STYLE: &str = "style.css";
const SCRIPT: &str = "page.js";

/// The first page.
const START: &str = include_str!("../../../../../docs/README.md");

/// The OpenAPI document as text; whoever makes it knows all paths, these too.
#[derive(Clone, Copy)]
struct OpenApiJson(fn() -> &'static str);

/// The paths; `openapi` gives the document of the whole API.
pub(crate) fn routes(openapi: fn() -> &'static str) -> Api {
    let mut api = Api::of("documents")
        .route(__path_start, get(start))
        .route(__path_page, get(page))
        .route(__path_found, get(found))
        .route(__path_file, get(file))
        .route(__path_openapi_json, get(openapi_json))
        .route(__path_asyncapi_json, get(asyncapi_json));
    api.router = api.router.layer(Extension(OpenApiJson(openapi)));
    api
}

/// Read how to begin.
#[utoipa::path(get, path = "/docs", operation_id = "docs", params(RequestHeaders), responses(HtmlPage))]
async fn start(asked: HeaderMap) -> Response {
    static PAGE: LazyLock<Document> = LazyLock::new(|| Document::new(HTML, written("", START)));
    answer(&PAGE, &asked)
}

/// Read a page: the guides, every error, the reference made from this document.
#[utoipa::path(
    get,
    path = "/docs/{page}",
    operation_id = "page",
    params(PageName, RequestHeaders),
    responses(Pages)
)]
async fn page(uri: Uri, Extension(openapi): Extension<OpenApiJson>, asked: HeaderMap) -> Response {
    static MADE: OnceLock<Vec<(&str, Document)>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let page = |page: &Page| (page.name, Document::new(HTML, page.html(openapi)));
        let style = (STYLE, Document::new(CSS, include_str!("style.css")));
        let script = (SCRIPT, Document::new(JAVASCRIPT, include_str!("page.js")));
        PAGES.iter().map(page).chain([style, script]).collect()
    });
    // compared as it came: what is percent-encoded is the name of no page
    let name = uri.path().strip_prefix("/docs/");
    match made.iter().find(|(known, _)| name == Some(known)) {
        Some((_, document)) => answer(document, &asked),
        None => no_such_page(&asked),
    }
}

/// Find the sections in which words stand.
#[utoipa::path(
    get,
    path = "/docs/search",
    operation_id = "search_docs",
    params(SearchedWords, RequestHeaders),
    responses(FoundPage)
)]
async fn found(uri: Uri, Extension(openapi): Extension<OpenApiJson>) -> Response {
    static INDEX: OnceLock<search::Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let start = search::sections("/docs", "Start", START);
        let others = PAGES.iter().flat_map(|page| {
            let text = page.text(openapi);
            search::sections(&format!("/docs/{}", page.name), page.title, &text)
        });
        search::Index::new(start.into_iter().chain(others))
    });
    let words = search::asked(uri.query().unwrap_or_default());
    let page = page_of("search", &index.page(&words), &words);
    let headers = [(header::CONTENT_TYPE, HTML), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, [(header::CACHE_CONTROL, "no-cache")], page).into_response()
}

/// Get a picture or a sound of the pages.
#[utoipa::path(
    get,
    path = "/docs/files/{file}",
    operation_id = "docs_file",
    params(FileName, RequestHeaders),
    responses(Files)
)]
async fn file(uri: Uri, asked: HeaderMap) -> Response {
    match uri.path().strip_prefix("/docs/files/").and_then(files::find) {
        Some(document) => answer(document, &asked),
        None => no_such_page(&asked),
    }
}

/// A browser gets a page that leads on, a program the error that all paths have.
fn no_such_page(asked: &HeaderMap) -> Response {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let text =
            "# There is no such page\n\nThe pages are named above; the search finds words in all of them.\n";
        written("", text)
    });
    let accepted = asked.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if !accepted.into_iter().any(|types| types.contains("text/html")) {
        return ErrorResponse(not_found()).into_response();
    }
    let headers = [(header::CONTENT_TYPE, HTML), (header::CONTENT_SECURITY_POLICY, POLICY)];
    let mut response = (StatusCode::NOT_FOUND, headers, PAGE.as_str()).into_response();
    response.extensions_mut().insert(ErrorPage(ErrorCode::NotFound));
    response
}

/// Get this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    params(RequestHeaders),
    responses(JsonDocument)
)]
async fn openapi_json(Extension(openapi): Extension<OpenApiJson>, asked: HeaderMap) -> Response {
    static DOCUMENT: OnceLock<Document> = OnceLock::new();
    answer(DOCUMENT.get_or_init(|| Document::new(JSON, (openapi.0)())), &asked)
}

/// Get the messages of `/v1/tts/stream`, as AsyncAPI 3.
#[utoipa::path(
    get,
    path = "/asyncapi.json",
    operation_id = "asyncapi",
    params(RequestHeaders),
    responses(JsonDocument)
)]
async fn asyncapi_json(asked: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Document> =
        LazyLock::new(|| Document::new(JSON, include_str!("../../../../../docs/asyncapi.json")));
    answer(&DOCUMENT, &asked)
}

/// A document with the policy of these pages.
fn answer(document: &Document, asked: &HeaderMap) -> Response {
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], document.answer(asked)).into_response()
}

/// A whole page from Markdown.
fn written(name: &str, text: &str) -> String {
    page_of(name, &markdown::render(text), "")
}

/// A whole page; `searched` stands in its field for words.
fn page_of(name: &str, page: &markdown::Page, searched: &str) -> String {
    let link = |(known, title): (&str, &str)| {
        let path = if known.is_empty() { "/docs".to_owned() } else { format!("/docs/{known}") };
        let here = if known == name { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{path}\"{here}>{title}</a>\n")
    };
    let pages = PAGES.iter().map(|page| (page.name, page.title));
    let pages: String = [("", "Start")].into_iter().chain(pages).map(link).collect();
    let section = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{title}</a></li>\n");
    let sections: String = page.sections.iter().map(section).collect();
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
<nav aria-label="Pages">
{pages}</nav>
</header>
<div class="sheet">
<nav class="sections" aria-label="On this page">
<ul>
{sections}</ul>
</nav>
<main id="main">
{body}</main>
</div>
</body>
</html>
"##,
        most = search::MOST_CHARS,
    )
}

#[cfg(test)]
mod tests;

/// The name of a page, in its path.
struct PageName;

impl IntoParams for PageName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let names = PAGES.iter().map(|page| page.name).chain([STYLE, SCRIPT]);
        let name = ParameterBuilder::new()
            .name("page")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("The page."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))))
            .example(Some(json!(PAGES[0].name)));
        vec![name.build()]
    }
}

/// What is searched for.
struct SearchedWords;

impl IntoParams for SearchedWords {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let words = ParameterBuilder::new()
            .name("q")
            .parameter_in(ParameterIn::Query)
            .description(Some("The words, all of which a section must hold; without any the page says so."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(search::MOST_CHARS))))
            .example(Some(json!("barge-in")));
        vec![words.build()]
    }
}

/// The name of a picture or a sound.
struct FileName;

impl IntoParams for FileName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let name = ParameterBuilder::new()
            .name("file")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("The file."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(files::names()))))
            .example(files::names().next().map(|name| json!(name)));
        vec![name.build()]
    }
}

/// A document, whole or not again.
fn answers(content_types: &[&str]) -> Answers {
    let whole =
        content_types.iter().fold(ResponseBuilder::new().description("The document."), |answer, &name| {
            answer.content(name, ContentBuilder::new().build())
        });
    let unchanged = ResponseBuilder::new().description("It is the one that `If-None-Match` names.");
    let answer = |answer| headers::with(answer, &[ALWAYS, &["ETag"]].concat()).build().into();
    Answers::from([("200".to_owned(), answer(whole)), ("304".to_owned(), answer(unchanged))])
}

/// What [`no_such_page`] gives.
fn no_such_page_answers() -> Answers {
    let mut all = errors::answers(&[ErrorCode::NotFound]);
    for answer in all.values_mut() {
        if let RefOr::T(answer) = answer {
            answer.content.insert(HTML.to_owned(), ContentBuilder::new().build().into());
        }
    }
    all
}

struct JsonDocument;

impl IntoResponses for JsonDocument {
    fn responses() -> Answers {
        answers(&[JSON])
    }
}

struct HtmlPage;

impl IntoResponses for HtmlPage {
    fn responses() -> Answers {
        answers(&[HTML])
    }
}

struct FoundPage;

impl IntoResponses for FoundPage {
    fn responses() -> Answers {
        let page = ResponseBuilder::new()
            .description("The sections, those first that say most of it.")
            .content(HTML, ContentBuilder::new().build());
        Answers::from([("200".to_owned(), headers::with(page, ALWAYS).build().into())])
    }
}

struct Pages;

impl IntoResponses for Pages {
    fn responses() -> Answers {
        let mut all = answers(&[HTML, CSS, JAVASCRIPT]);
        all.extend(no_such_page_answers());
        all
    }
}

struct Files;

impl IntoResponses for Files {
    fn responses() -> Answers {
        let mut all = answers(&files::TYPES);
        all.extend(no_such_page_answers());
        all
    }
}
