//! Tests of the lifetime of sessions and of their cookie.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, header};
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_testkit::{TestClock, TestServer};

use super::browser::{ASHA, Browser, COOKIE, Expect, PASSWORD};

const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn sign_out_ends_one_session_or_all() {
    let server = TestServer::start().await;
    let browsers = [
        Browser::signed_up(&server, ASHA).await,
        Browser::new(&server),
        Browser::new(&server),
        Browser::signed_up(&server, "other@example.org").await,
    ];
    for browser in &browsers[1..3] {
        browser.sign_in(ASHA, PASSWORD).await.ok();
    }
    let secret = browsers[0].cookie();
    for body in [json!({}), json!({"everywhere": 1})] {
        assert_eq!(browsers[0].post("sign-out", &body).await.json()["error"]["param"], "everywhere");
    }
    assert_eq!(browsers[0].post("sign-out", &json!({"everywhere": false})).await.ok(), json!({}));
    assert_eq!(browsers[0].cookie(), None);
    browsers[0].set_cookie(secret);
    browsers[0].assert_signed_out().await;
    let again = browsers[0].post("sign-out", &json!({"everywhere": false})).await;
    again.assert_error(ErrorCode::NotSignedIn);
    assert_eq!(browsers[1].account().await["email"], ASHA);
    browsers[1].post("sign-out", &json!({"everywhere": true})).await.ok();
    browsers[2].assert_signed_out().await;
    assert_eq!(browsers[3].account().await["email"], "other@example.org");
}

#[tokio::test]
async fn a_session_ends_after_seven_idle_days_and_after_thirty() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let (used, idle) = (Browser::signed_up(&server, ASHA).await, Browser::new(&server));
    idle.sign_in(ASHA, PASSWORD).await.ok();
    for day in 1..30 {
        clock.advance(DAY);
        assert_eq!(used.account().await["email"], ASHA, "day {day}");
        if day == 7 {
            idle.assert_signed_out().await;
        }
    }
    clock.advance(DAY);
    used.assert_signed_out().await;
}

#[tokio::test]
async fn a_new_session_has_a_new_secret_and_ends_the_previous_one() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let attacker = Browser::signed_up(&server, "attacker@example.org").await;
    // an attacker has planted a session in a browser whose user then signs in
    let planted = attacker.cookie();
    browser.set_cookie(planted.clone());
    browser.sign_in(ASHA, PASSWORD).await.ok();
    assert_ne!(browser.cookie(), planted);
    assert_eq!(browser.account().await["email"], ASHA);
    attacker.assert_signed_out().await;

    // a secret that the server never issued is replaced at the next sign-in
    let made_up = format!("ses_{}", "a".repeat(44));
    browser.set_cookie(Some(made_up.clone()));
    browser.assert_signed_out().await;
    browser.sign_in(ASHA, PASSWORD).await.ok();
    assert_ne!(browser.cookie(), Some(made_up));

    // a failed sign-in does not end a session
    let before = browser.cookie();
    browser.sign_in(ASHA, "wrong-kettle-9").await.assert_error(ErrorCode::WrongCredentials);
    assert_eq!(browser.cookie(), before);
    assert_eq!(browser.account().await["email"], ASHA);
}

#[tokio::test]
async fn two_session_cookies_are_rejected_and_keys_are_not_sessions() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let (own, key) = (browser.cookie().unwrap(), server.key.clone());
    let other = Browser::signed_up(&server, "other@example.org").await.cookie().unwrap();
    for (cookie, is_in) in [
        (format!("{COOKIE}={own}"), true),
        (format!("a=b; {COOKIE}={own}; theme=dark"), true),
        (format!("{COOKIE}={own}; {COOKIE}={other}"), false),
        (format!("{COOKIE}={other}; {COOKIE}={own}"), false),
        (format!("shruti_studio={own}"), false),
        (format!("{COOKIE}={key}"), false),
        (format!("{COOKIE}={own}' OR '1'='1"), false),
    ] {
        let mut request = browser.request(&Method::GET, "account", "");
        request.headers_mut().insert(header::COOKIE, cookie.parse().unwrap());
        assert_eq!(browser.send(request).await.ok() != Value::Null, is_in, "{cookie}");
    }
    let with_key = server.client().get("/studio/api/keys").await;
    with_key.assert_error(ErrorCode::NotSignedIn);
    // a session secret is not an API key
    let speaks = server.client().with_key(Some(&own)).post(r#"{"text":"hello"}"#).await;
    speaks.assert_error(ErrorCode::InvalidApiKey);
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one() {
    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let server = TestServer::start().await;
    let here = Browser::signed_up(&server, ASHA).await;
    let there = Browser::new(&server);
    let body = json!({"email": ASHA, "password": PASSWORD}).to_string();
    let mut request = there.request(&Method::POST, "sign-in", &body);
    request.headers_mut().insert(header::USER_AGENT, FIREFOX.parse().unwrap());
    there.send(request).await.ok();
    let stranger = Browser::signed_up(&server, "other@example.org").await;

    let listed = here.get("sessions").await.ok()["sessions"].clone();
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let of = |own: bool| listed.iter().find(|session| session["own"] == own).unwrap();
    assert_eq!(of(false)["browser"], "Firefox on Linux");
    assert_eq!((&of(true)["browser"], &of(true)["came_by_link"]), (&Value::Null, &json!(false)));
    assert!(of(true)["created_ms"].as_i64().unwrap() > 0);
    let secret = there.cookie().unwrap();
    assert!(!format!("{listed:?}").contains(&secret[4..]), "the session secret is not revealed");
    let ending = |session: &Value| format!("sessions/{}", session["id"].as_str().unwrap());
    let other = ending(of(false));

    // an ID cannot be used to sign in, and other accounts cannot use it
    stranger.delete(&other).await.assert_error(ErrorCode::NotFound);
    for unknown in
        ["sessions/x", &format!("sessions/{}", "0".repeat(64)), &other.to_uppercase(), &format!("{other}0")]
    {
        here.delete(&unknown.replace("SESSIONS", "sessions")).await.assert_error(ErrorCode::NotFound);
    }
    assert_eq!(there.account().await["email"], ASHA);
    assert_eq!(here.delete(&other).await.ok(), json!({}));
    there.assert_signed_out().await;
    here.delete(&other).await.assert_error(ErrorCode::NotFound);
    assert_eq!(here.get("sessions").await.ok()["sessions"].as_array().unwrap().len(), 1);
    // the current session can also be ended by its ID
    here.delete(&ending(of(true))).await.ok();
    here.assert_signed_out().await;
    here.get("sessions").await.assert_error(ErrorCode::NotSignedIn);
}
