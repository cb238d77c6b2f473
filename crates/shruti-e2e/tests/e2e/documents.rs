//! The documents agree with the code.

use shruti_protocol::ErrorCode;
use shruti_testkit::TestServer;

const ERRORS: &str = include_str!("../../../../docs/errors.md");
const HTTP: &str = include_str!("../../../../docs/http.md");

#[tokio::test]
async fn every_error_leads_to_its_section() {
    let server = TestServer::start().await;
    let reply = server.client().with_key(None).get("/docs/errors").await;
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    let page = String::from_utf8(reply.body.to_vec()).unwrap();
    for code in ErrorCode::ALL {
        let (path, anchor) = code.doc_url().split_once('#').unwrap();
        assert_eq!(path, "/docs/errors");
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{code}");
    }
}

#[test]
fn the_written_page_says_what_the_code_says() {
    for code in ErrorCode::ALL {
        let status = code.status();
        let retry = if code.retryable() { "yes" } else { "no" };
        let section = format!(
            "### {code}\n\nStatus {status} · type `{}` · worth retrying unchanged: {retry}\n\n{} {}\n",
            code.error_type().as_str(),
            code.meaning(),
            code.remedy()
        );
        assert!(ERRORS.contains(&section), "docs/errors.md lacks:\n\n{section}");
    }
    let sections = ERRORS.matches("\n### ").count();
    assert_eq!(sections, ErrorCode::ALL.len(), "docs/errors.md has sections of no code");
}

#[test]
fn the_api_page_names_every_error_and_header() {
    for code in ErrorCode::ALL {
        assert!(HTTP.contains(&format!("`{code}`")), "docs/http.md lacks {code}");
    }
    for header in [
        "x-request-id",
        "x-client-request-id",
        "x-tts-voice",
        "x-tts-language",
        "x-tts-chars",
        "Server-Timing",
    ] {
        assert!(HTTP.contains(header), "docs/http.md lacks {header}");
    }
}
