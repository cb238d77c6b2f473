//! `/docs`: the written documents as pages, a reference made from the OpenAPI document, and both as programs read them.
//!
//! Pages are made once, from what is embedded in the binary. They ask for nothing else: no script, no other origin.

mod markdown;
mod reference;

use std::sync::{LazyLock, OnceLock};

use axum::Extension;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, Uri, header};
use serde_json::json;
use shruti_protocol::ErrorCode;
use utoipa::openapi::Required;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, IntoResponses};

use crate::http::errors::not_found;
use crate::http::{Document, ErrorResponse};
use crate::openapi::Api;
use crate::openapi::errors::{self, Answers};
use crate::openapi::headers::{self, ALWAYS, RequestHeaders};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";

/// What a page may do: be read, in our own style.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
    fn html(&self, openapi: OpenApiJson) -> String {
        match self.source {
            Source::Written(text) => written(self.name, text),
            Source::Reference => written(self.name, &reference::markdown((openapi.0)())),
        }
    }
}

const PAGES: [Page; 18] = {
    const fn page(name: &'static str, title: &'static str, text: &'static str) -> Page {
        Page { name, title, source: Source::Written(text) }
    }
    [
        page("http", "HTTP", include_str!("../../../../../docs/http.md")),
        page("websocket", "WebSocket", include_str!("../../../../../docs/websocket.md")),
        page("openai", "OpenAI clients", include_str!("../../../../../docs/openai.md")),
        page("cartesia", "Cartesia clients", include_str!("../../../../../docs/cartesia.md")),
        page("deepgram", "Deepgram clients", include_str!("../../../../../docs/deepgram.md")),
        page("elevenlabs", "ElevenLabs clients", include_str!("../../../../../docs/elevenlabs.md")),
        page("sarvam", "Sarvam clients", include_str!("../../../../../docs/sarvam.md")),
        page("telephony", "jambonz and Vapi", include_str!("../../../../../docs/telephony.md")),
        page("languages", "Languages", include_str!("../../../../../docs/languages.md")),
        page("corrections", "Correct a word", include_str!("../../../../../docs/corrections.md")),
        page("trained-voices", "Trained voices", include_str!("../../../../../docs/trained-voices.md")),
        page("deploy", "Deployment", include_str!("../../../../../docs/deploy.md")),
        page("remote", "Remote voices", include_str!("../../../../../docs/remote.md")),
        page("operating", "Operating", include_str!("../../../../../docs/operating.md")),
        page("security", "Security", include_str!("../../../../../docs/security.md")),
        page("errors", "Errors", include_str!("../../../../../docs/errors.md")),
        page("glossary", "Glossary", include_str!("../../../../../docs/glossary.md")),
        Page { name: "reference", title: "Reference", source: Source::Reference },
    ]
};
const STYLE: &str = "style.css";

/// The OpenAPI document as text; whoever makes it knows all paths, these too.
#[derive(Clone, Copy)]
struct OpenApiJson(fn() -> &'static str);

/// The paths; `openapi` gives the document of the whole API.
pub(crate) fn routes(openapi: fn() -> &'static str) -> Api {
    let mut api = Api::of("documents")
        .route(__path_start, get(start))
        .route(__path_page, get(page))
        .route(__path_openapi_json, get(openapi_json))
        .route(__path_asyncapi_json, get(asyncapi_json));
    api.router = api.router.layer(Extension(OpenApiJson(openapi)));
    api
}

/// Read how to begin.
#[utoipa::path(get, path = "/docs", operation_id = "docs", params(RequestHeaders), responses(HtmlPage))]
async fn start(asked: HeaderMap) -> Response {
    static PAGE: LazyLock<Document> =
        LazyLock::new(|| Document::new(HTML, written("", include_str!("../../../../../docs/README.md"))));
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
        PAGES.iter().map(page).chain([style]).collect()
    });
    // compared as it came: what is percent-encoded is the name of no page
    let name = uri.path().strip_prefix("/docs/");
    match made.iter().find(|(known, _)| name == Some(known)) {
        Some((_, document)) => answer(document, &asked),
        None => ErrorResponse(not_found()).into_response(),
    }
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
    let page = markdown::render(text);
    let link = |(known, title): (&str, &str)| {
        let path = if known.is_empty() { "/docs".to_owned() } else { format!("/docs/{known}") };
        let here = if known == name { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{path}\"{here}>{title}</a>\n")
    };
    let pages = PAGES.iter().map(|page| (page.name, page.title));
    let pages: String = [("", "Start")].into_iter().chain(pages).map(link).collect();
    let section = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{title}</a></li>\n");
    let sections: String = page.sections.iter().map(section).collect();
    let title = page.title.as_str();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Shruti</title>\n\
         <link rel=\"stylesheet\" href=\"/docs/{STYLE}\">\n</head>\n<body>\n\
         <header><a class=\"name\" href=\"/docs\">Shruti</a>\n<nav aria-label=\"Pages\">\n{pages}</nav></header>\n\
         <div class=\"sheet\">\n<nav class=\"sections\" aria-label=\"On this page\">\n<ul>\n{sections}</ul>\n</nav>\n\
         <main>\n{}</main>\n</div>\n</body>\n</html>\n",
        page.html
    )
}

#[cfg(test)]
mod tests;

/// The name of a page, in its path.
struct PageName;

impl IntoParams for PageName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let names = PAGES.iter().map(|page| page.name).chain([STYLE]);
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

struct Pages;

impl IntoResponses for Pages {
    fn responses() -> Answers {
        let mut all = answers(&[HTML, CSS]);
        all.extend(errors::answers(&[ErrorCode::NotFound]));
        all
    }
}
