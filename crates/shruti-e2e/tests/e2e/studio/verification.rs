//! Addresses of accounts, and the mails by which they are verified.

use std::time::Duration;

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::Actor;
use shruti_testkit::{Manner, Reply, SmtpServer, TestServer};

use super::browser::{ASHA, Browser, Expect, promo};
use super::mails::{secret_in, serving};

const MINUTE: Duration = Duration::from_mins(1);

async fn verify(browser: &Browser, secret: &str) -> Reply {
    browser.post("verify", &json!({"secret": secret})).await
}

/// Has a mail sent again.
async fn send(browser: &Browser) -> Reply {
    browser.post("verification", &json!({})).await
}

/// What operators are told of the address of an account.
async fn told(server: &TestServer, boss: &Browser, email: &str) -> Value {
    let boss_is_one =
        server.store.set_operator(Actor::Operator, "boss@example.org".parse().unwrap(), true, 1);
    boss_is_one.await.unwrap();
    let found = boss.post("operator/accounts/search", &json!({"part": email, "after": ""})).await.ok();
    found["accounts"][0]["verified"].clone()
}

#[tokio::test]
async fn an_address_is_verified_by_the_link_in_the_mail_in_any_browser() {
    // refused for now at first
    let mail_server = SmtpServer::start([Manner::RefuseForNow]).await;
    let (server, _) = serving(&mail_server, |_| ()).await;
    server.store.ensure_operator(1).await.unwrap();
    let holder = Browser::signed_up(&server, ASHA).await;
    assert_eq!(holder.account().await["verified"], false);
    let sent = mail_server.next_mail().await;
    assert_eq!(sent.to, ASHA);
    let boss = Browser::signed_up(&server, "boss@example.org").await;
    let others = secret_in(&mail_server.next_mail().await, "verify");
    assert_eq!(told(&server, &boss, ASHA).await, false);
    assert_eq!(told(&server, &boss, "operator@localhost").await, Value::Null, "no mail reaches it");

    let secret = secret_in(&sent, "verify");
    let elsewhere = Browser::new(&server);
    elsewhere.post("link", &json!({"secret": secret})).await.assert_error(ErrorCode::InvalidLink);
    for wrong in ["", "x", &secret[..secret.len() - 1], &secret.replace("verify_", "link_")] {
        verify(&elsewhere, wrong).await.assert_error(ErrorCode::InvalidLink);
    }
    // whoever is signed in, it is the address that the mail went to
    assert_eq!(verify(&boss, &secret).await.ok(), json!({"email": ASHA}));
    assert_eq!(boss.account().await["verified"], false);
    assert_eq!(holder.account().await["verified"], true);
    assert_eq!(told(&server, &boss, ASHA).await, true);
    assert_eq!(verify(&elsewhere, &others).await.ok(), json!({"email": "boss@example.org"}));
    elsewhere.assert_signed_out().await;
    let used = verify(&elsewhere, &secret).await;
    let used = used.assert_error(ErrorCode::InvalidLink);
    assert!(used["message"].as_str().unwrap().contains("the page Account"), "{used}");
}

#[tokio::test]
async fn another_mail_is_sent_now_and_then_until_the_address_is_verified() {
    let mail_server = SmtpServer::start([]).await;
    let (server, clock) = serving(&mail_server, |_| ()).await;
    let holder = Browser::signed_up(&server, ASHA).await;
    let first = secret_in(&mail_server.next_mail().await, "verify");
    clock.advance(9 * MINUTE);
    let early = send(&holder).await;
    assert_eq!(early.assert_error(ErrorCode::RateLimited)["retry_after_ms"], 60_000);
    clock.advance(MINUTE);
    send(&holder).await.ok();
    let second = secret_in(&mail_server.next_mail().await, "verify");
    verify(&holder, &first).await.assert_error(ErrorCode::InvalidLink);
    clock.advance(24 * 60 * MINUTE);
    verify(&holder, &second).await.assert_error(ErrorCode::InvalidLink);
    send(&holder).await.ok();
    let third = secret_in(&mail_server.next_mail().await, "verify");
    verify(&holder, &third).await.ok();
    clock.advance(60 * MINUTE);
    send(&holder).await.ok();
    assert_eq!(holder.account().await["verified"], true);
    assert!(!mail_server.has_mail().await, "there is nothing to be confirmed");
}

#[tokio::test]
async fn where_it_is_required_an_unverified_account_makes_no_keys_and_redeems_no_codes() {
    let mail_server = SmtpServer::start([]).await;
    let (server, _) = serving(&mail_server, |mail| mail.require_verified = true).await;
    let holder = Browser::signed_up(&server, ASHA).await;
    let secret = secret_in(&mail_server.next_mail().await, "verify");
    assert_eq!(holder.get("setup").await.ok()["requires_verified"], true);
    let code = promo(&server, 500).await;
    let redeem = async || holder.post("promo", &json!({"code": code})).await;
    let make = async || holder.post("keys", &json!({"name": "a", "scopes": ["tts"]})).await;
    let refused = make().await;
    let refused = refused.assert_error(ErrorCode::EmailNotVerified);
    assert!(refused["message"].as_str().unwrap().contains("another sent from the page Account"), "{refused}");
    redeem().await.assert_error(ErrorCode::EmailNotVerified);
    assert_eq!(server.store.list_promos().await.unwrap()[0].used, 0);
    // what it was given, it has
    server.store.unlock_account(Actor::Operator, ASHA.parse().unwrap(), Some(10), 1).await.unwrap();
    holder.post("token", &json!({})).await.ok();
    verify(&holder, &secret).await.ok();
    make().await.ok();
    redeem().await.ok();

    let boss = Browser::signed_up(&server, "boss@example.org").await;
    assert_eq!(told(&server, &boss, "boss@example.org").await, false);
    boss.create_key("of an operator").await;
}
