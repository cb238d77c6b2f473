//! Tests of redeeming promo codes.

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, NamedPromo, PromoSpec};
use shruti_testkit::TestServer;

use super::browser::{ASHA, Browser, Expect, promo};

#[tokio::test]
async fn a_code_unlocks_and_further_codes_add_allowance() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let code = promo(&server, 1_000).await;
    let account = browser.post("promo", &json!({"code": format!(" {} ", code.to_lowercase())})).await.ok();
    assert_eq!((&account["unlocked"], &account["chars_per_month"]), (&json!(true), &json!(1_000)));
    assert_eq!(browser.account().await, account);
    let again = browser.post("promo", &json!({"code": code.replace('-', "")})).await;
    again.assert_field(ErrorCode::AlreadyRedeemed, "code");
    let more = promo(&server, 500).await;
    assert_eq!(browser.post("promo", &json!({"code": more})).await.ok()["chars_per_month"], 1_500);
}

#[tokio::test]
async fn an_invalid_code_gets_the_reason() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let code = promo(&server, 1_000).await;
    for email in ["b@example.org", "c@example.org"] {
        let other = Browser::signed_up(&server, email).await;
        other.post("promo", &json!({"code": code})).await.ok();
    }
    let redeem = async |code: &str| browser.post("promo", &json!({"code": code})).await;
    redeem(&code).await.assert_field(ErrorCode::PromoExhausted, "code");
    let spec = PromoSpec { chars: 1, uses: 1, expires_ms: Some(2) };
    let expired = server.store.create_promo(Actor::Operator, spec, 1).await.unwrap().code;
    redeem(&expired.to_string()).await.assert_field(ErrorCode::PromoExpired, "code");
    let ended = promo(&server, 1_000).await;
    server.store.disable_promo(Actor::Operator, NamedPromo::parse(&ended).unwrap(), 1).await.unwrap();
    redeem(&ended).await.assert_field(ErrorCode::PromoExpired, "code");
    assert_eq!(browser.account().await["unlocked"], false);
}

#[tokio::test]
async fn code_attempts_are_limited_to_five() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    let good = promo(&server, 1_000).await;
    for body in [json!({}), json!({"code": null}), json!({"code": ["x"]})] {
        assert_eq!(browser.post("promo", &body).await.json()["error"]["param"], "code");
    }
    for code in ["", "x", "0000-0000-0000-0000", "१२३४-५६७८", &"-".repeat(50_000)] {
        let reply = browser.post("promo", &json!({"code": code})).await;
        reply.assert_field(ErrorCode::NotFound, "code");
    }
    let refused = browser.post("promo", &json!({"code": good})).await;
    refused.assert_field(ErrorCode::RateLimited, "code");
    let wait_ms = refused.json()["error"]["retry_after_ms"].as_u64().unwrap();
    assert!((3_000_000..=3_600_000).contains(&wait_ms), "{wait_ms}");
    assert_eq!(browser.account().await["unlocked"], Value::Bool(false));
}
