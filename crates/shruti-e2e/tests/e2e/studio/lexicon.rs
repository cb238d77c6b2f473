//! Tests of the Studio's pronunciation dictionary and of its panel for the normalised text.

use http::{HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_service::{OpenPlayground, Visitors};
use shruti_testkit::{Reply, TestServer};

use super::browser::{ASHA, Browser, Expect};

const OURS: &str = "[words]\nAIIMS = \"एम्स\"\n\n[ta]\nOoty = \"/uːʈiː/\"\n";

async fn put(browser: &Browser, toml: &str, version: u64) -> Reply {
    let body = json!({"toml": toml, "version": version}).to_string();
    browser.send(browser.request(&Method::PUT, "lexicon", &body)).await
}

#[tokio::test]
async fn the_studio_edits_the_lexicon_that_keys_use() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let empty = browser.get("lexicon").await.ok();
    assert_eq!(empty, json!({"version": 0, "max_entries": 1000, "entries": [], "toml": ""}));
    let entries = json!([
        {"language": null, "word": "AIIMS", "reading": "एम्स"},
        {"language": "ta", "word": "Ooty", "reading": "/uːʈiː/"},
    ]);
    let stored = put(&browser, OURS, 0).await.ok();
    assert_eq!(
        (&stored["version"], &stored["entries"], &stored["toml"]),
        (&json!(1), &entries, &json!(OURS))
    );
    assert_eq!(browser.get("lexicon").await.ok(), stored);

    let (key, _) = browser.create_key("a").await;
    let client = server.client().with_key(Some(&key));
    assert_eq!(&client.get("/v1/lexicon").await.body[..], OURS.as_bytes());
    let reported = browser.post("normalize", &json!({"text": "AIIMS", "language": "hi"})).await.ok();
    assert_eq!(reported["tokens"][0]["words"][0]["text"], "एम्स");
    // the playground uses the dictionary
    let token = browser.post("token", &json!({})).await.ok()["token"].as_str().unwrap().to_owned();
    let speaker = server.client().with_key(Some(&token));
    let body = json!({"text": "AIIMS", "language": "hi"});
    let expected = speaker.speak(&body).await;
    assert_eq!(expected, client.speak(&body).await);
    assert_ne!(expected, server.client().speak(&body).await);
}

#[tokio::test]
async fn a_concurrent_edit_gets_a_conflict_and_errors_name_their_line() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    put(&browser, OURS, 0).await.ok();
    put(&browser, "", 0).await.assert_error(ErrorCode::LexiconChanged);
    let wrong = put(&browser, "[words]\na = '//'", 1).await;
    wrong.assert_field(ErrorCode::InvalidField, "lexicon");
    assert!(wrong.json()["error"]["message"].as_str().unwrap().starts_with("line 2: 'a'"));
    for (body, param) in [
        (json!({"toml": ""}), "version"),
        (json!({"version": 1}), "toml"),
        (json!({"toml": 1, "version": 1}), "toml"),
        (json!({"toml": "", "version": -1}), "version"),
        (json!({"toml": "", "version": u64::MAX}), "version"),
    ] {
        let reply = browser.send(browser.request(&Method::PUT, "lexicon", &body.to_string())).await;
        assert_eq!((reply.status, &reply.json()["error"]["param"]), (StatusCode::BAD_REQUEST, &json!(param)));
    }
    let huge = json!({"toml": "#".repeat(70_000), "version": 1}).to_string();
    browser.send(browser.request(&Method::PUT, "lexicon", &huge)).await.assert_error(ErrorCode::BodyTooLarge);
    assert_eq!(browser.get("lexicon").await.ok()["version"], 1);
}

#[tokio::test]
async fn other_pages_and_accounts_cannot_access_the_lexicon() {
    let server = TestServer::start().await;
    let asha = Browser::unlocked(&server, ASHA).await;
    let ravi = Browser::unlocked(&server, "ravi@example.org").await;
    put(&asha, OURS, 0).await.ok();
    assert_eq!(ravi.get("lexicon").await.ok()["toml"], "");
    put(&ravi, "", 1).await.assert_error(ErrorCode::LexiconChanged);

    let body = json!({"toml": "", "version": 1}).to_string();
    let mut foreign = asha.request(&Method::PUT, "lexicon", &body);
    foreign.headers_mut().insert(header::ORIGIN, HeaderValue::from_static("https://evil.example"));
    asha.send(foreign).await.assert_error(ErrorCode::OriginNotAllowed);
    let mut unmarked = asha.request(&Method::PUT, "lexicon", &body);
    unmarked.headers_mut().remove("x-studio");
    asha.send(unmarked).await.assert_error(ErrorCode::OriginNotAllowed);
    assert_eq!(asha.get("lexicon").await.ok()["toml"], OURS);

    let visitor = Browser::new(&server);
    visitor.get("lexicon").await.assert_error(ErrorCode::NotSignedIn);
    put(&visitor, "", 0).await.assert_error(ErrorCode::NotSignedIn);
    visitor.post("normalize", &json!({"text": "a"})).await.assert_error(ErrorCode::NotSignedIn);
}

#[tokio::test]
async fn visitors_get_explanations_if_the_playground_is_open() {
    let open = OpenPlayground { monthly_chars: 1_000, visitors: Visitors::All };
    let server = TestServer::builder().config(|config| config.open_playground = Some(open)).start().await;
    let visitor = Browser::new(&server);
    let ask = async || visitor.post("normalize", &json!({"text": "₹5", "language": "hi"})).await;
    let reported = ask().await.ok();
    assert_eq!(reported["tokens"][0]["class"], Value::from("money"));
    // the number of requests is limited
    while ask().await.status == StatusCode::OK {}
    ask().await.assert_error(ErrorCode::RateLimited);
}
