//! Tests of several servers on one PostgreSQL database, and of the effects on clients when the database is slow
//! or unavailable.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use shruti_clock::{Clock, SystemClock};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, KeySpec, PostgresAddress, PostgresStore, PromoSpec, Redemption, Store, UsageOf};
use shruti_testkit::{Client, Passage, PooledDatabase, PostgresDatabase, Proxy, TestServer};
use tokio::task::JoinSet;

use crate::long_text;
use crate::metering::{today, usage};
use crate::studio::browser::{ASHA, Browser, PASSWORD};

/// Timeout for expected events.
const PATIENCE: Duration = Duration::from_mins(1);

async fn store_at(url: &str) -> Arc<dyn Store> {
    let address: PostgresAddress = url.parse().unwrap();
    PostgresStore::open(&address).await.unwrap().shared()
}

/// Starts a server of a cluster.
async fn server(url: &str) -> TestServer {
    TestServer::builder().store(store_at(url).await).start().await
}

async fn three(url: &str) -> [TestServer; 3] {
    [server(url).await, server(url).await, server(url).await]
}

/// Generates two tests from each function: one with a direct connection to the database, and one through `PgBouncer`.
macro_rules! directly_and_pooled {
    ($($test:ident),+ $(,)?) => {
        mod direct {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                let Some(database) = super::PostgresDatabase::create().await else { return };
                super::$test(&database.url()).await;
            })+
        }

        mod pooled {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                let Some(database) = super::PooledDatabase::create().await else { return };
                super::$test(&database.url()).await;
            })+
        }
    };
}

directly_and_pooled!(
    of_fifty_at_three_servers_one_has_the_last_use_of_a_promo_code,
    an_allowance_that_three_servers_spend_is_spent_to_the_last_character_and_no_further,
    a_revocation_at_one_server_holds_at_all,
);

fn now_ms() -> i64 {
    SystemClock::new().now().wall_ms
}

/// Polls until a condition is true. Panics with `what` after the timeout.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let check = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, check).await.expect(what);
}

async fn of_fifty_at_three_servers_one_has_the_last_use_of_a_promo_code(url: &str) {
    let servers = three(url).await;
    let spec = PromoSpec { chars: 1_000, uses: 1, expires_ms: None };
    let code = servers[0].store.create_promo(Actor::Operator, spec, now_ms()).await.unwrap().code.to_string();
    let mut redemptions = JoinSet::new();
    for i in 0..50 {
        let email: shruti_store::EmailAddress = format!("a{i}@example.org").parse().unwrap();
        let (store, code) = (Arc::clone(&servers[i % 3].store), code.clone());
        store.invite_account(Actor::Operator, email.clone(), now_ms()).await.unwrap();
        let account = store.find_account(email).await.unwrap().unwrap();
        redemptions.spawn(async move { store.redeem_promo(account.id, code, now_ms()).await.unwrap() });
    }
    let redeemed = redemptions.join_all().await;
    let won = redeemed.iter().filter(|redeemed| matches!(redeemed, Redemption::Redeemed { .. })).count();
    assert_eq!(won, 1, "{redeemed:?}");
}

async fn an_allowance_that_three_servers_spend_is_spent_to_the_last_character_and_no_further(url: &str) {
    const CHARS: u64 = 9_000;
    let servers = three(url).await;
    let account = servers[0].create_account(ASHA, CHARS).await;
    let key = servers[0].create_key_of(&account, KeySpec::named("a")).await;
    let mut speakers = JoinSet::new();
    for i in 0..12 {
        let client = servers[i % 3].client().with_key(Some(key.secret.reveal()));
        let body = json!({"text": long_text(97)}).to_string();
        speakers.spawn(async move {
            let mut spoken = 0;
            loop {
                let reply = client.post(body.clone()).await;
                match reply.status {
                    StatusCode::OK => spoken += 97,
                    _ => break drop(reply.assert_error(ErrorCode::QuotaExhausted)),
                }
            }
            spoken
        });
    }
    let spoken: u64 = speakers.join_all().await.into_iter().sum();
    assert!(spoken <= CHARS, "{spoken}");
    for server in servers {
        server.stop().await;
    }
    let store = store_at(url).await;
    let allowance = store.allowance(account.id.clone(), now_ms()).await.unwrap().unwrap();
    assert_eq!((allowance.used, allowance.lent), (spoken, 0));
    let reported = store.usage_by_day(UsageOf::Account(account.id), today(), today()).await.unwrap();
    assert_eq!(reported.iter().map(|row| row.amount.chars).sum::<u64>(), spoken);
}

async fn a_revocation_at_one_server_holds_at_all(url: &str) {
    let servers = three(url).await;
    let key = servers[0].create_key(KeySpec::named("a")).await;
    let clients = servers.each_ref().map(|server| server.client().with_key(Some(key.secret.reveal())));
    for client in &clients {
        client.speak(&json!({"text": "hello"})).await;
    }
    servers[0].store.revoke_key(Actor::Operator, key.record.prefix, now_ms()).await.unwrap();
    for client in &clients {
        until("the key is not refused", async || {
            let reply = client.post(r#"{"text":"hello"}"#).await;
            reply.status != StatusCode::OK && !reply.assert_error(ErrorCode::RevokedApiKey).is_null()
        })
        .await;
    }
}

/// A server whose database is behind a proxy, with one client whose key the server knows, and one whose key
/// the server has never seen.
struct ServerBehindProxy {
    server: TestServer,
    database: PostgresDatabase,
    proxy: Proxy,
    known: Client,
    unknown: Client,
}

impl ServerBehindProxy {
    async fn new(chars: u64, patience: Duration) -> Option<Self> {
        let database = PostgresDatabase::create().await?;
        let proxy = Proxy::before(database.address()).await;
        let store = store_at(&database.url_at(proxy.address())).await;
        let server =
            TestServer::builder().store(store).config(|config| config.timeouts.draw = patience).start().await;
        Browser::signed_up(&server, ASHA).await;
        let account = server
            .store
            .unlock_account(Actor::Operator, ASHA.parse().unwrap(), Some(chars), now_ms())
            .await
            .unwrap();
        let shruti_store::AccountChange::Changed(account) = account else { panic!("{account:?}") };
        let client = async |name| {
            let key = server.create_key_of(&account, KeySpec::named(name)).await;
            server.client().with_key(Some(key.secret.reveal()))
        };
        let (known, unknown) = (client("known").await, client("unknown").await);
        // this request makes the server load the key from the store
        assert!(usage(&known).await.days.is_empty());
        Some(Self { server, database, proxy, known, unknown })
    }

    /// Returns two numbers of characters from the database: those counted as usage, and those deducted from
    /// the allowance.
    async fn books(&self) -> (u64, u64) {
        let store = store_at(&self.database.url()).await;
        let account = store.find_account(ASHA.parse().unwrap()).await.unwrap().unwrap();
        let allowance = store.allowance(account.id.clone(), now_ms()).await.unwrap().unwrap();
        let reported = store.usage_by_day(UsageOf::Account(account.id), today(), today()).await.unwrap();
        (reported.iter().map(|row| row.amount.chars).sum(), allowance.used)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_work_during_a_database_outage_and_usage_is_correct_afterwards() {
    let Some(setup) = ServerBehindProxy::new(3_000, PATIENCE).await else { return };
    let speak = async |client: &Client| client.post(json!({"text": long_text(500)}).to_string()).await;
    speak(&setup.known).await.audio();
    setup.proxy.set(Passage::Closed);
    for _ in 0..8 {
        speak(&setup.known).await.audio();
    }
    let refused = speak(&setup.unknown).await.assert_error(ErrorCode::Overloaded);
    assert!(refused["retry_after_ms"].as_u64() >= Some(1), "{refused}");
    let browser = Browser::new(&setup.server);
    browser.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::Overloaded);
    until("the server still considers the database available", async || {
        // the server stays ready without the store, because the other servers use the same store and are equally
        // affected
        setup.server.client().get("/readyz").await.status == StatusCode::OK
    })
    .await;
    setup.proxy.set(Passage::Open);
    until("usage is not written", async || setup.books().await == (4_500, 4_500)).await;
    // the allowance of the month is exceeded, so further requests are rejected
    until("the key still works", async || {
        let reply = speak(&setup.known).await;
        reply.status != StatusCode::OK && !reply.assert_error(ErrorCode::QuotaExhausted).is_null()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_audio_does_not_wait_for_an_unresponsive_database() {
    let Some(setup) = ServerBehindProxy::new(100_000, Duration::ZERO).await else { return };
    setup.proxy.set(Passage::Silent);
    // the server has no leased allowance and cannot get one, so these clips are spoken on credit
    for _ in 0..10 {
        setup.known.speak(&json!({"text": long_text(500)})).await;
    }
    setup.proxy.set(Passage::Open);
    until("usage is not written", async || setup.books().await == (5_000, 5_000)).await;
}
