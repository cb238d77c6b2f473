//! Tests of the deletion of an account by its owner.

use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, EmailAddress};
use shruti_testkit::TestServer;

use super::browser::{ASHA, Browser, Expect, PASSWORD};

#[tokio::test]
async fn deleting_the_own_account_revokes_its_keys_immediately() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let elsewhere = Browser::new(&server);
    elsewhere.sign_in(ASHA, PASSWORD).await.ok();
    let (key, _) = browser.create_key("shop").await;
    let speak = async || server.client().with_key(Some(&key)).post(r#"{"text":"hello"}"#).await;
    assert_eq!(speak().await.status, 200);

    browser.post("delete-account", &json!({})).await.assert_field(ErrorCode::MissingField, "password");
    for typed in ["", "wrong-kettle-9"] {
        let refused = browser.post("delete-account", &json!({"password": typed})).await;
        refused.assert_field(ErrorCode::InvalidField, "password");
    }
    assert_eq!(browser.account().await["email"], ASHA);
    assert_eq!(browser.post("delete-account", &json!({"password": PASSWORD})).await.ok(), json!({}));
    speak().await.assert_error(ErrorCode::InvalidApiKey);
    assert_eq!(browser.cookie(), None);
    elsewhere.assert_signed_out().await;
    browser.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    assert_eq!(server.store.find_account(ASHA.parse().unwrap()).await.unwrap(), None);
    server.idle().await;

    // the address can sign up again, and starts without any earlier data
    let again = Browser::signed_up(&server, ASHA).await;
    assert_eq!(again.account().await["unlocked"], false);
    assert_eq!(again.get("keys").await.ok(), json!({"keys": []}));
}

#[tokio::test]
async fn an_operator_account_cannot_be_deleted() {
    let server = TestServer::start().await;
    let operator = server.store.find_account(EmailAddress::operator()).await.unwrap().unwrap();
    let link = server
        .store
        .create_sign_in_link(operator.id, Actor::Operator, now_ms(&server))
        .await
        .unwrap()
        .unwrap();
    let browser = Browser::new(&server);
    browser.post("link", &json!({"secret": link.secret.reveal()})).await.ok();
    let refused = browser.post("delete-account", &json!({"password": ""})).await;
    refused.assert_field(ErrorCode::InvalidField, "password");
    assert_eq!(browser.account().await["operator"], true);
}

fn now_ms(_: &TestServer) -> i64 {
    shruti_clock::Clock::now(&shruti_clock::SystemClock::new()).wall_ms
}
