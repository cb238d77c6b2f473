//! `/docs`: the written documents as pages, a reference made from the OpenAPI document, and both as programs read them.
//!
//! Pages are made once, from what is embedded in the binary. They ask for nothing else: no script, no other origin.

mod diagram;
mod markdown;
mod reference;

use std::sync::LazyLock;

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

use crate::document::Document;
use crate::failure::{Failure, not_found};
use crate::openapi::errors::{self, Answers};
use crate::openapi::headers::{self, ALWAYS, RequestHeaders};
use crate::openapi::{self, Api};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";

/// What a page may do: be read, in our own style.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The pages under `/docs/`: their names and titles.
pub(crate) const PAGES: [(&str, &str); 8] = [
    ("http", "HTTP"),
    ("websocket", "WebSocket"),
    ("languages", "Languages"),
    ("deploy", "Deployment"),
    ("operating", "Operating"),
    ("security", "Security"),
    ("errors", "Errors"),
    ("reference", "Reference"),
];
const STYLE: &str = "style.css";

pub(crate) fn routes() -> Api {
    Api::of("documents")
        .route(__path_start, get(start))
        .route(__path_page, get(page))
        .route(__path_openapi_json, get(openapi_json))
        .route(__path_asyncapi_json, get(asyncapi_json))
}

/// Read how to begin.
#[utoipa::path(get, path = "/docs", operation_id = "docs", params(RequestHeaders), responses(HtmlPage))]
async fn start(asked: HeaderMap) -> Response {
    static PAGE: LazyLock<Document> =
        LazyLock::new(|| Document::new(HTML, written("", include_str!("../../../../docs/README.md"))));
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
async fn page(uri: Uri, asked: HeaderMap) -> Response {
    static MADE: LazyLock<Vec<(&str, Document)>> = LazyLock::new(|| {
        let http = written("http", include_str!("../../../../docs/http.md"));
        let websocket = written("websocket", include_str!("../../../../docs/websocket.md"));
        let languages = written("languages", include_str!("../../../../docs/languages.md"));
        let deploy = written("deploy", include_str!("../../../../docs/deploy.md"));
        let operating = written("operating", include_str!("../../../../docs/operating.md"));
        let security = written("security", include_str!("../../../../docs/security.md"));
        let errors = written("errors", include_str!("../../../../docs/errors.md"));
        let reference = written("reference", &reference::markdown());
        vec![
            ("http", Document::new(HTML, http)),
            ("websocket", Document::new(HTML, websocket)),
            ("languages", Document::new(HTML, languages)),
            ("deploy", Document::new(HTML, deploy)),
            ("operating", Document::new(HTML, operating)),
            ("security", Document::new(HTML, security)),
            ("errors", Document::new(HTML, errors)),
            ("reference", Document::new(HTML, reference)),
            (STYLE, Document::new(CSS, include_str!("style.css"))),
        ]
    });
    // compared as it came: what is percent-encoded is the name of no page
    let name = uri.path().strip_prefix("/docs/");
    match MADE.iter().find(|(known, _)| name == Some(known)) {
        Some((_, document)) => answer(document, &asked),
        None => Failure(not_found()).into_response(),
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
async fn openapi_json(asked: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::new(JSON, openapi::json()));
    answer(&DOCUMENT, &asked)
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
        LazyLock::new(|| Document::new(JSON, include_str!("../../../../docs/asyncapi.json")));
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
    let pages: String = [("", "Start")].into_iter().chain(PAGES).map(link).collect();
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
        let names = PAGES.into_iter().map(|(name, _)| name).chain([STYLE]);
        let name = ParameterBuilder::new()
            .name("page")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("The page."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))))
            .example(Some(json!(PAGES[0].0)));
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
