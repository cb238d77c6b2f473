//! `GET /docs/errors`: the page that every error points to.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::header;
use shruti_protocol::ErrorCode;

use crate::app::App;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/docs/errors", get(errors))
}

async fn errors() -> Response {
    static PAGE: LazyLock<String> = LazyLock::new(errors_page);
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(PAGE.as_str())).into_response()
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
