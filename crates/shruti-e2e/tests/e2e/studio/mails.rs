//! Tests of mail: links for forgotten passwords, and warnings about allowances.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_clock::Clock;
use shruti_mail::{Mailer, RetryPlan, Sender};
use shruti_protocol::ErrorCode;
use shruti_service::MailConfig;
use shruti_store::Actor;
use shruti_testkit::{ReceivedMail, SmtpReaction, SmtpServer, TestClock, TestServer};

use super::browser::{ASHA, Browser, Expect, PASSWORD};

const SITE: &str = "https://tts.example.org";

fn config(mail_server: &SmtpServer, pauses: Vec<Duration>) -> MailConfig {
    let server = mail_server.url().parse().unwrap();
    let sender = Sender { server, password: None, from: "shruti@example.org".to_owned() };
    let mailer = Mailer::new(&sender, RetryPlan { attempt: Duration::from_secs(20), pauses }).unwrap();
    MailConfig { mailer, public_url: SITE.parse().unwrap(), require_verified: false }
}

/// Starts a server that sends its mail through `mail_server`. `change` adjusts its mail configuration. Returns the
/// server and its clock.
pub(super) async fn serving(
    mail_server: &SmtpServer,
    change: impl FnOnce(&mut MailConfig),
) -> (TestServer, Arc<TestClock>) {
    let mut mail = config(mail_server, vec![Duration::ZERO; 2]);
    change(&mut mail);
    // the clock starts at the start of a month, because allowances are monthly and some tests advance the
    // clock by many minutes
    let clock = Arc::new(TestClock::starting_at(FIRST_OF_A_MONTH));
    let builder = TestServer::builder().clock(Arc::clone(&clock) as _);
    (builder.config(|config| config.mail = Some(mail)).start().await, clock)
}

/// Midnight of 1 January 2026, UTC, the start of a month.
const FIRST_OF_A_MONTH: i64 = 1_767_225_600_000;

/// Returns the secret in the link to the Studio page `page`. Panics if the mail contains no such link.
pub(super) fn secret_in(mail: &ReceivedMail, page: &str) -> String {
    let beginning = format!("{SITE}/studio/{page}#");
    let secret = mail.text.lines().find_map(|line| line.strip_prefix(&beginning));
    secret.unwrap_or_else(|| panic!("no link to {page}: {}", mail.text)).to_owned()
}

async fn forgotten(browser: &Browser, email: &str) {
    let answer = browser.post("forgotten-password", &json!({"email": email})).await;
    assert_eq!(answer.ok(), json!({}), "{email}");
}

#[tokio::test]
async fn a_password_reset_sends_a_link_and_does_not_reveal_accounts() {
    let mail_server = SmtpServer::start([]).await;
    let (server, _) = serving(&mail_server, |_| ()).await;
    let holder = Browser::signed_up(&server, ASHA).await;
    secret_in(&mail_server.next_mail().await, "verify");
    let visitor = Browser::new(&server);
    assert_eq!(visitor.get("setup").await.ok()["sends_mail"], true);
    for email in ["nobody@example.org", "operator@localhost", ASHA, ASHA] {
        forgotten(&visitor, email).await;
    }
    let sent = mail_server.next_mail().await;
    assert_eq!(sent.to, ASHA);
    let secret = secret_in(&sent, "link");
    // the password and the sessions stay valid until the link is used
    assert_eq!(holder.account().await["email"], ASHA);
    assert_eq!(holder.account().await["verified"], false);
    visitor.post("link", &json!({"secret": secret})).await.ok();
    assert_eq!(visitor.account().await["verified"], true, "the link was in a mail");
    visitor.post("password", &json!({"current": "", "new": "another-kettle-10"})).await.ok();
    holder.assert_signed_out().await;
    holder.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    visitor.post("link", &json!({"secret": secret})).await.assert_error(ErrorCode::InvalidLink);
    let elsewhere = Browser::new(&server);
    elsewhere
        .post("forgotten-password", &json!({"email": "nobody"}))
        .await
        .assert_field(ErrorCode::InvalidField, "email");
    assert!(!mail_server.has_mail().await, "one link");
}

#[tokio::test]
async fn a_slow_mail_server_delays_no_response_and_failures_are_counted() {
    let mail_server = SmtpServer::start([SmtpReaction::Wait, SmtpReaction::Wait, SmtpReaction::Bounce]).await;
    let (server, _) = serving(&mail_server, |_| ()).await;
    let browser = Browser::signed_up(&server, ASHA).await;
    forgotten(&browser, ASHA).await;
    for _ in 0..2 {
        assert_eq!(mail_server.next_connection().await, SmtpReaction::Wait);
    }
    assert_eq!(browser.account().await["email"], ASHA, "while both mails wait");
    for _ in 0..2 {
        mail_server.continue_waiting();
        mail_server.next_mail().await;
    }
    let other = Browser::signed_up(&server, "ravi@example.org").await;
    assert_eq!(mail_server.next_connection().await, SmtpReaction::Bounce);
    assert_eq!(other.account().await["verified"], false);
    let reported = async || String::from_utf8(server.client().get("/metrics").await.body.to_vec()).unwrap();
    let counted = async {
        while !reported().await.contains("shruti_mails_refused_total 1") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), counted).await.expect("the bounce is counted");
    assert!(reported().await.contains("shruti_mails_sent_total 2"));
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_sent() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    assert_eq!(browser.get("setup").await.ok()["sends_mail"], false);
    assert_eq!(browser.account().await["verified"], Value::Null);
    browser.post("verification", &json!({})).await.assert_error(ErrorCode::NotFound);
    browser.post("forgotten-password", &json!({"email": ASHA})).await.assert_error(ErrorCode::NotFound);
}

#[tokio::test]
async fn an_account_is_warned_when_its_allowance_is_nearly_used() {
    let mail_server = SmtpServer::start([]).await;
    let (server, clock) = serving(&mail_server, |_| ()).await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let secret = secret_in(&mail_server.next_mail().await, "verify");
    browser.post("verify", &json!({"secret": secret})).await.ok();
    server.store.unlock_account(Actor::Operator, ASHA.parse().unwrap(), Some(10), 1).await.unwrap();
    let (key, _) = browser.create_key("shop").await;
    let speak = async |text: &str| {
        let body = json!({"text": text}).to_string();
        server.client().with_key(Some(&key)).post(body).await.status.as_u16()
    };
    assert_eq!(speak("A hen ran").await, 200);
    server.idle().await;
    let next = async || {
        let look = async {
            loop {
                clock.advance(Duration::from_mins(1));
                // wait until the server has checked the allowances and waits for the next check
                let next = clock.now().monotonic + Duration::from_mins(1);
                clock.wait_for_waiter(|at| at == next).await;
            }
        };
        tokio::select! {
            mail = mail_server.next_mail() => mail,
            () = look => unreachable!("the loop never ends"),
        }
    };
    let warned = next().await;
    assert_eq!(warned.to, ASHA);
    assert!(warned.text.contains("has used 9 of 10 characters"), "{}", warned.text);
    assert_eq!(speak("a").await, 200);
    server.idle().await;
    let spent = next().await;
    assert!(spent.text.contains("has used 10 of 10 characters"), "{}", spent.text);
    assert!(spent.text.contains("Requests for speech are refused until then"), "{}", spent.text);
}

#[tokio::test]
async fn a_shutdown_delivers_waiting_mails() {
    let mail_server = SmtpServer::start([SmtpReaction::RefuseForNow]).await;
    // the mail is rejected temporarily, and the next attempt would follow in an hour
    let later = config(&mail_server, vec![Duration::from_hours(1); 2]);
    let mailer = later.mailer.clone();
    let (server, _) = serving(&mail_server, |mail| *mail = later).await;
    Browser::signed_up(&server, ASHA).await;
    let refused = async {
        while mailer.counts().retried == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), refused).await.expect("the refusal is counted");
    server.stop().await;
    assert_eq!(mail_server.next_mail().await.to, ASHA);
    assert_eq!((mailer.counts().sent, mailer.counts().dropped), (1, 0));
}
