//! Allowances, leases and usage, on every store.

use shruti_lang::Language;

use super::{HOUR, MINUTE, NOON, TestDatabase, key_of, operator_key, sign_in, sign_up};
use shruti_store::{
    AccessLock, Account, Actor, Allowance, Day, DayUsage, Draw, KeyDayUsage, KeyPrefix, KeySpec,
    LEASE_LIFE_MS, Lease, Month, Overdraft, ReportId, Rotation, Store, USAGE_DAYS, Usage, UsageEntry,
    UsageOf, UsageReport, VerificationRequest,
};

super::on_every_store!(
    no_character_is_leased_twice,
    leases_below_the_required_size_are_refused,
    an_exhausted_allowance_is_reported_until_characters_are_returned,
    a_cap_applies_in_addition_to_the_allowance_and_after_a_rotation,
    operator_keys_are_unmetered_and_locked_accounts_get_no_lease,
    an_expired_lease_is_returned_except_for_reported_usage,
    a_lease_belongs_to_the_month_of_its_draw,
    usage_is_summed_by_key_voice_language_api_and_day,
    a_report_is_stored_completely_or_not_at_all,
    a_repeated_report_counts_once,
    usage_without_a_lease_is_drawn_from_any_remaining_allowance,
    accounts_are_warned_once_per_threshold_and_month,
);

/// Creates an account with an allowance, and a key of the account.
async fn account_with(store: &dyn Store, chars: u64) -> (Account, KeyPrefix) {
    let account = sign_up(store, "asha@example.org", NOON).await;
    store.unlock_account(Actor::Operator, account.email.clone(), Some(chars), NOON).await.unwrap();
    let key = key_of(store, &account, KeySpec::named("a"), NOON).await.record.prefix;
    (account, key)
}

async fn draw(store: &dyn Store, key: &KeyPrefix, at_least: u64, up_to: u64, now_ms: i64) -> Draw {
    store.draw_allowance(key.clone(), at_least, up_to, now_ms).await.unwrap()
}

async fn lent(store: &dyn Store, key: &KeyPrefix, at_least: u64, up_to: u64, now_ms: i64) -> Lease {
    match draw(store, key, at_least, up_to, now_ms).await {
        Draw::Lent(lease) => lease,
        other => panic!("{other:?}"),
    }
}

async fn state(store: &dyn Store, account: &Account, now_ms: i64) -> (u64, u64) {
    let Allowance { used, lent, .. } = store.allowance(account.id.clone(), now_ms).await.unwrap().unwrap();
    (used, lent)
}

async fn no_character_is_leased_twice(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let (account, key) = account_with(&*stores[0], 10_007).await;
    let other_key = key_of(&*stores[0], &account, KeySpec::named("b"), NOON).await.record.prefix;
    let mut draws = tokio::task::JoinSet::new();
    for i in 0..60_u64 {
        let store = stores[(i % 2) as usize].clone();
        let key = if i % 3 == 0 { other_key.clone() } else { key.clone() };
        draws.spawn(async move {
            let Draw::Lent(lease) = draw(&*store, &key, 1, 500, NOON).await else { return 0 };
            // a third of the leases are settled with unused characters, a third without, and a third are kept
            let used = [lease.chars / 3, lease.chars, lease.chars][(i % 3) as usize];
            if i % 3 < 2 {
                assert!(store.settle_lease(lease.id, used, NOON).await.unwrap());
            }
            used
        });
    }
    let held: u64 = draws.join_all().await.iter().sum();
    let (used, lent) = state(&*stores[0], &account, NOON).await;
    assert_eq!(used + lent, held);
    assert!(held <= 10_007);
    let rest = match draw(&*stores[0], &key, 1, u64::MAX, NOON).await {
        Draw::Lent(rest) => rest.chars,
        Draw::Spent { left, .. } => left,
        other => panic!("{other:?}"),
    };
    assert_eq!(rest, 10_007 - held, "the rest can be drawn completely");
    let spent = draw(&*stores[1], &other_key, 1, 500, NOON).await;
    assert_eq!(spent, Draw::Spent { left: 0, renews_ms: Month::of(NOON).next().start_ms() });
}

async fn leases_below_the_required_size_are_refused(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 100).await;
    let first = lent(&*store, &key, 60, 60, NOON).await;
    let renews_ms = Month::of(NOON).next().start_ms();
    assert_eq!(draw(&*store, &key, 41, 100, NOON).await, Draw::Spent { left: 40, renews_ms });
    assert!(!store.find_key(key.clone()).await.unwrap().unwrap().is_spent(NOON), "something is left");
    let second = lent(&*store, &key, 1, 100, NOON).await;
    assert_eq!(second.chars, 40);
    assert!(store.settle_lease(first.id, 10, NOON).await.unwrap());
    assert!(!store.settle_lease(first.id, 10, NOON).await.unwrap(), "once");
    assert_eq!(state(&*store, &account, NOON).await, (10, 40));
    assert_eq!(lent(&*store, &key, 1, 100, NOON).await.chars, 50);
}

async fn an_exhausted_allowance_is_reported_until_characters_are_returned(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 100).await;
    let idle_key = key_of(&*store, &account, KeySpec::named("b"), NOON).await.record.prefix;
    let lease = lent(&*store, &key, 1, 100, NOON).await;
    let mut revision = store.key_revision().await.unwrap();
    let mut changes_since_last = async || {
        let changes = store.key_changes_since(revision).await.unwrap();
        revision = changes.revision;
        let mut keys: Vec<_> =
            changes.keys.iter().map(|key| (key.prefix.clone(), key.is_spent(NOON))).collect();
        keys.sort();
        keys
    };
    let both = |is_spent| {
        let mut keys = vec![(key.clone(), is_spent), (idle_key.clone(), is_spent)];
        keys.sort();
        keys
    };
    assert!(matches!(draw(&*store, &key, 1, 1, NOON).await, Draw::Spent { left: 0, .. }));
    assert_eq!(changes_since_last().await, both(true), "all keys of the account");
    assert!(matches!(draw(&*store, &key, 1, 1, NOON).await, Draw::Spent { .. }));
    assert_eq!(changes_since_last().await, [], "it is reported once");
    store.settle_lease(lease.id, 90, NOON).await.unwrap();
    assert_eq!(changes_since_last().await, both(false));
    lent(&*store, &key, 10, 10, NOON).await;
    draw(&*store, &key, 1, 1, NOON).await;
    assert_eq!(changes_since_last().await, both(true));
    store.unlock_account(Actor::Operator, account.email.clone(), Some(5), NOON).await.unwrap();
    assert_eq!(changes_since_last().await, both(false), "more was added");
    lent(&*store, &key, 5, 5, NOON).await;
    draw(&*store, &key, 1, 1, NOON).await;
    let next_month = Month::of(NOON).next().start_ms();
    let record = store.find_key(key.clone()).await.unwrap().unwrap();
    assert!(record.is_spent(next_month - 1) && !record.is_spent(next_month), "the mark is for a month");
    assert_eq!(lent(&*store, &key, 1, 1_000, next_month).await.chars, 105);
}

async fn a_cap_applies_in_addition_to_the_allowance_and_after_a_rotation(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, _) = account_with(&*store, 1_000).await;
    let capped = KeySpec { monthly_cap: Some(100), ..KeySpec::named("b") };
    let key = key_of(&*store, &account, capped.clone(), NOON).await.record.prefix;
    let lease = lent(&*store, &key, 1, 70, NOON).await;
    store.settle_lease(lease.id, 70, NOON).await.unwrap();
    let rotated = store.rotate_key(Actor::Operator, key.clone(), 0, NOON + 1).await.unwrap();
    let Rotation::Rotated { new, .. } = rotated else { panic!("{rotated:?}") };
    assert_eq!(draw(&*store, &key, 1, 1, NOON + 1).await, Draw::NoKey, "the old one is over");
    let lease = lent(&*store, &new.record.prefix, 1, 500, NOON + 1).await;
    assert_eq!(lease.chars, 30);
    assert!(matches!(draw(&*store, &new.record.prefix, 1, 1, NOON + 1).await, Draw::Spent { left: 0, .. }));
    let record = store.find_key(new.record.prefix.clone()).await.unwrap().unwrap();
    assert!(record.is_spent(NOON) && record.is_metered);
    store.settle_lease(lease.id, 0, NOON).await.unwrap();
    assert!(!store.find_key(new.record.prefix.clone()).await.unwrap().unwrap().is_spent(NOON));
    assert_eq!(state(&*store, &account, NOON).await, (70, 0));

    // a key without an account has only its cap
    let key = operator_key(&*store, capped, NOON).await.record;
    assert!(key.is_metered);
    assert_eq!(lent(&*store, &key.prefix, 1, 500, NOON).await.chars, 100);
    assert!(matches!(draw(&*store, &key.prefix, 1, 1, NOON).await, Draw::Spent { left: 0, .. }));
}

async fn operator_keys_are_unmetered_and_locked_accounts_get_no_lease(database: &impl TestDatabase) {
    let store = database.open().await;
    let first = store.ensure_first_key(NOON).await.unwrap().unwrap().record.prefix;
    let nobody_s = operator_key(&*store, KeySpec::named("a"), NOON).await.record.prefix;
    for key in [&first, &nobody_s] {
        assert_eq!(draw(&*store, key, 1, 1_000, NOON).await, Draw::Unmetered);
    }
    let operator = store.ensure_operator(NOON).await.unwrap();
    assert_eq!(store.allowance(operator.id, NOON).await.unwrap().unwrap().chars, None);
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("b"), NOON).await.record.prefix;
    assert_eq!(draw(&*store, &key, 1, 1, NOON).await, Draw::Locked(AccessLock::NoPromoCode));
    store.unlock_account(Actor::Operator, account.email.clone(), Some(10), NOON).await.unwrap();
    lent(&*store, &key, 1, 1, NOON).await;
    store.lock_account(Actor::Operator, account.email.clone(), NOON).await.unwrap();
    assert_eq!(draw(&*store, &key, 1, 1, NOON).await, Draw::Locked(AccessLock::ByOperator));
    store.revoke_key(Actor::Operator, key.clone(), NOON).await.unwrap();
    assert_eq!(draw(&*store, &key, 1, 1, NOON).await, Draw::NoKey);
    assert_eq!(draw(&*store, &KeyPrefix::parse("sk_zzzzzzzz").unwrap(), 1, 1, NOON).await, Draw::NoKey);
}

async fn an_expired_lease_is_returned_except_for_reported_usage(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 1_000).await;
    let lease = {
        let dying = database.open().await;
        let lease = lent(&*dying, &key, 1, 1_000, NOON).await;
        let report = |used| UsageReport {
            leases: vec![(lease.id, used)],
            ..UsageReport::new(ReportId::first().unwrap())
        };
        assert_eq!(dying.record_usage(report(300), NOON + MINUTE).await.unwrap(), []);
        assert_eq!(
            dying.record_usage(report(200), NOON + MINUTE).await.unwrap(),
            [],
            "an old report takes nothing back"
        );
        lease
    };
    assert_eq!(state(&*store, &account, NOON).await, (300, 700));
    let end = NOON + MINUTE + LEASE_LIFE_MS;
    assert!(matches!(draw(&*store, &key, 1, 1_000, end - 1).await, Draw::Spent { left: 0, .. }));
    assert_eq!(lent(&*store, &key, 1, 1_000, end).await.chars, 700);
    let late = UsageReport { leases: vec![(lease.id, 400)], ..UsageReport::new(ReportId::first().unwrap()) };
    assert_eq!(
        store.record_usage(late, end).await.unwrap(),
        [lease.id],
        "a server that is still running is notified"
    );
    assert!(!store.settle_lease(lease.id, 400, end).await.unwrap());
}

async fn a_lease_belongs_to_the_month_of_its_draw(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 100).await;
    let next_month = Month::of(NOON).next().start_ms();
    let old = lent(&*store, &key, 1, 80, next_month - 1).await;
    let new = lent(&*store, &key, 1, 1_000, next_month).await;
    assert_eq!((old.month, new.month, new.chars), (Month::of(NOON), Month::of(NOON).next(), 100));
    store.settle_lease(old.id, 30, next_month).await.unwrap();
    assert_eq!(state(&*store, &account, NOON).await, (30, 0));
    assert_eq!(state(&*store, &account, next_month).await, (0, 100));
}

fn entry(key: &KeyPrefix, now_ms: i64, voice: &str, language: Language, chars: u64) -> UsageEntry {
    let amount = Usage { chars, requests: 1, audio_ms: chars * 80 };
    let (day, voice, api) = (Day::of(now_ms), voice.into(), "clip".into());
    UsageEntry { key: key.clone(), day, voice, language, api, amount }
}

fn amount(chars: u64, requests: u64) -> Usage {
    Usage { chars, requests, audio_ms: chars * 80 }
}

async fn usage_is_summed_by_key_voice_language_api_and_day(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let store = &stores[0];
    let (account, key) = account_with(&**store, 1_000).await;
    let revoked = key_of(&**store, &account, KeySpec::named("b"), NOON).await.record.prefix;
    store.revoke_key(Actor::Operator, revoked.clone(), NOON).await.unwrap();
    let nobody_s = operator_key(&**store, KeySpec::named("c"), NOON).await.record.prefix;
    let tomorrow = NOON + 24 * HOUR;
    let mut reports = tokio::task::JoinSet::new();
    for i in 0..40 {
        let store = stores[i % 2].clone();
        let entries = vec![
            entry(&key, NOON, "Ananya", Language::Hindi, 10),
            entry(&key, NOON, "Ananya", Language::Hindi, 1),
            entry(&key, NOON, "Arjun", Language::Hindi, 2),
            entry(&key, tomorrow, "Ananya", Language::Tamil, 3),
            entry(&revoked, tomorrow, "Ananya", Language::Tamil, 4),
            entry(&nobody_s, tomorrow, "Ananya", Language::Tamil, 5),
            UsageEntry { api: "openai".into(), ..entry(&nobody_s, tomorrow, "Ananya", Language::Tamil, 6) },
        ];
        reports.spawn(async move {
            store
                .record_usage(UsageReport { entries, ..UsageReport::new(ReportId::first().unwrap()) }, NOON)
                .await
                .unwrap()
        });
    }
    reports.join_all().await;
    let (first, last) = (Day::of(NOON), Day::of(tomorrow));
    let by_day = async |of, first, last| store.usage_by_day(of, first, last).await.unwrap();
    let hindi = DayUsage {
        day: first,
        voice: "Ananya".into(),
        language: Language::Hindi,
        api: "clip".into(),
        amount: amount(440, 80),
    };
    let arjun = DayUsage { voice: "Arjun".into(), amount: amount(80, 40), ..hindi.clone() };
    let tamil = |chars, requests| DayUsage {
        day: last,
        voice: "Ananya".into(),
        language: Language::Tamil,
        api: "clip".into(),
        amount: amount(chars, requests),
    };
    let openai = DayUsage { api: "openai".into(), ..tamil(240, 40) };
    assert_eq!(
        by_day(UsageOf::Key(key.clone()), first, last).await,
        [hindi.clone(), arjun.clone(), tamil(120, 40)]
    );
    assert_eq!(
        by_day(UsageOf::Account(account.id.clone()), first, last).await,
        [hindi.clone(), arjun.clone(), tamil(280, 80)]
    );
    assert_eq!(by_day(UsageOf::All, last, last).await, [tamil(480, 120), openai.clone()]);
    assert_eq!(by_day(UsageOf::Key(key.clone()), first, first).await, [hindi, arjun]);
    assert_eq!(by_day(UsageOf::All, last.plus(1), last.plus(9)).await, []);
    assert_eq!(by_day(UsageOf::All, last, first).await, []);
    assert_eq!(by_day(UsageOf::All, first, first.plus(USAGE_DAYS - 1)).await.len(), 4);
    assert_eq!(
        by_day(UsageOf::All, first, first.plus(USAGE_DAYS)).await.len(),
        2,
        "the last days of a long range"
    );
    let of_key = |day, key: &KeyPrefix, amount| KeyDayUsage { day, key: key.clone(), amount };
    let mut by_key = [
        of_key(first, &key, amount(520, 120)),
        of_key(last, &key, amount(120, 40)),
        of_key(last, &revoked, amount(160, 40)),
    ];
    by_key.sort_by(|one, other| (one.day, &one.key).cmp(&(other.day, &other.key)));
    assert_eq!(store.usage_by_day_and_key(account.id.clone(), first, last).await.unwrap(), by_key);
    assert_eq!(store.find_key(key.clone()).await.unwrap().unwrap().last_used_ms, Some(NOON));

    store.prune(first.plus(USAGE_DAYS).start_ms()).await.unwrap();
    assert_eq!(
        by_day(UsageOf::All, first, last).await,
        [tamil(480, 120), openai],
        "the first day is too old"
    );
}

async fn a_report_is_stored_completely_or_not_at_all(database: &impl TestDatabase) {
    let store = database.open().await;
    let (_, key) = account_with(&*store, 1_000).await;
    let mut too_many = entry(&key, NOON, "Arjun", Language::Hindi, 1);
    too_many.amount.chars = u64::MAX;
    let entries = vec![entry(&key, NOON, "Ananya", Language::Hindi, 10), too_many.clone(), too_many];
    assert!(
        store
            .record_usage(UsageReport { entries, ..UsageReport::new(ReportId::first().unwrap()) }, NOON)
            .await
            .is_err()
    );
    let day = Day::of(NOON);
    assert_eq!(store.usage_by_day(UsageOf::All, day, day).await.unwrap(), []);
}

async fn a_repeated_report_counts_once(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 1_000).await;
    let lease = lent(&*store, &key, 1, 1_000, NOON).await;
    let first = ReportId::first().unwrap();
    let report = |id, used, chars| UsageReport {
        entries: vec![entry(&key, NOON, "Ananya", Language::Hindi, chars)],
        leases: vec![(lease.id, used)],
        overdrafts: vec![Overdraft { key: key.clone(), month: Month::of(NOON), chars: 5 }],
        ..UsageReport::new(id)
    };
    for _ in 0..3 {
        assert_eq!(store.record_usage(report(first, 10, 15), NOON).await.unwrap(), []);
    }
    store.record_usage(report(first.next(), 30, 25), NOON).await.unwrap();
    // the first report arrives again after the second one
    store.record_usage(report(first, 10, 15), NOON).await.unwrap();
    let usage = || async {
        let (of, day) = (UsageOf::Key(key.clone()), Day::of(NOON));
        store.usage_by_day(of, day, day).await.unwrap()[0].amount.chars
    };
    assert_eq!((usage().await, state(&*store, &account, NOON).await), (40, (40, 970)));
    store.record_usage(report(ReportId::first().unwrap(), 30, 1), NOON).await.unwrap();
    assert_eq!(usage().await, 41, "another server's first is another");
    store.prune(NOON + 8 * 24 * HOUR).await.unwrap();
    assert_eq!(database.rows("usage_reports").await, 0, "stopped servers leave no rows");
}

async fn usage_without_a_lease_is_drawn_from_any_remaining_allowance(database: &impl TestDatabase) {
    let store = database.open().await;
    let (account, key) = account_with(&*store, 100).await;
    let gone = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    let month = Month::of(NOON);
    let overdrafts = [(&key, 70), (&gone, 9), (&key, 50)];
    let overdrafts = overdrafts.map(|(key, chars)| Overdraft { key: key.clone(), month, chars });
    let entries = vec![
        entry(&gone, NOON, "Ananya", Language::Hindi, 9),
        entry(&key, NOON, "Ananya", Language::Hindi, 120),
    ];
    let report = UsageReport {
        overdrafts: overdrafts.to_vec(),
        entries,
        ..UsageReport::new(ReportId::first().unwrap())
    };
    store.record_usage(report, NOON).await.unwrap();
    assert_eq!(state(&*store, &account, NOON).await, (120, 0));
    assert!(matches!(draw(&*store, &key, 1, 1, NOON).await, Draw::Spent { left: 0, .. }));
    let day = Day::of(NOON);
    let usage = store.usage_by_day(UsageOf::All, day, day).await.unwrap();
    assert_eq!(usage.len(), 1, "usage of a deleted key is not counted: {usage:?}");
}

async fn accounts_are_warned_once_per_threshold_and_month(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let store = &*stores[0];
    let (account, key) = account_with(store, 1_000).await;
    let operator = operator_key(store, KeySpec { monthly_cap: Some(10), ..KeySpec::named("b") }, NOON).await;
    lent(store, &operator.record.prefix, 10, 10, NOON).await;
    let take = async |now_ms| {
        let warnings = store.take_quota_warnings(9, now_ms).await.unwrap();
        warnings.into_iter().map(|one| (one.email, one.percent, one.allowance.used)).collect::<Vec<_>>()
    };
    assert_eq!(take(NOON).await, []);
    // lent characters do not count as used
    let lease = lent(store, &key, 900, 900, NOON).await;
    assert_eq!(take(NOON).await, []);
    store.settle_lease(lease.id, 799, NOON).await.unwrap();
    assert_eq!(take(NOON).await, []);
    let lease = lent(store, &key, 1, 1, NOON).await;
    store.settle_lease(lease.id, 1, NOON).await.unwrap();
    assert_eq!(take(NOON).await, [], "there is no address for the mail");
    let session = sign_in(store, account.email.as_str(), NOON).await.secret.hash();
    let request = store.request_verification(account.email.clone(), NOON).await.unwrap();
    let VerificationRequest::Made(link) = request else { panic!("{request:?}") };
    store.verify_address(link.secret.hash(), session, NOON).await.unwrap();

    // only one of many concurrent callers gets the warning
    let mut tasks = tokio::task::JoinSet::new();
    for i in 0..10 {
        let store = stores[i % 2].clone();
        tasks.spawn(async move { store.take_quota_warnings(9, NOON).await.unwrap() });
    }
    let results: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(results.len(), 1, "{results:?}");
    assert_eq!((&results[0].email, results[0].percent), (&account.email, 80));
    assert_eq!((results[0].allowance.used, results[0].allowance.chars), (800, Some(1_000)));
    assert_eq!(take(NOON).await, []);

    let lease = lent(store, &key, 200, 200, NOON).await;
    store.settle_lease(lease.id, 200, NOON).await.unwrap();
    assert_eq!(take(NOON).await, [(account.email.clone(), 100, 1_000)]);
    assert_eq!(take(NOON).await, []);

    let next = NOON + 30 * 24 * HOUR;
    assert_eq!(take(next).await, []);
    let lease = lent(store, &key, 1_000, 1_000, next).await;
    store.settle_lease(lease.id, 1_000, next).await.unwrap();
    assert_eq!(take(next).await, [(account.email.clone(), 100, 1_000)], "100 at once, and 80 never");
    assert_eq!(take(next).await, []);
    store.prune(next).await.unwrap();
    assert_eq!(database.rows("quota_warnings").await, 1, "those of this month");
}
