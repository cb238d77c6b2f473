//! Tests of counted usage and its reports to the store.

use super::*;

#[tokio::test]
async fn failed_reports_are_retried_without_loss() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let key = bench.key_of(&account).await;
    bench.speak(&key, 100, 100).await.unwrap();
    bench.rename("usage", "elsewhere");
    assert!(bench.metering.report().await.is_err());
    bench.speak(&key, 20, 20).await.unwrap();
    assert!(bench.metering.close().await.is_err());
    bench.rename("elsewhere", "usage");
    bench.metering.close().await.unwrap();
    bench.metering.close().await.unwrap();
    let expected = Usage { chars: 120, requests: 2, audio_ms: 120 };
    assert_eq!(bench.stored_usage(UsageOf::All).await, [expected]);
    assert_eq!(bench.stored(&account.id).await, (120, 0));

    bench.rename("leases", "elsewhere");
    let error = bench.speak(&key, 10, 10).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(!error.message.contains("leases"), "{}", error.message);
    bench.rename("elsewhere", "leases");
    assert_eq!(bench.speak(&key, 10, 10).await, Ok(()), "the next one asks again");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_report_counts_what_it_says_was_used() {
    let bench = Bench::new();
    let account = bench.account(1_000_000_000).await;
    let ended = Arc::new(AtomicBool::new(false));
    let mut speaking = Vec::new();
    for _ in 0..2 {
        let mut charge = bench.charge(&bench.key_of(&account).await);
        charge.cover(400_000_000).await.unwrap();
        let ended = Arc::clone(&ended);
        speaking.push(std::thread::spawn(move || {
            let chars = (1..=400_000_000).take_while(|_| !ended.load(Ordering::SeqCst));
            chars.for_each(|chars| charge.sent(chars, 24));
        }));
    }
    for _ in 0..200 {
        bench.metering.report().await.unwrap();
        let counted: u64 = bench.stored_usage(UsageOf::All).await.iter().map(|row| row.chars).sum();
        assert_eq!(bench.stored(&account.id).await.0, counted);
    }
    ended.store(true, Ordering::SeqCst);
    for thread in speaking {
        thread.join().unwrap();
    }
}

#[tokio::test]
async fn usage_includes_unreported_characters() {
    let bench = Bench::new();
    let account = bench.account(1_000).await;
    let (one, other) = (bench.key_of(&account).await, bench.key_of(&account).await);
    bench.speak(&one, 100, 100).await.unwrap();
    bench.metering.flush().await;
    bench.speak(&one, 20, 20).await.unwrap();
    bench.speak(&other, 3, 3).await.unwrap();
    let today = Day::of(NOON);
    let usage_of = async |of, first, last| {
        let rows = bench.metering.usage(of, first, last).await.unwrap();
        rows.into_iter().map(|row| row.amount).collect::<Vec<_>>()
    };
    let of_one = UsageOf::Key(one.prefix.clone());
    assert_eq!(
        usage_of(of_one.clone(), today, today).await,
        [Usage { chars: 120, requests: 2, audio_ms: 120 }]
    );
    assert_eq!(usage_of(UsageOf::Key(other.prefix.clone()), today, today).await, [chars(3)]);
    assert_eq!(usage_of(UsageOf::Account(account.id.clone()), today, today).await[0].chars, 123);
    assert_eq!(usage_of(of_one, today.plus(1), today.plus(9)).await, []);
    let by_key =
        async |first, last| bench.metering.usage_by_key(account.id.clone(), first, last).await.unwrap();
    let of_key = |key: &KeyRecord, amount| KeyDayUsage { day: today, key: key.prefix.clone(), amount };
    let mut keys = [of_key(&one, Usage { chars: 120, requests: 2, audio_ms: 120 }), of_key(&other, chars(3))];
    keys.sort_by(|one, other| one.key.cmp(&other.key));
    assert_eq!(by_key(today, today).await, keys);
    assert_eq!(by_key(today.plus(1), today.plus(9)).await, []);
    let state = bench.metering.allowance(account.id.clone()).await.unwrap().unwrap();
    assert_eq!((state.used, state.lent), (123, 877));
    bench.metering.flush().await;
    assert_eq!(by_key(today, today).await, keys);
    assert_eq!(bench.metering.allowance(account.id.clone()).await.unwrap(), Some(state));
}

#[tokio::test]
async fn limits_waiting_usage_requests() {
    let bench = Bench::new();
    let today = Day::of(NOON);
    let ask = || Box::pin(bench.metering.usage(UsageOf::All, today, today));
    let reporting = bench.metering.reporting.lock().await;
    let mut waiting: Vec<_> = (0..MAX_READERS).map(|_| ask()).collect();
    let mut context = Context::from_waker(Waker::noop());
    assert!(waiting.iter_mut().all(|asked| asked.as_mut().poll(&mut context).is_pending()));
    let refused = |answer: Poll<Result<(), StoreError>>| {
        assert!(matches!(answer, Poll::Ready(Err(StoreError::Busy))), "{answer:?}");
    };
    refused(ask().as_mut().poll(&mut context).map_ok(drop));
    let account = bench.account(1_000).await.id;
    refused(Box::pin(bench.metering.allowance(account)).as_mut().poll(&mut context).map_ok(drop));
    drop(reporting);
    for asked in waiting {
        asked.await.unwrap();
    }
    ask().await.unwrap();
}

#[tokio::test]
async fn only_audio_counts_as_a_request() {
    let bench = Bench::new();
    let key = bench.capped_key(100).await;
    let mut charge = bench.charge(&key);
    charge.cover(10).await.unwrap();
    charge.sent(0, 0);
    charge.sent(0, 36);
    charge.sent(4, 36);
    charge.sent(3, 0);
    drop(charge);
    let mut silent = bench.charge(&key);
    silent.cover(10).await.unwrap();
    silent.sent(0, 0);
    drop(silent);
    let mut other = Charge::new(Arc::clone(&bench.metering), Arc::clone(&key), ApiKind::Turn);
    other.cover(5).await.unwrap();
    other.begins(&"Arjun".into(), Language::Tamil);
    other.sent(5, 24);
    drop(other);
    bench.metering.flush().await;
    let rows = bench.store.usage_by_day(UsageOf::All, Day::of(NOON), Day::of(NOON)).await.unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.voice.as_str(), row.language, row.amount)).collect();
    assert_eq!(
        rows,
        [
            ("Ananya", Language::Hindi, Usage { chars: 4, requests: 1, audio_ms: 3 }),
            ("Arjun", Language::Tamil, Usage { chars: 5, requests: 1, audio_ms: 1 }),
        ]
    );
}

#[tokio::test]
async fn usage_is_reported_per_api() {
    let bench = Bench::new();
    let key = bench.capped_key(1_000).await;
    let speak = async |by, chars: u32| {
        let mut charge = Charge::new(Arc::clone(&bench.metering), Arc::clone(&key), by);
        charge.begins(&"Ananya".into(), Language::Hindi);
        charge.cover(chars).await.unwrap();
        charge.sent(chars, 24);
    };
    let today = Day::of(NOON);
    let stored = async || {
        let rows = bench.metering.usage(UsageOf::Key(key.prefix.clone()), today, today).await.unwrap();
        rows.into_iter().map(|row| (row.api.into_owned(), row.amount.chars)).collect::<Vec<_>>()
    };
    let of = |api: &str, chars| (api.to_owned(), chars);
    speak(ApiKind::OpenAi, 10).await;
    speak(ApiKind::Clip, 2).await;
    speak(ApiKind::OpenAi, 5).await;
    assert_eq!(stored().await, [of("clip", 2), of("openai", 15)]);
    bench.metering.flush().await;
    assert_eq!(stored().await, [of("clip", 2), of("openai", 15)]);
    // usage that has not been reported is included in addition to the rows of the store
    speak(ApiKind::Sarvam, 7).await;
    speak(ApiKind::Clip, 1).await;
    assert_eq!(stored().await, [of("clip", 3), of("openai", 15), of("sarvam", 7)]);
    assert_eq!(bench.stored_usage(UsageOf::All).await.iter().map(|amount| amount.chars).sum::<u64>(), 17);
}
