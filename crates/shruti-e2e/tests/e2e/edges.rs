//! Test of a thousand keys at their limits: the audio that clients received equals the counted and charged usage, to
//! the character and the millisecond.
//!
//! `SHRUTI_EDGE_REQUESTS=50000 cargo test --release -p shruti-e2e --test e2e edges` makes more requests than CI does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use http::StatusCode;
use serde_json::json;
use shruti_clock::{Clock, SystemClock};
use shruti_protocol::ErrorCode;
use shruti_store::{Account, CreatedKey, KeyLimits, KeySpec, Store, Usage, UsageOf};
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{Client, TestServer};
use tokio::task::JoinSet;

use crate::long_text;
use crate::metering::today;
use crate::stream::ws_client::{Received, SeededRng, WsClient, sound_ms};

const ACCOUNTS: usize = 50;
const KEYS_OF_ACCOUNT: usize = 8;
const CAPPED: usize = 300;
const SLOW: usize = 200;
const NARROW: usize = 100;
/// Stream limit of keys that have one.
const STREAMS: usize = 2;
/// Number of concurrent clients.
const CLIENTS: usize = 64;
/// Mean length of a request, in characters.
const MEAN: u64 = 26;

/// Usage that clients received with one key, and the number of rejections.
#[derive(Clone, Copy, Debug, Default)]
struct ReceivedUsage {
    usage: Usage,
    taken: u64,
    unpaid: u64,
    too_often: u64,
}

/// A key and the usage that clients received with it.
struct KeyUnderTest {
    key: CreatedKey,
    received: Mutex<ReceivedUsage>,
}

impl KeyUnderTest {
    fn new(key: CreatedKey) -> Self {
        Self { key, received: Mutex::default() }
    }

    fn received(&self) -> ReceivedUsage {
        *self.received.lock().unwrap()
    }

    fn note(&self, change: impl FnOnce(&mut ReceivedUsage)) {
        change(&mut self.received.lock().unwrap());
    }
}

/// Returns the allowance of an account: about half of the characters that will be requested.
fn allowance(of_each: usize, account: usize) -> u64 {
    MEAN * (of_each * KEYS_OF_ACCOUNT) as u64 / 2 + account as u64
}

/// Returns the monthly cap of a key: about half of the characters that will be requested.
fn cap(of_each: usize, key: usize) -> u64 {
    MEAN * of_each as u64 / 2 + key as u64 % 7
}

/// Returns the burst of a key with a rate limit: half of its requests.
fn burst(of_each: usize) -> u32 {
    (of_each as u32 / 2).max(1)
}

fn add(sum: &mut Usage, more: Usage) {
    sum.chars += more.chars;
    sum.requests += more.requests;
    sum.audio_ms += more.audio_ms;
}

/// Returns a text of `chars` characters without leading or trailing whitespace.
fn text(chars: usize) -> String {
    if chars < 2 { "क".repeat(chars) } else { long_text(chars) }
}

/// Requests a clip.
async fn clip(client: &Client, of: &KeyUnderTest, chars: usize) {
    let reply = client.post(json!({"text": text(chars), "voice": "Arjun"}).to_string()).await;
    of.note(|received| match reply.status {
        StatusCode::OK => {
            received.taken += 1;
            received.usage.requests += 1;
            received.usage.chars += chars as u64;
            received.usage.audio_ms += sound_ms(reply.body.len());
        }
        StatusCode::PAYMENT_REQUIRED => {
            (received.unpaid, received.taken) = (received.unpaid + 1, received.taken + 1);
        }
        StatusCode::TOO_MANY_REQUESTS => received.too_often += 1,
        other => panic!("{other}: {:?}", reply.json()),
    });
}

/// Runs a conversation of several turns, one of them cancelled, until it ends or the allowance is spent.
async fn converse(server: &TestServer, of: &KeyUnderTest, rng: &mut SeededRng) {
    let mut ws = match WsClient::try_open(server, of.key.secret.reveal()).await {
        Ok(ws) => ws,
        Err(StatusCode::PAYMENT_REQUIRED) => {
            return of.note(|received| {
                (received.unpaid, received.taken) = (received.unpaid + 1, received.taken + 1);
            });
        }
        Err(StatusCode::TOO_MANY_REQUESTS) => return of.note(|received| received.too_often += 1),
        Err(other) => panic!("{other}"),
    };
    of.note(|received| received.taken += 1);
    let turns = 1 + rng.below(3);
    let cut_off = rng.below(4);
    let mut spoken = Usage::default();
    for turn in 0..turns {
        let text = text(1 + rng.below(50));
        let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        let id = turn.to_string();
        let mut messages = vec![
            json!({"text": text[..half], "turn_id": id, "max_lead_ms": 0}),
            json!({"text": text[half..], "turn_id": id, "final": true}),
        ];
        if turn == cut_off {
            messages.push(json!({"type": "cancel", "turn_id": id}));
        }
        ws.say_all(messages).await;
        if !hear_turn(&mut ws, &mut spoken).await {
            of.note(|received| received.unpaid += 1);
            break;
        }
    }
    of.note(|received| add(&mut received.usage, spoken));
}

/// Receives a turn to its end and adds its usage. Returns `false` if the allowance did not cover the turn.
async fn hear_turn(ws: &mut WsClient, spoken: &mut Usage) -> bool {
    let (mut announced, mut chars, mut bytes) = (0, 0, 0);
    let paid = loop {
        match ws.receive().await {
            Received::Sound(sound) => (chars, bytes) = (announced, bytes + sound.len()),
            Received::Message(message) => match message["type"].as_str().unwrap() {
                "words" => {
                    let last = message["words"].as_array().unwrap().last().unwrap();
                    announced = last["char_end"].as_u64().unwrap();
                }
                "turn.done" => {
                    chars = message["chars"].as_u64().unwrap();
                    break true;
                }
                "turn.cancelled" => break true,
                "error" => assert_eq!(message["error"]["code"], "quota_exhausted", "{message}"),
                _ => {}
            },
            Received::Closed { code, .. } => {
                assert_eq!(code, 4402);
                break false;
            }
            Received::Pong(_) => {}
        }
    };
    spoken.chars += chars;
    spoken.requests += u64::from(bytes > 0);
    spoken.audio_ms += sound_ms(bytes);
    paid
}

/// Spends the remaining allowance, to the last character.
async fn speak_the_rest(client: &Client, of: &KeyUnderTest, left: impl Fn() -> u64) {
    let began = Instant::now();
    // the lease of another key of the account may be returned a moment later
    while left() > 0 {
        assert!(began.elapsed() < PATIENCE, "{} characters are not available", left());
        clip(client, of, left().min(5_000) as usize).await;
    }
    assert_eq!(client.post(r#"{"text":"a"}"#).await.status, StatusCode::PAYMENT_REQUIRED);
}

/// Opens more concurrent conversations than the key allows.
async fn exceed_stream_limit(server: &TestServer, key: &str) {
    let opened = futures_util::future::join_all((0..5).map(|_| WsClient::try_open(server, key))).await;
    assert_eq!(opened.iter().filter(|opened| opened.is_ok()).count(), STREAMS);
    let reply = server.client().with_key(Some(key)).post(r#"{"text":"a"}"#).await;
    reply.assert_error(ErrorCode::ConcurrencyLimited);
}

/// All keys, grouped by the limit that each one reaches.
struct TestKeys {
    accounts: Vec<(Account, Vec<Arc<KeyUnderTest>>)>,
    capped: Vec<Arc<KeyUnderTest>>,
    slow: Vec<Arc<KeyUnderTest>>,
    narrow: Vec<Arc<KeyUnderTest>>,
    /// Number of requests for each key that has an allowance, a cap or a rate limit.
    of_each: usize,
}

impl TestKeys {
    async fn new(server: &TestServer, of_each: usize) -> Self {
        let (mut accounts, mut capped, mut slow, mut narrow) = (vec![], vec![], vec![], vec![]);
        for i in 0..ACCOUNTS {
            let account = server.create_account(&format!("a{i}@example.org"), allowance(of_each, i)).await;
            let mut keys = Vec::new();
            for _ in 0..KEYS_OF_ACCOUNT {
                keys.push(Arc::new(KeyUnderTest::new(
                    server.create_key_of(&account, KeySpec::named("a")).await,
                )));
            }
            accounts.push((account, keys));
        }
        let made = async |spec: KeySpec| Arc::new(KeyUnderTest::new(server.create_key(spec).await));
        for i in 0..CAPPED {
            let monthly_cap = Some(cap(of_each, i));
            capped.push(made(KeySpec { monthly_cap, ..KeySpec::named("capped") }).await);
        }
        for _ in 0..SLOW {
            // one request in eleven days, so that no further request is allowed during the test
            let limits = KeyLimits { rate: Some(1e-6), burst: Some(burst(of_each)), streams: None };
            slow.push(made(KeySpec { limits, ..KeySpec::named("slow") }).await);
        }
        for _ in 0..NARROW {
            let limits = KeyLimits { streams: Some(STREAMS as u32), ..KeyLimits::default() };
            narrow.push(made(KeySpec { limits, ..KeySpec::named("narrow") }).await);
        }
        Self { accounts, capped, slow, narrow, of_each }
    }

    /// Returns the keys with an allowance, a cap or a rate limit, in this order.
    fn limited_keys(&self) -> Vec<Arc<KeyUnderTest>> {
        let of_accounts = self.accounts.iter().flat_map(|(_, keys)| keys);
        of_accounts.chain(&self.capped).chain(&self.slow).cloned().collect()
    }

    /// Makes `requests` requests with many concurrent clients.
    async fn make_requests(&self, server: &Arc<TestServer>, requests: usize) {
        let (limited_keys, paying) =
            (Arc::new(self.limited_keys()), self.limited_keys().len() - self.slow.len());
        let next = Arc::new(AtomicUsize::new(0));
        let mut clients = JoinSet::new();
        for seed in 1..=CLIENTS as u64 {
            let (server, limited_keys, next) =
                (Arc::clone(server), Arc::clone(&limited_keys), Arc::clone(&next));
            clients.spawn(async move {
                let (mut rng, client) = (SeededRng::new(seed), server.client());
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= requests {
                        return;
                    }
                    // consecutive requests use keys of one account
                    let at = turn % limited_keys.len();
                    let of = &limited_keys[at];
                    let client = client.with_key(Some(of.key.secret.reveal()));
                    match rng.below(10) {
                        0..3 => converse(&server, of, &mut rng).await,
                        // issuing a token counts as a request
                        3 if at < paying => {
                            let token = client.token().await;
                            clip(&client.with_key(Some(&token)), of, 1 + rng.below(50)).await;
                        }
                        _ => clip(&client, of, 1 + rng.below(50)).await,
                    }
                }
            });
        }
        for of in self.narrow.iter().cloned() {
            let server = Arc::clone(server);
            clients.spawn(async move { exceed_stream_limit(&server, of.key.secret.reveal()).await });
        }
        clients.join_all().await;
    }

    /// Spends the rest of each allowance and each cap.
    async fn spend(&self, server: &TestServer) {
        let of_each = self.of_each;
        let accounts = self.accounts.iter().enumerate();
        let of_accounts = accounts.map(|(i, (_, keys))| (keys.clone(), allowance(of_each, i)));
        let capped = self.capped.iter().enumerate().map(|(i, of)| (vec![Arc::clone(of)], cap(of_each, i)));
        let mut clients = JoinSet::new();
        for (keys, chars) in of_accounts.chain(capped) {
            let client = server.client().with_key(Some(keys[0].key.secret.reveal()));
            clients.spawn(async move {
                let left = || chars - keys.iter().map(|of| of.received().usage.chars).sum::<u64>();
                speak_the_rest(&client, &keys[0], left).await;
            });
        }
        clients.join_all().await;
    }

    /// Panics if the counted usage differs from what clients received, or if a limit was not reached or was exceeded.
    async fn check(&self, store: &dyn Store) {
        for of in self.limited_keys() {
            let key = UsageOf::Key(of.key.record.prefix.clone());
            let rows = store.usage_by_day(key, today().plus(-1), today()).await.unwrap();
            let mut counted = Usage::default();
            for row in rows {
                add(&mut counted, row.amount);
            }
            assert_eq!(counted, of.received().usage, "{}: {:?}", of.key.record.name, of.received());
        }
        for (i, (account, keys)) in self.accounts.iter().enumerate() {
            let now_ms = SystemClock::new().now().wall_ms;
            let state = store.allowance(account.id.clone(), now_ms).await.unwrap().unwrap();
            let (chars, spoken) =
                (allowance(self.of_each, i), keys.iter().map(|of| of.received().usage.chars));
            assert_eq!((spoken.sum(), state.used, state.lent), (chars, chars, 0), "{}", account.email);
        }
        for (i, of) in self.capped.iter().enumerate() {
            assert_eq!(of.received().usage.chars, cap(self.of_each, i));
        }
        for received in self.slow.iter().map(|of| of.received()) {
            let burst = u64::from(burst(self.of_each));
            assert_eq!(received.taken, burst.min(received.taken + received.too_often), "{received:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_keys_at_their_limits_are_counted_exactly() {
    let began = Instant::now();
    let requests =
        std::env::var("SHRUTI_EDGE_REQUESTS").ok().and_then(|given| given.parse().ok()).unwrap_or(3_000);
    let builder = TestServer::builder().config(|config| config.max_streams = 10_000).max_speeches(1_000);
    let server = Arc::new(builder.start().await);
    let crowd = TestKeys::new(&server, requests / (ACCOUNTS * KEYS_OF_ACCOUNT + CAPPED + SLOW)).await;
    let made = began.elapsed();
    crowd.make_requests(&server, requests).await;
    let answered = began.elapsed();
    crowd.spend(&server).await;
    let mut server = Arc::into_inner(server).expect("all clients have ended");
    server.end().await;
    crowd.check(&*server.store).await;

    let mut all = ReceivedUsage::default();
    for received in crowd.limited_keys().iter().map(|of| of.received()) {
        add(&mut all.usage, received.usage);
        (all.unpaid, all.too_often) = (all.unpaid + received.unpaid, all.too_often + received.too_often);
    }
    println!("keys made after {made:?}, {requests} requests answered after {answered:?}: {all:?}");
    assert!(all.unpaid > 0 && all.too_often > 0, "no limit was reached");
}
