//! Measures the throughput of a store: key lookups, lease draws, usage reports and polls for key changes per second.
//!
//! ```text
//! cargo run --release -p shruti-store --example writes -- postgres://postgres@127.0.0.1/shruti 10 32 sk_…
//! cargo run --release -p shruti-store --example writes -- /tmp/folder 10 32 sk_…
//! ```
//!
//! The arguments are the store, the seconds per measurement, the number of concurrent calls, and prefixes of existing
//! keys whose accounts have an allowance; `measure/cluster/capacity.py` creates a million such keys.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement fails by panicking"
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use shruti_store::{
    Day, Draw, KeyPrefix, PostgresAddress, PostgresStore, ReportId, SqliteStore, Store, Usage, UsageEntry,
    UsageReport,
};

/// Number of rows in one usage report, each for a different key.
const ROWS: usize = 100;

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

fn entry(key: &KeyPrefix) -> UsageEntry {
    UsageEntry {
        key: key.clone(),
        day: Day::of(now_ms()),
        voice: "Ananya".into(),
        language: "hi".parse().unwrap(),
        api: "stream".into(),
        amount: Usage { chars: 40, requests: 1, audio_ms: 3_000 },
    }
}

/// Runs `tasks` concurrent calls for `seconds` seconds. Prints the calls per second, and the median and 99th percentile
/// of the latency.
async fn measure<T>(what: &str, seconds: u64, tasks: usize, call: impl Fn(usize) -> T)
where
    T: Future<Output = ()> + Send + 'static,
{
    let number = Arc::new(AtomicUsize::new(0));
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut times = Vec::new();
    let mut running = tokio::task::JoinSet::new();
    let begin = |running: &mut tokio::task::JoinSet<Duration>| {
        let future = call(number.fetch_add(1, Ordering::Relaxed));
        running.spawn(async move {
            let begun = Instant::now();
            future.await;
            begun.elapsed()
        });
    };
    for _ in 0..tasks {
        begin(&mut running);
    }
    while let Some(took) = running.join_next().await {
        times.push(took.unwrap());
        if Instant::now() < until {
            begin(&mut running);
        }
    }
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3;
    let rate = times.len() as f64 / seconds as f64;
    println!("{what:24} {rate:8.0}/s  p50 {:.2} p99 {:.2} ms", at(0.5), at(0.99));
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let (place, seconds, tasks) = (args.next().unwrap(), args.next().unwrap(), args.next().unwrap());
    let (seconds, tasks) = (seconds.parse().unwrap(), tasks.parse().unwrap());
    let store: Arc<dyn Store> = match place.parse::<PostgresAddress>() {
        Ok(address) => PostgresStore::open(&address).await.unwrap().shared(),
        Err(_) => SqliteStore::open(Path::new(&place)).unwrap().shared(),
    };
    let prefixes: Vec<String> = args.collect();
    let keys: Arc<Vec<KeyPrefix>> =
        Arc::new(prefixes.iter().map(|prefix| KeyPrefix::parse(prefix).unwrap()).collect());
    assert!(!keys.is_empty(), "prefixes of keys");
    let of = |number: usize| keys[number * 7_919 % keys.len()].clone();
    measure("find a key", seconds, tasks, |number| {
        let (store, key) = (Arc::clone(&store), of(number));
        async move { drop(store.find_key(key).await.unwrap().unwrap()) }
    })
    .await;
    measure("draw and settle a lease", seconds, tasks, |number| {
        let (store, key) = (Arc::clone(&store), of(number));
        async move {
            match store.draw_allowance(key, 1, 1_000, now_ms()).await.unwrap() {
                Draw::Lent(lease) => drop(store.settle_lease(lease.id, 10, now_ms()).await.unwrap()),
                other => assert!(matches!(other, Draw::Unmetered), "{other:?}"),
            }
        }
    })
    .await;
    measure("report of 100 keys", seconds, tasks.min(8), |number| {
        let (store, keys) = (Arc::clone(&store), Arc::clone(&keys));
        async move {
            let entries = (0..ROWS).map(|row| entry(&keys[(number * ROWS + row) * 7_919 % keys.len()]));
            let report =
                UsageReport { entries: entries.collect(), ..UsageReport::new(ReportId::first().unwrap()) };
            store.record_usage(report, now_ms()).await.unwrap();
        }
    })
    .await;
    measure("ask what has changed", seconds, tasks, |_| {
        let store = Arc::clone(&store);
        async move {
            let revision = store.key_revision().await.unwrap();
            drop(store.key_changes_since(revision).await.unwrap());
        }
    })
    .await;
}
