//! Tests of draws from an allowance, of leases, and of refusals when an allowance is used up.

use super::*;

#[tokio::test]
async fn spends_sent_characters_and_returns_the_rest() {
    let bench = Bench::new();
    let account = bench.account(100).await;
    let key = bench.key_of(&account).await;
    bench.speak(&key, 60, 25).await.unwrap();
    bench.speak(&key, 75, 75).await.unwrap();
    let error = bench.speak(&key, 1, 1).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::QuotaExhausted);
    assert!(error.message.contains("2026-12-01"), "{}", error.message);
    bench.metering.flush().await;
    assert_eq!(bench.stored(&account.id).await, (100, 0));
    let expected = Usage { chars: 100, requests: 2, audio_ms: 100 };
    assert_eq!(bench.stored_usage(UsageOf::Key(key.prefix.clone())).await, [expected]);
    assert!(bench.reread(&key).await.is_spent(NOON));
    assert_eq!(bench.metering.characters.get(), 100);
}

#[tokio::test]
async fn refusal_reports_the_remaining_allowance() {
    let bench = Bench::new();
    let key = bench.capped_key(100).await;
    bench.speak(&key, 70, 70).await.unwrap();
    let error = bench.speak(&key, 31, 31).await.unwrap_err();
    assert!(error.message.starts_with("31 characters are needed and 30 are left"), "{}", error.message);
    bench.speak(&key, 30, 30).await.unwrap();
    assert!(bench.metering.admit(&key).await.is_err());
}

#[tokio::test]
async fn lease_avoids_round_trips_and_is_renewed_early() {
    let bench = Bench::new();
    let key = bench.capped_key(100_000).await;
    bench.metering.admit(&key).await.unwrap();
    bench.rename("leases", "elsewhere");
    let ready = |charge: &mut Charge, chars| {
        matches!(charge.poll_cover(chars, &mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())))
    };
    let mut charge = bench.charge(&key);
    for chars in [1, 200, 700] {
        assert!(ready(&mut charge, chars), "{chars} fit into the lease that was drawn at the beginning");
    }
    bench.rename("elsewhere", "leases");
    let mut draws = bench.metering.pool(&key, bench.clock.now()).draws();
    assert!(ready(&mut charge, 800));
    drawn(&mut draws).await;
    assert!(ready(&mut charge, 1_500), "a new lease was drawn before the old one was exhausted");
}

#[tokio::test]
async fn disconnected_client_loses_no_drawn_characters() {
    let bench = Bench::new();
    let key = bench.capped_key(100).await;
    let mut draws = bench.metering.pool(&key, bench.clock.now()).draws();
    let mut charge = bench.charge(&key);
    assert!(charge.poll_cover(60, &mut Context::from_waker(Waker::noop())).is_pending());
    assert!(charge.is_waiting());
    drop(charge);
    drawn(&mut draws).await;
    bench.speak(&key, 100, 100).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_use_an_allowance_exactly() {
    let bench = Arc::new(Bench::new());
    let account = bench.account(10_007).await;
    let mut keys = Vec::new();
    for _ in 0..5 {
        keys.push(bench.key_of(&account).await);
    }
    let mut speakers = tokio::task::JoinSet::new();
    for i in 0..200_u32 {
        let (bench, key) = (Arc::clone(&bench), Arc::clone(&keys[i as usize % 5]));
        speakers.spawn(async move {
            let mut spoken = 0;
            for j in 0..20 {
                // some texts are interrupted before all of their audio is sent
                let (needed, sent) = (1 + (i * 7 + j) % 40, (i * 7 + j) % 40);
                let sent = if j % 3 == 0 { sent } else { needed };
                match bench.speak(&key, needed, sent).await {
                    Ok(()) => spoken += u64::from(sent),
                    Err(error) => assert_eq!(error.code, ErrorCode::QuotaExhausted),
                }
            }
            spoken
        });
    }
    let mut spoken: u64 = speakers.join_all().await.into_iter().sum();
    assert!(spoken <= 10_007, "{spoken}");
    // the last caller gets the unused characters of the idle keys
    while bench.speak(&keys[0], 1, 1).await.is_ok() {
        spoken += 1;
    }
    assert_eq!(spoken, 10_007);
    bench.metering.flush().await;
    assert_eq!(bench.stored(&account.id).await, (10_007, 0));
    let stored: u64 =
        bench.stored_usage(UsageOf::Account(account.id)).await.iter().map(|row| row.chars).sum();
    assert_eq!(stored, 10_007);
}

#[tokio::test]
async fn idle_key_returns_its_leases() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let (one, other) = (bench.key_of(&account).await, bench.key_of(&account).await);
    bench.speak(&one, 10, 10).await.unwrap();
    bench.metering.flush().await;
    assert_eq!(bench.stored(&account.id).await, (10, 990));
    let mut speaking = bench.charge(&other);
    assert_eq!(bench.speak(&other, 990, 990).await, Ok(()), "from the lease of the key that rests");
    assert!(speaking.cover(1).await.is_err());
    bench.clock.advance(61_000);
    bench.metering.flush().await;
    assert!(bench.metering.all_pools().is_empty(), "no state is kept for keys without leases");
    assert_eq!(bench.stored(&account.id).await, (1_000, 0));
}

#[tokio::test]
async fn a_lease_that_is_being_drawn_at_the_end_is_returned() {
    let bench = Bench::new();
    let account = bench.account(3_000).await;
    let key = bench.key_of(&account).await;
    bench.speak(&key, 10, 10).await.unwrap();
    bench.metering.flush().await;
    let pool = bench.metering.pool(&key, bench.clock.now());
    let reserved = pool.take(900, Duration::ZERO).unwrap();
    // few characters are free, so another lease is drawn in advance
    drop(bench.metering.take_now(&key, 1).unwrap());
    drop(reserved);
    assert!(pool.is_drawing());
    bench.metering.close().await.unwrap();
    assert_eq!(bench.stored(&account.id).await, (10, 0));
}

#[tokio::test]
async fn active_speech_keeps_its_lease() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let key = bench.key_of(&account).await;
    let mut charge = bench.charge(&key);
    charge.cover(300).await.unwrap();
    for _ in 0..20 {
        bench.clock.advance(LEASE_LIFE_MS - 1);
        bench.metering.flush().await;
        bench.store.prune(bench.clock.now().wall_ms).await.unwrap();
    }
    charge.sent(300, 24_000);
    drop(charge);
    bench.metering.close().await.unwrap();
    assert_eq!(bench.stored(&account.id).await, (300, 0));
}

#[tokio::test]
async fn ended_lease_is_drawn_again() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let key = bench.key_of(&account).await;
    bench.speak(&key, 100, 100).await.unwrap();
    bench.metering.report().await.unwrap();
    // simulate a suspended server whose lease was taken back by another server
    bench.clock.advance(LEASE_LIFE_MS);
    bench.store.prune(bench.clock.now().wall_ms).await.unwrap();
    bench.speak(&key, 50, 50).await.unwrap();
    bench.metering.report().await.unwrap();
    assert_eq!(bench.stored(&account.id).await, (100, 0));
    bench.metering.report().await.unwrap();
    assert_eq!(bench.stored(&account.id).await, (150, 0), "use of an ended lease is drawn afterwards");
    assert!(bench.speak(&key, 851, 851).await.is_err());
    bench.speak(&key, 850, 850).await.unwrap();
    bench.metering.close().await.unwrap();
    assert_eq!(bench.stored(&account.id).await, (1_000, 0));
}

#[tokio::test]
async fn new_month_settles_the_old_allowance() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let key = bench.key_of(&account).await;
    let mut over_midnight = bench.charge(&key);
    over_midnight.cover(400).await.unwrap();
    over_midnight.sent(100, 24);
    for _ in 0..13 * 12 {
        bench.clock.advance(HOUR / 12);
        bench.metering.flush().await;
    }
    over_midnight.cover(500).await.unwrap();
    bench.speak(&key, 900, 900).await.unwrap();
    assert!(bench.speak(&key, 1, 1).await.is_err(), "the last hundred characters are drawn");
    over_midnight.sent(450, 24);
    drop(over_midnight);
    bench.metering.flush().await;
    assert_eq!(bench.stored(&account.id).await, (950, 50));
    let state = bench.store.allowance(account.id.clone(), NOON).await.unwrap().unwrap();
    assert_eq!((state.used, state.lent), (400, 0), "charged to the month in which it was reserved");
    assert!(bench.metering.pools().retired.is_empty());
    assert_eq!(
        bench.stored_usage(UsageOf::All).await[0].chars,
        900 + 350,
        "counted on the day when it was sent"
    );
}

#[tokio::test]
async fn lease_ends_with_its_counted_use() {
    let bench = Bench::new();
    let account = bench.account(100).await;
    let (one, other) = (bench.key_of(&account).await, bench.key_of(&account).await);
    bench.speak(&one, 10, 10).await.unwrap();
    // all remaining characters are lent to `one`, which is idle, so `other` takes them back
    bench.speak(&other, 50, 50).await.unwrap();
    let counted = async || bench.stored_usage(UsageOf::All).await.iter().map(|row| row.chars).sum::<u64>();
    assert_eq!(
        bench.stored(&account.id).await.0,
        counted().await,
        "a server that is killed now has lost both"
    );

    let pool = bench.metering.pool(&other, bench.clock.now());
    bench.speak(&other, 40, 40).await.unwrap();
    assert!(!bench.metering.settle(&pool, |_| true).await);
    assert_eq!(bench.stored(&account.id).await.0, counted().await, "used up, and not counted yet");
    bench.metering.flush().await;
    assert_eq!((bench.stored(&account.id).await, counted().await), ((100, 0), 100));
    assert!(pool.is_empty());
}

#[tokio::test]
async fn unlimited_keys_are_counted_without_draws() {
    let bench = Bench::new();
    let key = Arc::new(bench.operator_key(KeySpec::named("a")).await);
    bench.rename("leases", "elsewhere");
    bench.speak(&key, 20_000, 20_000).await.unwrap();
    bench.metering.admit(&key).await.unwrap();
    assert!(bench.metering.is_spent(&key).is_none());
    bench.metering.close().await.unwrap();
    assert_eq!(bench.stored_usage(UsageOf::All).await, [chars(20_000)]);
}

#[tokio::test]
async fn spent_key_is_refused_without_a_store_call() {
    let bench = Bench::new();
    let account = bench.account(10).await;
    let (one, other) = (bench.key_of(&account).await, bench.key_of(&account).await);
    let mut speaking = bench.charge(&one);
    speaking.cover(10).await.unwrap();
    assert!(bench.metering.admit(&other).await.is_err());
    let spent = Arc::new(bench.reread(&other).await);
    assert!(spent.is_spent(NOON));
    bench.rename("leases", "elsewhere");
    bench.clock.advance(1_001);
    assert_eq!(bench.metering.is_spent(&spent).map(|error| error.code), Some(ErrorCode::QuotaExhausted));
    let error = bench.speak(&spent, 1, 1).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::QuotaExhausted, "the store would have failed");
    bench.rename("elsewhere", "leases");
    // the first synthesis is interrupted; its key now holds unused characters, which `spent` can take back
    drop(speaking);
    assert!(bench.metering.is_spent(&spent).is_none());
    bench.clock.advance(1_001);
    bench.speak(&spent, 10, 10).await.unwrap();
}

#[tokio::test]
async fn credit_is_bounded_and_ends_with_a_lease() {
    let bench = Bench::new();
    let key = bench.capped_key(30).await;
    let pool = bench.metering.pool(&key, bench.clock.now());
    let mut first = pool.take_on_credit(60, 100).unwrap();
    let returned = pool.take_on_credit(40, 100).unwrap();
    assert!(pool.take_on_credit(1, 100).is_none());
    drop(returned);
    assert_eq!(first.spend(50), 50);
    assert!(pool.take_on_credit(51, 100).is_none(), "credit counts");
    assert_eq!(pool.free(), 0);
    let drawn = bench.store.draw_allowance(key.prefix.clone(), 1, 30, NOON).await.unwrap();
    let Draw::Lent(lease) = drawn else { panic!("{drawn:?}") };
    pool.lend(lease);
    assert_eq!(pool.free(), 20, "ten are reserved, now from the lease");
    assert_eq!(first.spend(10), 10);
    assert_eq!((pool.take_overdraft(), pool.take_overdraft()), (50, 0));
    assert_eq!(pool.take(21, Duration::ZERO).unwrap_err(), 1);
    assert!(pool.take_on_credit(1_000, u64::MAX).is_some(), "active speech is not limited");
}

#[tokio::test]
async fn slow_store_is_asked_earlier_and_for_more() {
    let bench = Bench::new();
    let key = bench.capped_key(100_000).await;
    let pool = bench.metering.pool(&key, bench.clock.now());
    let draw = async |is_slow, meanwhile| {
        let needs = pool.begin_draw();
        let reserved = pool.take_on_credit(meanwhile, u64::MAX).unwrap();
        let drawn =
            bench.store.draw_allowance(key.prefix.clone(), needs.min, needs.wanted, NOON).await.unwrap();
        let Draw::Lent(lease) = drawn else { panic!("{drawn:?}") };
        pool.lend(lease);
        pool.record_latency(is_slow);
        pool.end_draw();
        (needs.wanted, reserved)
    };
    let in_time = draw(false, 600).await;
    let late = draw(true, 600).await;
    assert_eq!((in_time.0, late.0), (1_001, 1_001));
    // 802 characters are free; only the 600 that were reserved during the slow draw count for the next one
    assert_eq!((pool.free(), pool.is_low(Duration::ZERO)), (802, false));
    let more = pool.take(203, Duration::ZERO).unwrap();
    assert_eq!(
        (pool.free(), pool.is_low(Duration::ZERO)),
        (599, true),
        "less than was reserved in the meantime"
    );
    drop(more);
    let credit = pool.take_on_credit(1_000, u64::MAX).unwrap();
    // 198 of the 1,000 characters are on credit; twice the 600 of the slow draw are drawn in advance
    assert_eq!(draw(false, 0).await.0, 1 + 198 + 1_200);
    assert_eq!((pool.free(), pool.is_low(Duration::ZERO)), (1_201, false));
    drop((in_time, late, credit));
    assert_eq!(draw(false, 0).await.0, 1_001, "the store was fast again");
    drop(draw(true, 2_000).await);
    assert_eq!(draw(true, 0).await.0, 1 + 4_000);
    assert_eq!(draw(false, 0).await.0, 1 + 2_000, "who waits reserves nothing");
}
