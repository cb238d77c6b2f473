//! Benchmark of the time that metering adds to a request. It prints the results and checks nothing.

use std::time::{Duration, Instant};

use shruti_store::KeyLimits;

use super::tests::Bench;
use super::*;
use crate::limits::Rates;
use crate::metrics::ApiKind;

const ROUNDS: usize = 200_000;

/// Run this benchmark with `cargo test --release -p shruti-service --lib cost -- --ignored --nocapture`.
#[tokio::test]
#[ignore = "a measurement"]
async fn cost_of_key_check_rate_and_lease() {
    let bench = Bench::new();
    let account = bench.account(1_000_000_000_000).await;
    let limits = KeyLimits { rate: Some(1e9), burst: Some(1_000_000), streams: None };
    let key = bench.secret_key_of(&account, limits).await;
    let keys = shruti_store::KeyCache::new(Arc::clone(&bench.store));
    keys.refresh(|| bench.clock.now()).await.unwrap();
    let rates = Rates::default();
    let presented = key.secret.reveal().to_owned();
    let mut times: [Vec<Duration>; 4] = std::array::from_fn(|_| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let checked = keys.check(&presented, bench.clock.now()).await.unwrap();
        let shruti_store::KeyCheck::Valid(record) = checked else { panic!("{checked:?}") };
        let checked = begun.elapsed();
        rates.take(&record, bench.clock.now().monotonic).1.unwrap();
        let rated = begun.elapsed();
        let mut charge = Charge::new(Arc::clone(&bench.metering), record, ApiKind::Clip);
        charge.cover(40).await.unwrap();
        let elapsed = begun.elapsed();
        charge.begins(&"Ananya".into(), shruti_lang::Language::Hindi);
        charge.sent(40, 2_400);
        drop(charge);
        let total = begun.elapsed();
        for (times, took) in times.iter_mut().zip([
            checked,
            rated.saturating_sub(checked),
            elapsed.saturating_sub(rated),
            total,
        ]) {
            times.push(took);
        }
    }
    println!("microseconds       p50     p90     p99  p99.9");
    for (what, mut times) in ["key", "rate", "lease", "all, counted"].into_iter().zip(times) {
        times.sort();
        let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e6;
        println!("{what:14} {:7.2} {:7.2} {:7.2} {:7.2}", at(0.5), at(0.9), at(0.99), at(0.999));
    }
}
