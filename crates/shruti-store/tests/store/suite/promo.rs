//! Promo codes, on every store.

use super::{DAY, HOUR, MINUTE, NOON, TestDatabase, email, events, key_of, redeem, sign_up};
use shruti_store::{
    Actor, KeySpec, NamedPromo, PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoCode, PromoDisabling, PromoRecord,
    PromoSpec, Redemption,
};

super::on_every_store!(
    only_one_of_fifty_redemptions_gets_the_last_use,
    a_code_counts_once_per_account,
    case_and_dashes_are_ignored,
    wrong_codes_are_limited_to_five_per_hour,
    attempts_that_are_not_guesses_are_not_counted,
    servers_receive_access_changes_with_key_changes,
    codes_are_not_stored_and_are_shown_by_their_beginning,
);

const SPEC: PromoSpec = PromoSpec { chars: 10_000, uses: 1, expires_ms: None };

async fn only_one_of_fifty_redemptions_gets_the_last_use(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let promo = stores[0].create_promo(Actor::Operator, PromoSpec { uses: 2, ..SPEC }, NOON).await.unwrap();
    let early = sign_up(&*stores[0], "early@example.org", NOON).await;
    assert!(matches!(
        redeem(&*stores[0], &early, &promo.code.to_string(), NOON).await,
        Redemption::Redeemed { .. }
    ));
    let mut accounts = Vec::new();
    for i in 0..50 {
        let address = email(&format!("a{i}@example.org"));
        stores[0].invite_account(Actor::Operator, address.clone(), NOON).await.unwrap();
        accounts.push(stores[0].find_account(address).await.unwrap().unwrap());
    }
    let mut tries = tokio::task::JoinSet::new();
    for (i, account) in accounts.into_iter().enumerate() {
        let (store, code) = (stores[i % 2].clone(), promo.code.to_string());
        tries.spawn(async move { redeem(&*store, &account, &code, NOON).await });
    }
    let (mut redeemed, mut exhausted) = (0, 0);
    for outcome in tries.join_all().await {
        match outcome {
            Redemption::Redeemed { account, added_chars } => {
                redeemed += 1;
                assert_eq!(
                    (account.monthly_chars, added_chars, account.access_lock()),
                    (10_000, 10_000, None)
                );
            }
            Redemption::Exhausted => exhausted += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((redeemed, exhausted), (1, 49));
    assert_eq!(stores[1].list_promos().await.unwrap(), [PromoRecord { used: 2, ..promo.record }]);
    let mut open = 0;
    for account in stores[1].list_accounts(None, 100).await.unwrap() {
        open += u32::from(account.access_lock().is_none());
    }
    assert_eq!(open, 2, "only who redeemed it has access");
}

async fn a_code_counts_once_per_account(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let promo = stores[0].create_promo(Actor::Operator, PromoSpec { uses: 100, ..SPEC }, NOON).await.unwrap();
    let account = sign_up(&*stores[0], "asha@example.org", NOON).await;
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (store, code, account) = (stores[i % 2].clone(), promo.code.to_string(), account.clone());
        tries.spawn(async move { redeem(&*store, &account, &code, NOON).await });
    }
    let outcomes = tries.join_all().await;
    let redeemed = outcomes.iter().filter(|outcome| matches!(outcome, Redemption::Redeemed { .. })).count();
    let again = outcomes.iter().filter(|outcome| **outcome == Redemption::AlreadyRedeemed).count();
    assert_eq!((redeemed, again), (1, 49));
    assert_eq!(stores[0].list_promos().await.unwrap()[0].used, 1);
    let other = stores[0].create_promo(Actor::Operator, PromoSpec { chars: 5, ..SPEC }, NOON).await.unwrap();
    let added = redeem(&*stores[0], &account, &other.code.to_string(), NOON).await;
    let Redemption::Redeemed { account, .. } = added else { panic!("{added:?}") };
    assert_eq!(account.monthly_chars, 10_005, "different codes add up");
    assert_eq!(account.access_ms, Some(NOON));
}

async fn case_and_dashes_are_ignored(database: &impl TestDatabase) {
    let store = database.open().await;
    let promo = store.create_promo(Actor::Operator, PromoSpec { uses: 9, ..SPEC }, NOON).await.unwrap();
    let shown = promo.code.to_string();
    for (i, typed) in [shown.to_lowercase(), shown.replace('-', ""), format!("  {shown} ")].iter().enumerate()
    {
        let account = sign_up(&*store, &format!("a{i}@example.org"), NOON).await;
        let outcome = redeem(&*store, &account, typed, NOON).await;
        assert!(matches!(outcome, Redemption::Redeemed { .. }), "{typed}: {outcome:?}");
    }
}

async fn wrong_codes_are_limited_to_five_per_hour(database: &impl TestDatabase) {
    let store = database.open().await;
    let promo = store.create_promo(Actor::Operator, SPEC, NOON).await.unwrap();
    let right = promo.code.to_string();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let unknown = PromoCode::generate().unwrap().to_string();
    let wrong = [unknown.as_str(), "", "नमस्ते", "'; DROP TABLE promo_codes; --", &"x".repeat(10_000)];
    for (i, typed) in (0_u32..).zip(wrong) {
        let outcome = redeem(&*store, &account, typed, NOON + i64::from(i) * MINUTE).await;
        assert_eq!(outcome, Redemption::Unknown { tries_left: PROMO_TRIES - 1 - i }, "{typed}");
    }
    for typed in [right.as_str(), "wrong"] {
        let outcome = redeem(&*store, &account, typed, NOON + 10 * MINUTE).await;
        assert_eq!(outcome, Redemption::Wait { retry_in_ms: 50 * MINUTE.unsigned_abs() }, "{typed}");
    }
    let other = sign_up(&*store, "b@example.org", NOON).await;
    assert_eq!(redeem(&*store, &other, "wrong", NOON).await, Redemption::Unknown { tries_left: 4 });
    let free = NOON + PROMO_TRIES_WINDOW_MS;
    assert_eq!(redeem(&*store, &account, &right, free - 1).await, Redemption::Wait { retry_in_ms: 1 });
    assert_eq!(
        redeem(&*store, &account, "wrong", free).await,
        Redemption::Unknown { tries_left: 0 },
        "one is an hour old"
    );
    assert!(matches!(redeem(&*store, &account, &right, free + MINUTE).await, Redemption::Redeemed { .. }));
    let log = events(&*store).await;
    assert!(log.contains(&"promo_redemption unknown_code x6".to_owned()), "{log:?}");
    let log = format!("{:?}", store.audit_log(None, None, 100).await.unwrap());
    assert!(
        !log.contains(&right) && log.contains(promo.code.beginning().as_str()) && !log.contains("DROP"),
        "{log}"
    );
}

async fn attempts_that_are_not_guesses_are_not_counted(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let make = async |spec| store.create_promo(Actor::Operator, spec, NOON).await.unwrap().code;
    let expired = make(PromoSpec { expires_ms: Some(NOON + HOUR), ..SPEC }).await;
    let ended = make(SPEC).await;
    let exhausted = make(SPEC).await;
    let other = sign_up(&*store, "b@example.org", NOON).await;
    redeem(&*store, &other, &exhausted.to_string(), NOON).await;
    let disabled =
        store.disable_promo(Actor::Operator, NamedPromo::Whole(ended.clone()), NOON).await.unwrap();
    assert!(
        matches!(&disabled, PromoDisabling::Disabled(record) if record.disabled_ms == Some(NOON)),
        "{disabled:?}"
    );
    let again =
        store.disable_promo(Actor::Operator, NamedPromo::Whole(ended.clone()), NOON + 1).await.unwrap();
    assert!(matches!(&again, PromoDisabling::AlreadyDisabled(record) if record.disabled_ms == Some(NOON)));
    let unknown = store
        .disable_promo(Actor::Operator, NamedPromo::Whole(PromoCode::generate().unwrap()), NOON)
        .await
        .unwrap();
    assert_eq!(unknown, PromoDisabling::Unknown);
    for _ in 0..3 {
        assert_eq!(redeem(&*store, &account, &expired.to_string(), NOON + HOUR).await, Redemption::Expired);
        assert_eq!(redeem(&*store, &account, &ended.to_string(), NOON + HOUR).await, Redemption::Expired);
        assert_eq!(
            redeem(&*store, &account, &exhausted.to_string(), NOON + HOUR).await,
            Redemption::Exhausted
        );
    }
    let in_time = redeem(&*store, &account, &expired.to_string(), NOON + HOUR - 1).await;
    assert!(matches!(in_time, Redemption::Redeemed { .. }), "{in_time:?}");
    store.lock_account(Actor::Operator, account.email.clone(), NOON).await.unwrap();
    assert_eq!(redeem(&*store, &account, &expired.to_string(), NOON).await, Redemption::NoAccount);
}

async fn servers_receive_access_changes_with_key_changes(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("a"), NOON).await.record;
    let promo = store.create_promo(Actor::Operator, SPEC, NOON).await.unwrap();
    let before = store.key_revision().await.unwrap();
    redeem(&*store, &account, &promo.code.to_string(), NOON + DAY).await;
    let changes = store.key_changes_since(before).await.unwrap().keys;
    assert_eq!((changes.len(), &changes[0].prefix, changes[0].lock), (1, &key.prefix, None));
}

async fn codes_are_not_stored_and_are_shown_by_their_beginning(database: &impl TestDatabase) {
    let store = database.open().await;
    let promo = store.create_promo(Actor::Operator, SPEC, NOON).await.unwrap();
    let other = store.create_promo(Actor::Operator, SPEC, NOON).await.unwrap();
    for code in [&promo.code, &other.code] {
        assert!(
            !database.holds(&code.to_string().replace('-', "")).await
                && !database.holds(&code.to_string()).await
        );
    }
    let listed = store.list_promos().await.unwrap();
    assert!(listed.contains(&promo.record) && listed.contains(&other.record), "{listed:?}");
    let named = NamedPromo::Beginning(promo.code.beginning());
    let ended = store.disable_promo(Actor::Operator, named, NOON).await.unwrap();
    assert!(matches!(&ended, PromoDisabling::Disabled(record) if record.beginning == promo.code.beginning()));
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    assert_eq!(redeem(&*store, &account, &promo.code.to_string(), NOON).await, Redemption::Expired);
    let redeemed = redeem(&*store, &account, &other.code.to_string(), NOON).await;
    assert!(matches!(redeemed, Redemption::Redeemed { .. }), "the other account continues: {redeemed:?}");
}
