//! Tests of the pages and their assets.

use http::{Method, StatusCode, header};
use shruti_protocol::ErrorCode;
use shruti_testkit::{RawConnection, Reply, TestServer};

const PAGES: [&str; 9] = [
    "/studio",
    "/studio/keys",
    "/studio/promo",
    "/studio/usage",
    "/studio/quickstart",
    "/studio/account",
    "/studio/sign-in",
    "/studio/sign-up",
    "/studio/link",
];

/// Asserts the security headers of every response of the Studio.
pub(super) fn assert_protected(path: &str, reply: &Reply) {
    let policy = reply.header("content-security-policy");
    let directive = |name: &str| policy.split("; ").find_map(|each| each.strip_prefix(name)).map(str::trim);
    for (name, value) in [
        ("default-src", "'self'"),
        ("script-src", "'self'"),
        ("style-src", "'self'"),
        ("connect-src", "'self'"),
        ("object-src", "'none'"),
        ("frame-ancestors", "'none'"),
        ("base-uri", "'none'"),
        ("form-action", "'self'"),
    ] {
        assert_eq!(directive(name), Some(value), "{path}: {policy}");
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), value, "{path}");
    }
    assert!(reply.header("permissions-policy").contains("microphone=()"), "{path}");
    assert_eq!(reply.header("access-control-allow-origin"), "", "{path}");
}

#[tokio::test]
async fn every_page_is_the_same_document() {
    let server = TestServer::start().await;
    for client in [server.client().with_key(None), server.client().with_key(None).over_http2()] {
        let index = client.get("/studio").await;
        assert_eq!(index.header("content-type"), "text/html; charset=utf-8");
        assert!(index.body.starts_with(b"<!doctype html>"));
        for path in PAGES.iter().chain(&["/studio/", "/studio/no/such/page", "/studio/link?x=1"]) {
            let reply = client.get(path).await;
            assert_eq!((reply.status, &reply.body), (StatusCode::OK, &index.body), "{path}");
            assert_protected(path, &reply);
            let head = client.send(client.request(Method::HEAD, path, "")).await;
            assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0), "{path}");
            assert_eq!(head.header("etag"), reply.header("etag"), "{path}");
            assert_protected(path, &head);
        }
        let post = client.send(client.request(Method::POST, "/studio/keys", "{}")).await;
        post.assert_error(ErrorCode::MethodNotAllowed);
        assert_protected("POST", &post);
    }
}

#[tokio::test]
async fn the_root_path_redirects_to_the_studio() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    for method in [Method::GET, Method::HEAD] {
        let reply = client.send(client.request(method, "/", "")).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (307, "/studio"));
    }
}

/// Returns the paths that the page requests, in order.
async fn asked_for(server: &TestServer) -> Vec<String> {
    let index = server.client().with_key(None).get("/studio").await.body;
    let index = String::from_utf8(index.to_vec()).unwrap();
    let rest = index.split("\"/studio/assets/").skip(1);
    rest.map(|rest| format!("/studio/assets/{}", rest.split('"').next().unwrap())).collect()
}

#[tokio::test]
async fn assets_have_content_types_and_are_cached() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let requested = asked_for(&server).await;
    let named = |ending: &str| {
        requested.iter().find(|path| path.contains("studio-") && path.ends_with(ending)).unwrap()
    };
    let (always, ask) = ("public, max-age=31536000, immutable", "no-cache");
    for (path, content_type, part, kept) in [
        (named(".js").as_str(), "text/javascript; charset=utf-8", "addEventListener", always),
        (named(".css"), "text/css; charset=utf-8", "{", always),
        ("/studio/assets/worklet.js", "text/javascript; charset=utf-8", "registerProcessor", ask),
        ("/studio/assets/theme.js", "text/javascript; charset=utf-8", "theme", ask),
        ("/studio/assets/icon.svg", "image/svg+xml", "<svg", ask),
    ] {
        let complete = client.get(path).await;
        assert_eq!(
            (complete.status, complete.header("content-type")),
            (StatusCode::OK, content_type),
            "{path}"
        );
        assert!(String::from_utf8(complete.body.to_vec()).unwrap().contains(part), "{path}");
        assert_eq!(
            (complete.header("cache-control"), complete.header("vary")),
            (kept, "accept-encoding"),
            "{path}"
        );
        assert_protected(path, &complete);
        let tag = complete.header("etag");
        for (tag, status) in [(tag, 304), (&format!("\"x\", W/{tag}"), 304), ("\"other\"", 200)] {
            let mut request = client.request(Method::GET, path, "");
            request.headers_mut().insert(header::IF_NONE_MATCH, tag.parse().unwrap());
            let again = client.send(request).await;
            assert_eq!((again.status.as_u16(), again.body.is_empty()), (status, status == 304), "{path}");
            assert_protected(path, &again);
        }
    }
}

#[tokio::test]
async fn a_page_of_an_older_server_gets_the_current_script() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let script = asked_for(&server)
        .await
        .into_iter()
        .find(|path| path.strip_suffix(".js").is_some_and(|path| path.contains("studio-")));
    let (_, name) = script.as_deref().unwrap().rsplit_once('/').unwrap();
    let reply = client.get("/studio/assets/studio-0123456789abcdef.js").await;
    assert_eq!((reply.status, &*reply.body), (StatusCode::OK, format!("import \"./{name}\";\n").as_bytes()));
    assert_eq!(reply.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_protected("the old script", &reply);
    client.get("/studio/assets/studio-0123456789abcdef.css").await.assert_error(ErrorCode::NotFound);
}

#[tokio::test]
async fn path_traversal_is_rejected() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let index = client.get("/studio").await.body;
    for name in [
        "",
        "nothing.js",
        "app.js",
        "theme.js/",
        "THEME.JS",
        "theme%2ejs",
        "pages",
        "pages/keys.js",
        "index.html",
        "../Cargo.toml",
        "../../Cargo.toml",
        "..%2fCargo.toml",
        "%2e%2e/%2e%2e/etc/passwd",
        "%252e%252e%252fetc%252fpasswd",
        "..\\..\\etc\\passwd",
        "..%5c..%5cetc%5cpasswd",
        "theme.js%00",
        "theme.js%00.css",
        "%ff%fe",
        "/etc/passwd",
        "//etc/passwd",
        "./theme.js",
        "pages/../theme.js",
        "pages%2fkeys.js",
        "theme.js;x",
    ] {
        let mut connection = RawConnection::open(server.address).await;
        let head = format!("GET /studio/assets/{name} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
        connection.send(head).await;
        let (status, headers) = connection.read_head().await;
        let (body, _) = connection.read_body(&headers).await;
        let is_index = status == StatusCode::OK && body == index;
        assert!(status == StatusCode::NOT_FOUND || is_index, "{name}: {status} {body:?}");
        let text = String::from_utf8_lossy(&body);
        assert!(!text.contains("root:") && !text.contains("[workspace]"), "{name}: {text}");
        if status == StatusCode::NOT_FOUND {
            assert_protected(name, &Reply { status, headers, body });
        }
    }
}

#[tokio::test]
async fn studio_pages_send_strict_transport_security_if_configured() {
    let reported = async |strict: bool| {
        let server = TestServer::builder().config(|config| config.strict_transport = strict).start().await;
        let client = server.client().with_key(None);
        assert_eq!(client.get("/v1/voices").await.header("strict-transport-security"), "");
        client.get("/studio").await.header("strict-transport-security").to_owned()
    };
    assert_eq!(reported(false).await, "");
    assert_eq!(reported(true).await, "max-age=15552000");
}
