//! `/docs`: the documentation as pages, a reference generated from the OpenAPI document, and machine-readable forms of
//! both.
//!
//! Pages are generated once from files that are embedded in the binary. They load nothing from other origins and are
//! readable without scripts. With scripts, they have the Studio's colour themes and copy buttons.

mod files;
mod markdown;
mod reference;
mod samples;
mod search;
mod site;

use std::sync::{LazyLock, OnceLock};

use axum::Extension;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, Uri, header};
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_service::http::errors::not_found;
use shruti_service::http::{ErrorPage, ErrorResponse};
use shruti_service::openapi::Api;
use shruti_service::openapi::errors::{self, Answers};
use shruti_service::openapi::headers::{self, ALWAYS, RequestHeaders};
use tokio::sync::Semaphore;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::tag::{Tag, TagBuilder};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, IntoResponses};

use self::site::Site;
use crate::document::Document;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Content security policy of the pages. It allows only resources from this server, and forms that are sent to it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Function that returns the OpenAPI document as text. The caller provides this function because only the
/// caller knows all paths, including those of this module.
#[derive(Clone, Copy)]
struct OpenApiJson(fn() -> &'static str);

impl OpenApiJson {
    /// Returns all pages. They are generated when the first page is requested.
    fn site(self) -> &'static Site {
        static SITE: OnceLock<Site> = OnceLock::new();
        SITE.get_or_init(|| Site::new((self.0)()))
    }
}

/// Returns the tag of the routes.
pub fn tag() -> Tag {
    TagBuilder::new()
        .name("documents")
        .description(Some("The documentation, and the OpenAPI and AsyncAPI documents."))
        .build()
}

/// Returns the routes with their documentation. `openapi` returns the OpenAPI document of the whole server.
pub fn routes(openapi: fn() -> &'static str) -> Api {
    let mut api = Api::of("documents")
        .route(__path_start, get(start))
        .route(__path_page, get(page))
        .route(__path_endpoint, get(endpoint))
        .route(__path_llms, get(llms))
        .route(__path_found, get(found))
        .route(__path_file, get(file))
        .route(__path_openapi_json, get(openapi_json))
        .route(__path_asyncapi_json, get(asyncapi_json));
    api.router = api.router.layer(Extension(OpenApiJson(openapi)));
    api
}

/// Read the start page of the documentation.
#[utoipa::path(get, path = "/docs", operation_id = "docs", params(RequestHeaders), responses(HtmlPage))]
async fn start(uri: Uri, Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    answer_at(&uri, openapi, &headers)
}

/// Read a page: a guide, the list of errors, or the list of all endpoints.
#[utoipa::path(
    get,
    path = "/docs/{page}",
    operation_id = "page",
    params(PageName, RequestHeaders),
    responses(Pages)
)]
async fn page(uri: Uri, Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    answer_at(&uri, openapi, &headers)
}

/// Read the page of an endpoint.
#[utoipa::path(
    get,
    path = "/docs/api/{endpoint}",
    operation_id = "docs_endpoint",
    params(EndpointName, RequestHeaders),
    responses(EndpointPages)
)]
async fn endpoint(uri: Uri, Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    answer_at(&uri, openapi, &headers)
}

/// Get the list of all pages for language models.
#[utoipa::path(
    get,
    path = "/llms.txt",
    operation_id = "llms",
    params(RequestHeaders),
    responses(TextDocument)
)]
async fn llms(uri: Uri, Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    answer_at(&uri, openapi, &headers)
}

fn answer_at(uri: &Uri, openapi: OpenApiJson, headers: &HeaderMap) -> Response {
    match openapi.site().find(uri.path()) {
        Some(document) => answer(document, headers),
        None => no_such_page(openapi, headers),
    }
}

/// Search the documentation.
///
/// Sections that contain all words come first, followed by sections that contain some of them. A search for a word also
/// finds its synonyms: `interrupt` finds `barge-in`.
#[utoipa::path(
    get,
    path = "/docs/search",
    operation_id = "search_docs",
    params(SearchedWords, RequestHeaders),
    responses(SearchPageResponse)
)]
async fn found(uri: Uri, Extension(openapi): Extension<OpenApiJson>) -> Response {
    /// Permit for searches. They run one at a time. A search takes about a millisecond on a thread that serves all
    /// connections, so thousands of concurrent searches would delay other requests and the closing of their own
    /// connections.
    static SEARCHES: Semaphore = Semaphore::const_new(1);
    // the semaphore is never closed
    let _turn = SEARCHES.acquire().await;
    let page = openapi.site().found(&search::asked(uri.query().unwrap_or_default()));
    let headers = [(header::CONTENT_TYPE, HTML), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, [(header::CACHE_CONTROL, "no-cache")], page).into_response()
}

/// Get an image or an audio file of the documentation.
#[utoipa::path(
    get,
    path = "/docs/files/{file}",
    operation_id = "docs_file",
    params(FileName, RequestHeaders),
    responses(Files)
)]
async fn file(uri: Uri, Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    match uri.path().strip_prefix("/docs/files/").and_then(files::find) {
        Some(document) => answer(document, &headers),
        None => no_such_page(openapi, &headers),
    }
}

/// Returns the response for a missing page: an HTML page for browsers, and the error of the API for other clients.
fn no_such_page(openapi: OpenApiJson, request_headers: &HeaderMap) -> Response {
    let accepted = request_headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if !accepted.into_iter().any(|types| types.contains("text/html")) {
        return ErrorResponse(not_found()).into_response();
    }
    let headers = [(header::CONTENT_TYPE, HTML), (header::CONTENT_SECURITY_POLICY, POLICY)];
    let mut response = (StatusCode::NOT_FOUND, headers, openapi.site().missing()).into_response();
    response.extensions_mut().insert(ErrorPage(ErrorCode::NotFound));
    response
}

/// Get the OpenAPI document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    params(RequestHeaders),
    responses(JsonDocument)
)]
async fn openapi_json(Extension(openapi): Extension<OpenApiJson>, headers: HeaderMap) -> Response {
    static DOCUMENT: OnceLock<Document> = OnceLock::new();
    answer(DOCUMENT.get_or_init(|| Document::new(JSON, (openapi.0)())), &headers)
}

/// Get the messages of `/v1/tts/stream` as an AsyncAPI 3 document.
#[utoipa::path(
    get,
    path = "/asyncapi.json",
    operation_id = "asyncapi",
    params(RequestHeaders),
    responses(JsonDocument)
)]
async fn asyncapi_json(headers: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Document> =
        LazyLock::new(|| Document::new(JSON, include_str!("../../../../docs/asyncapi.json")));
    answer(&DOCUMENT, &headers)
}

/// Returns a document with the content security policy of the pages.
fn answer(document: &Document, headers: &HeaderMap) -> Response {
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], document.answer(headers)).into_response()
}

#[cfg(test)]
mod tests;

/// Returns the documentation of a path parameter.
fn name_in_path(name: &str, what: &str, example: &str) -> Vec<Parameter> {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(what))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .example(Some(json!(example)));
    vec![parameter.build()]
}

/// Path parameter with the name of a page.
struct PageName;

impl IntoParams for PageName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        name_in_path(
            "page",
            "Name of the page as listed in `/llms.txt`. Append `.md` for its Markdown.",
            "http",
        )
    }
}

/// Path parameter with the name of an endpoint's page.
struct EndpointName;

impl IntoParams for EndpointName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "ID of the operation, with `-` instead of `_`. Append `.md` for the Markdown of the page.";
        name_in_path("endpoint", what, "speak")
    }
}

/// Query parameter with the search terms.
struct SearchedWords;

impl IntoParams for SearchedWords {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let words = ParameterBuilder::new()
            .name("q")
            .parameter_in(ParameterIn::Query)
            .description(Some("Search terms. Without any, the page asks for them."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(search::MAX_CHARS))))
            .example(Some(json!("barge-in")));
        vec![words.build()]
    }
}

/// Path parameter with the name of an image or an audio file.
struct FileName;

impl IntoParams for FileName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let name = ParameterBuilder::new()
            .name("file")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("Name of the file."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(files::names()))))
            .example(files::names().next().map(|name| json!(name)));
        vec![name.build()]
    }
}

/// Documents the responses with a whole document or with `304 Not Modified`.
fn answers(content_types: &[&str]) -> Answers {
    let description =
        content_types.iter().fold(ResponseBuilder::new().description("The document."), |answer, &name| {
            answer.content(name, ContentBuilder::new().build())
        });
    let unchanged =
        ResponseBuilder::new().description("The document has not changed: it matches `If-None-Match`.");
    let answer = |answer| headers::with(answer, &[ALWAYS, &["ETag"]].concat()).build().into();
    Answers::from([("200".to_owned(), answer(description)), ("304".to_owned(), answer(unchanged))])
}

/// Documents the response of [`no_such_page`].
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

struct TextDocument;

impl IntoResponses for TextDocument {
    fn responses() -> Answers {
        answers(&[TEXT])
    }
}

struct EndpointPages;

impl IntoResponses for EndpointPages {
    fn responses() -> Answers {
        let mut all = answers(&[HTML, MARKDOWN]);
        all.extend(no_such_page_answers());
        all
    }
}

struct SearchPageResponse;

impl IntoResponses for SearchPageResponse {
    fn responses() -> Answers {
        let page = ResponseBuilder::new()
            .description("The matching sections, best matches first.")
            .content(HTML, ContentBuilder::new().build());
        Answers::from([("200".to_owned(), headers::with(page, ALWAYS).build().into())])
    }
}

struct Pages;

impl IntoResponses for Pages {
    fn responses() -> Answers {
        let mut all = answers(&[HTML, MARKDOWN, CSS, JAVASCRIPT]);
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
