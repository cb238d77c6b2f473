//! Test of moving the store from SQLite to PostgreSQL. The move does not affect clients.

use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{KeySpec, PostgresStore, SqliteStore, StorePlace, copy};
use shruti_testkit::{PostgresDatabase, TestServer};

use crate::metering::usage;
use crate::studio::browser::{ASHA, Browser, Expect, PASSWORD, promo};

#[tokio::test(flavor = "multi_thread")]
async fn keys_passwords_codes_and_allowances_are_unchanged_on_postgresql() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let (folder, back) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqliteStore::open(folder.path()).unwrap().shared();
    let server = TestServer::builder().store(store).start().await;
    let code = promo(&server, 1_000).await;
    let browser = Browser::signed_up(&server, ASHA).await;
    browser.post("promo", &json!({"code": code})).await.ok();
    let account = server.store.find_account(ASHA.parse().unwrap()).await.unwrap().unwrap();
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let key = key.secret.reveal();
    let client = server.client().with_key(Some(key));
    let sound = client.speak(&json!({"text": "hello there"})).await;
    let reported = usage(&client).await;
    let codes = server.store.list_promos().await.unwrap();
    let session = browser.cookie();
    server.stop().await;

    let (from, to) = (
        StorePlace::Folder(folder.path().to_owned()),
        StorePlace::Database(Box::new(database.url().parse().unwrap())),
    );
    let there = copy(&from, &to).await.unwrap();
    let moved = PostgresStore::open(&database.url().parse().unwrap()).await.unwrap().shared();
    let home = StorePlace::Folder(back.path().join("data"));
    let home_again = copy(&to, &home).await.unwrap();
    for (there, back) in there.iter().zip(&home_again) {
        assert_eq!((there.table, there.source, there.target), (back.table, back.source, back.target));
    }

    let server = TestServer::builder().store(moved).start().await;
    let client = server.client().with_key(Some(key));
    let before = usage(&client).await;
    assert_eq!(
        (before.total, before.days, before.allowance),
        (reported.total, reported.days, reported.allowance)
    );
    assert_eq!(server.store.list_promos().await.unwrap(), codes);
    assert_eq!(client.speak(&json!({"text": "hello there"})).await, sound);
    assert_eq!(usage(&client).await.total.chars, 2 * reported.total.chars);

    // sessions and passwords still work
    let browser = Browser::new(&server);
    browser.set_cookie(session);
    assert_eq!(browser.account().await["email"], ASHA);
    let another = Browser::new(&server);
    another.sign_in(ASHA, "wrong-kettle-9").await.assert_error(ErrorCode::WrongCredentials);
    another.sign_in(ASHA, PASSWORD).await.ok();
    // one of two redemptions is left
    let ravi = Browser::signed_up(&server, "ravi@example.org").await;
    ravi.post("promo", &json!({"code": code})).await.ok();
    let maya = Browser::signed_up(&server, "maya@example.org").await;
    maya.post("promo", &json!({"code": code})).await.assert_error(ErrorCode::PromoExhausted);
}
