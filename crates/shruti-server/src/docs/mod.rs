//! What the server says of itself: the page that every error points to, and the API as programs read it.

use std::sync::LazyLock;

use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::header;
use shruti_protocol::ErrorCode;
use utoipa::IntoResponses;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;

use crate::openapi::errors::Answers;
use crate::openapi::headers::{self, RequestHeaders};
use crate::openapi::{self, Api};

pub(crate) fn routes() -> Api {
    Api::of("documents")
        .route(__path_errors, get(errors))
        .route(__path_openapi_json, get(openapi_json))
        .route(__path_asyncapi_json, get(asyncapi_json))
}

/// Read what each error means.
#[utoipa::path(get, path = "/docs/errors", operation_id = "errors", params(RequestHeaders), responses(Page))]
async fn errors() -> Response {
    static PAGE: LazyLock<String> = LazyLock::new(errors_page);
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(PAGE.as_str())).into_response()
}

/// Get this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    params(RequestHeaders),
    responses(Document)
)]
async fn openapi_json() -> Response {
    document(openapi::json())
}

/// Get the messages of `/v1/tts/stream`, as AsyncAPI 3.
#[utoipa::path(
    get,
    path = "/asyncapi.json",
    operation_id = "asyncapi",
    params(RequestHeaders),
    responses(Document)
)]
async fn asyncapi_json() -> Response {
    document(include_str!("../../../../docs/asyncapi.json"))
}

/// An answer whose content says all.
fn answers(content_type: &str) -> Answers {
    let content = ContentBuilder::new().build();
    let answer = ResponseBuilder::new().description("The document.").content(content_type, content);
    Answers::from([("200".to_owned(), headers::with(answer, headers::ALWAYS).build().into())])
}

struct Document;

impl IntoResponses for Document {
    fn responses() -> Answers {
        answers("application/json")
    }
}

struct Page;

impl IntoResponses for Page {
    fn responses() -> Answers {
        answers("text/html; charset=utf-8")
    }
}

fn document(json: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json).into_response()
}

fn errors_page() -> String {
    let mut page = include_str!("errors_head.html").to_owned();
    for code in ErrorCode::ALL {
        let (name, status, kind) = (code.as_str(), code.status(), code.error_type().as_str());
        let (meaning, remedy) = (html(code.meaning()), html(code.remedy()));
        let retry = if code.retryable() { "yes" } else { "no" };
        let section = format!(
            "<section id=\"{name}\"><h2><a href=\"#{name}\">{name}</a></h2>\n\
             <p class=\"facts\">status {status} · type <code>{kind}</code> · worth retrying unchanged: {retry}</p>\n\
             <p>{meaning}</p>\n<p>{remedy}</p></section>\n"
        );
        page.push_str(&section);
    }
    page.push_str("</main>\n</html>\n");
    page
}

/// Text with `code` in backticks, as HTML.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut parts = escaped.split('`');
    let mut html = parts.next().unwrap_or_default().to_owned();
    for (i, part) in parts.enumerate() {
        html.push_str(if i % 2 == 0 { "<code>" } else { "</code>" });
        html.push_str(part);
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_section() {
        let page = errors_page();
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("<section id=\"{code}\">")), "{code}");
        }
        assert!(page.contains("<code>Authorization: Bearer &lt;API_KEY&gt;</code>"), "text is escaped");
    }
}
