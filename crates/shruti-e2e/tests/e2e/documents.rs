//! Tests that the documentation matches the code.

use http::{Method, header};
use serde_json::Value;
use shruti_protocol::ErrorCode;
use shruti_store::{KeyLimits, KeySpec};
use shruti_testkit::TestServer;

use crate::stream::ws_client::WsClient;

const ERRORS: &str = include_str!("../../../../docs/errors.md");
const WEBSOCKET: &str = include_str!("../../../../docs/websocket.md");
const HTTP: &str = include_str!("../../../../docs/http.md");

#[tokio::test]
async fn every_error_links_to_its_section() {
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

#[tokio::test]
async fn pages_are_revalidated_and_have_a_strict_content_policy() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    for path in
        ["/docs", "/docs/http", "/docs/websocket", "/docs/errors", "/docs/reference", "/docs/style.css"]
    {
        let reply = client.get(path).await;
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{path}: {policy}");
        assert_eq!(reply.header("cache-control"), "no-cache");
        for (tag, status) in [(reply.header("etag"), 304), ("\"other\"", 200)] {
            let mut request = client.request(Method::GET, path, "");
            request.headers_mut().insert(header::IF_NONE_MATCH, tag.parse().unwrap());
            let again = client.send(request).await;
            assert_eq!(again.status.as_u16(), status, "{path} {tag}");
            assert_eq!(again.body.is_empty(), status == 304);
        }
    }
}

#[tokio::test]
async fn pages_can_be_searched_and_show_images() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let search = async |query: &str| {
        let reply = client.get(&format!("/docs/search{query}")).await;
        assert_eq!(reply.status.as_u16(), 200);
        assert!(reply.header("content-security-policy").contains("form-action 'self'"));
        String::from_utf8(reply.body.to_vec()).unwrap()
    };
    let found = search("?q=Retry-After+overloaded").await;
    assert!(found.contains("<a href=\"/docs/errors#overloaded\">"), "{found}");
    let hostile = search("?q=%3Cscript%3Ealert(1)%3C/script%3E%22").await;
    assert!(!hostile.contains("<script>") && hostile.contains("&lt;script&gt;"), "{hostile}");
    assert!(!search("?q=%ff%00").await.contains('\0'));
    for query in ["", "?", "?q=", "?q=%00", "?x=1"] {
        assert!(search(query).await.contains("Enter search terms"), "{query}");
    }
    search(&format!("?q={}", "a".repeat(5_000))).await;
    let picture = client.get("/docs/files/hi.png").await;
    assert_eq!((picture.status.as_u16(), picture.header("content-type")), (200, "image/png"));
}

#[tokio::test]
async fn a_browser_gets_an_error_page_for_an_unknown_path() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    for path in ["/docs/nothing", "/docs/files/nothing.png"] {
        let mut request = client.request(Method::GET, path, "");
        let accepted = "text/html,application/xhtml+xml,*/*;q=0.8".parse().unwrap();
        request.headers_mut().insert(header::ACCEPT, accepted);
        let reply = client.send(request).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, "text/html; charset=utf-8"));
        let page = String::from_utf8(reply.body.to_vec()).unwrap();
        assert!(page.contains("Page not found") && page.contains("href=\"/docs/http\""), "{page}");
        client.get(path).await.assert_error(ErrorCode::NotFound);
    }
    let icon = client.get("/favicon.ico").await;
    assert_eq!((icon.status.as_u16(), icon.header("location")), (308, "/studio/assets/icon.svg"));
}

#[test]
fn the_documented_errors_match_the_code() {
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
        "x-tts-engine",
        "x-tts-chars",
        "Server-Timing",
    ] {
        assert!(HTTP.contains(header), "docs/http.md lacks {header}");
    }
}

#[tokio::test]
async fn the_documented_greeting_has_the_actual_limits() {
    let example =
        WEBSOCKET.split("```json\n").find(|block| block.starts_with(r#"{"type": "ready""#)).unwrap();
    let example: Value = serde_json::from_str(example.split("```").next().unwrap()).unwrap();
    let server = TestServer::start().await;
    let limits = KeyLimits { streams: Some(20), ..KeyLimits::default() };
    let key = server.create_key(KeySpec { limits, ..KeySpec::named("twenty streams") }).await;
    let ws = WsClient::open_with(&server, key.secret.reveal()).await;
    assert_eq!(example["limits"], ws.ready["limits"]);
    assert_eq!(example["config"], ws.ready["config"]);
}
