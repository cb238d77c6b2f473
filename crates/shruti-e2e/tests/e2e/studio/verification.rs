//! Tests of the verification of email addresses by mail.

use std::time::Duration;

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::Actor;
use shruti_testkit::{Reply, SmtpReaction, SmtpServer, TestServer};

use super::browser::{ASHA, Browser, Expect, PASSWORD, promo};
use super::mails::{secret_in, serving};

const MINUTE: Duration = Duration::from_mins(1);

async fn verify(browser: &Browser, secret: &str) -> Reply {
    browser.post("verify", &json!({"secret": secret})).await
}

/// Requests another verification mail.
async fn send(browser: &Browser) -> Reply {
    browser.post("verification", &json!({})).await
}

/// Returns the verification state of an account, as presented to operators.
async fn reported(server: &TestServer, boss: &Browser, email: &str) -> Value {
    let boss_is_one =
        server.store.set_operator(Actor::Operator, "boss@example.org".parse().unwrap(), true, 1);
    boss_is_one.await.unwrap();
    let found = boss.post("operator/accounts/search", &json!({"part": email, "after": ""})).await.ok();
    found["accounts"][0]["verified"].clone()
}

#[tokio::test]
async fn the_mailed_link_verifies_the_address_of_the_signed_in_account() {
    // the first attempt to send the mail is rejected temporarily
    let mail_server = SmtpServer::start([SmtpReaction::RefuseForNow]).await;
    let (server, _) = serving(&mail_server, |_| ()).await;
    server.store.ensure_operator(1).await.unwrap();
    let holder = Browser::signed_up(&server, ASHA).await;
    assert_eq!(holder.account().await["verified"], false);
    let sent = mail_server.next_mail().await;
    assert_eq!(sent.to, ASHA);
    let boss = Browser::signed_up(&server, "boss@example.org").await;
    let others = secret_in(&mail_server.next_mail().await, "verify");
    assert_eq!(reported(&server, &boss, ASHA).await, false);
    assert_eq!(
        reported(&server, &boss, "operator@localhost").await,
        Value::Null,
        "no mail can be sent to it"
    );

    let secret = secret_in(&sent, "verify");
    let elsewhere = Browser::new(&server);
    elsewhere.post("link", &json!({"secret": secret})).await.assert_error(ErrorCode::InvalidLink);
    for wrong in ["", "x", &secret[..secret.len() - 1], &secret.replace("verify_", "link_")] {
        verify(&elsewhere, wrong).await.assert_error(ErrorCode::InvalidLink);
    }
    // neither the link alone nor a session of another account verifies the address
    let refused = verify(&elsewhere, &secret).await;
    let refused = refused.assert_error(ErrorCode::NotSignedIn);
    assert!(refused["message"].as_str().unwrap().contains("Forgotten password"), "{refused}");
    let refused = verify(&boss, &secret).await;
    let refused = refused.assert_error(ErrorCode::InvalidLink);
    assert!(refused["message"].as_str().unwrap().contains("another account"), "{refused}");
    assert_eq!(holder.account().await["verified"], false);
    assert_eq!(boss.account().await["verified"], false);
    // the link has not been used up: it works in another browser of the owner
    elsewhere.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(verify(&elsewhere, &secret).await.ok(), json!({"email": ASHA}));
    assert_eq!(holder.account().await["verified"], true, "this session continues");
    assert_eq!(reported(&server, &boss, ASHA).await, true);
    assert_eq!(verify(&boss, &others).await.ok(), json!({"email": "boss@example.org"}));
    let used = verify(&elsewhere, &secret).await;
    let used = used.assert_error(ErrorCode::InvalidLink);
    assert!(used["message"].as_str().unwrap().contains("the page Account"), "{used}");
}

#[tokio::test]
async fn registering_a_foreign_address_gives_no_lasting_access() {
    let mail_server = SmtpServer::start([]).await;
    let (server, clock) = serving(&mail_server, |_| ()).await;
    let stranger = Browser::unlocked(&server, ASHA).await;
    let (key, _) = stranger.create_key("of a stranger").await;
    let speak = async || {
        let body = json!({"text": "a"}).to_string();
        server.client().with_key(Some(&key)).post(body).await
    };
    assert_eq!(speak().await.status.as_u16(), 200);
    // the owner of the address confirms the address, and later sets a new password
    let holder = Browser::new(&server);
    let confirm = secret_in(&mail_server.next_mail().await, "verify");
    verify(&holder, &confirm).await.assert_error(ErrorCode::NotSignedIn);
    clock.advance(10 * MINUTE);
    holder.post("forgotten-password", &json!({"email": ASHA})).await.ok();
    let link = secret_in(&mail_server.next_mail().await, "link");
    let signed_in = holder.post("link", &json!({"secret": link})).await.ok();
    assert_eq!(signed_in["verified"], true);
    stranger.assert_signed_out().await;
    speak().await.assert_error(ErrorCode::RevokedApiKey);
    stranger.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    verify(&holder, &confirm).await.ok();
    holder.post("password", &json!({"current": "", "new": "another-kettle-10"})).await.ok();
    stranger.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    let (own, _) = holder.create_key("own").await;
    let own = server.client().with_key(Some(&own)).post(json!({"text": "a"}).to_string()).await;
    assert_eq!(own.status.as_u16(), 200);
}

#[tokio::test]
async fn verification_mails_are_resent_at_limited_intervals() {
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
async fn if_verification_is_required_unverified_accounts_create_no_keys_and_redeem_no_codes() {
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
    assert!(
        refused["message"].as_str().unwrap().contains("request another one on the page Account"),
        "{refused}"
    );
    redeem().await.assert_error(ErrorCode::EmailNotVerified);
    assert_eq!(server.store.list_promos().await.unwrap()[0].used, 0);
    // an allowance that the operator granted can be used
    server.store.unlock_account(Actor::Operator, ASHA.parse().unwrap(), Some(10), 1).await.unwrap();
    holder.post("token", &json!({})).await.ok();
    verify(&holder, &secret).await.ok();
    make().await.ok();
    redeem().await.ok();

    let boss = Browser::signed_up(&server, "boss@example.org").await;
    assert_eq!(reported(&server, &boss, "boss@example.org").await, false);
    boss.create_key("of an operator").await;
}
