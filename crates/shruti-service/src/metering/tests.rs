use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use shruti_lang::Language;
use shruti_store::{
    Account, AccountCreation, AccountId, AccountStore, Actor, AllowanceStore, CreatedKey, Draw, KeyCreation,
    KeyDayUsage, KeyLimits, KeySpec, KeyStore, LEASE_LIFE_MS, MaintenanceStore, NewPassword, SqliteStore,
    StoreError, Usage, UsageOf, UsageStore,
};

use shruti_clock::Sleep;
use tokio::sync::watch;
use tokio::time::timeout;

use super::*;
use crate::metrics::ApiKind;

/// 2026-11-30 12:00 UTC: the month ends in half a day.
const NOON: i64 = 1_796_040_000_000;
const HOUR: i64 = 3_600_000;

/// Clock that the test advances, in milliseconds since noon.
#[derive(Default)]
pub(super) struct ManualClock(AtomicI64);

impl ManualClock {
    fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        let ms = self.0.load(Ordering::SeqCst);
        Moment { monotonic: Duration::from_millis(ms.unsigned_abs()), wall_ms: NOON + ms }
    }

    fn wait_until(&self, _at: Duration) -> Sleep {
        Box::pin(std::future::pending())
    }
}

pub(super) struct Bench {
    pub(super) metering: Arc<Metering>,
    pub(super) store: Arc<SqliteStore>,
    pub(super) clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let clock = Arc::new(ManualClock::default());
        let metering = Metering::new(
            Arc::clone(&store) as Arc<dyn Store>,
            Arc::clone(&clock) as Arc<dyn Clock>,
            Counter::default(),
            Duration::from_mins(1),
        );
        Self { metering: Arc::new(metering), store, clock, folder }
    }

    pub(super) async fn account(&self, chars: u64) -> Account {
        let email: shruti_store::EmailAddress = "asha@example.org".parse().unwrap();
        let password = NewPassword::choose("tidal-kettle-9", &email).unwrap();
        let created = self.store.create_account(email.clone(), password, NOON).await.unwrap();
        let AccountCreation::Created(account) = created else { panic!("{created:?}") };
        self.store.unlock_account(Actor::Operator, email, Some(chars), NOON).await.unwrap();
        account
    }

    async fn key_of(&self, account: &Account) -> Arc<KeyRecord> {
        Arc::new(self.secret_key_of(account, KeyLimits::default()).await.record)
    }

    pub(super) async fn secret_key_of(&self, account: &Account, limits: KeyLimits) -> CreatedKey {
        let spec = KeySpec { limits, ..KeySpec::named("a") };
        match self.store.create_key(Actor::Account(account.id.clone()), spec, NOON).await.unwrap() {
            KeyCreation::Created(key) => *key,
            other => panic!("{other:?}"),
        }
    }

    async fn capped_key(&self, cap: u64) -> Arc<KeyRecord> {
        let spec = KeySpec { monthly_cap: Some(cap), ..KeySpec::named("a") };
        Arc::new(self.operator_key(spec).await)
    }

    /// Creates a key without an account.
    async fn operator_key(&self, spec: KeySpec) -> KeyRecord {
        self.store.create_key(Actor::Operator, spec, NOON).await.unwrap().created().unwrap().record
    }

    /// Reads the current record of a key from the store.
    async fn reread(&self, key: &KeyRecord) -> KeyRecord {
        self.store.find_key(key.prefix.clone()).await.unwrap().unwrap()
    }

    fn charge(&self, key: &Arc<KeyRecord>) -> Charge {
        let mut charge = Charge::new(Arc::clone(&self.metering), Arc::clone(key), ApiKind::Clip);
        charge.begins(&"Ananya".into(), Language::Hindi);
        charge
    }

    /// Speaks a text of `chars` characters, of which `sent` are sent.
    async fn speak(&self, key: &Arc<KeyRecord>, chars: u32, sent: u32) -> Result<(), ApiError> {
        let mut charge = self.charge(key);
        charge.cover(chars).await?;
        charge.sent(sent, 24 * sent as usize);
        Ok(())
    }

    /// Returns the stored state of an account: characters used, and characters lent in addition.
    async fn stored(&self, account: &AccountId) -> (u64, u64) {
        let state = self.store.allowance(account.clone(), self.clock.now().wall_ms).await.unwrap().unwrap();
        (state.used, state.lent)
    }

    async fn stored_usage(&self, of: UsageOf) -> Vec<Usage> {
        let day = Day::of(self.clock.now().wall_ms);
        let rows = self.store.usage_by_day(of, day, day).await.unwrap();
        rows.into_iter().map(|row| row.amount).collect()
    }

    /// Renames a table, so that store operations that need it fail, or restores it.
    fn rename(&self, from: &str, to: &str) {
        let connection = rusqlite::Connection::open(self.folder.path().join("shruti.db")).unwrap();
        connection.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).unwrap();
    }
}

/// Waits for the end of a draw. The timeout is far longer than a passing test needs.
async fn drawn(draws: &mut watch::Receiver<u64>) {
    timeout(Duration::from_mins(1), draws.changed()).await.expect("nothing is drawn").unwrap();
}

fn chars(chars: u64) -> Usage {
    Usage { chars, requests: 1, audio_ms: chars }
}

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
                // some speeches are cut off
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
    // the server was suspended, and another one took back the lease
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

#[tokio::test]
async fn lease_ends_with_its_counted_use() {
    let bench = Bench::new();
    let account = bench.account(100).await;
    let (one, other) = (bench.key_of(&account).await, bench.key_of(&account).await);
    bench.speak(&one, 10, 10).await.unwrap();
    // all remaining characters are lent to the other key, which is idle
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
    // the speech is cut off: its key holds the remaining characters and returns them
    drop(speaking);
    assert!(bench.metering.is_spent(&spent).is_none());
    bench.clock.advance(1_001);
    bench.speak(&spent, 10, 10).await.unwrap();
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
    // the store's rows plus the unreported usage
    speak(ApiKind::Sarvam, 7).await;
    speak(ApiKind::Clip, 1).await;
    assert_eq!(stored().await, [of("clip", 3), of("openai", 15), of("sarvam", 7)]);
    assert_eq!(bench.stored_usage(UsageOf::All).await.iter().map(|amount| amount.chars).sum::<u64>(), 17);
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
    // 802 characters are free; the reservations from the first lease did not start a draw
    assert_eq!((pool.free(), pool.is_low(Duration::ZERO)), (802, false));
    let more = pool.take(203, Duration::ZERO).unwrap();
    assert_eq!(
        (pool.free(), pool.is_low(Duration::ZERO)),
        (599, true),
        "less than was reserved in the meantime"
    );
    drop(more);
    let credit = pool.take_on_credit(1_000, u64::MAX).unwrap();
    // 198 of them are on credit
    assert_eq!(draw(false, 0).await.0, 1 + 198 + 1_200);
    assert_eq!((pool.free(), pool.is_low(Duration::ZERO)), (1_201, false));
    drop((in_time, late, credit));
    assert_eq!(draw(false, 0).await.0, 1_001, "the store was fast again");
    drop(draw(true, 2_000).await);
    assert_eq!(draw(true, 0).await.0, 1 + 4_000);
    assert_eq!(draw(false, 0).await.0, 1 + 2_000, "who waits reserves nothing");
}
