//! Accounts and passwords, on every store.

use super::{
    DAY, HOUR, MINUTE, NOON, PASSWORD, TestDatabase, email, events, key_of, new_password, sign_in, sign_up,
    try_password,
};
use shruti_lang::Language;
use shruti_store::{
    AccessLock, Account, AccountChange, AccountCreation, AccountSearch, Actor, Day, EmailAddress,
    FAILURES_FORGOTTEN_MS, FREE_FAILURES, Invitation, Issuance, KeyPrefix, KeySpec,
    LINK_SESSION_SETS_PASSWORD_MS, LOCK_OUT_FAILURES, LOCK_OUT_MS, OperatorChange, Password, PasswordChange,
    ReportId, SESSION_IDLE_MS, SignIn, Usage, UsageEntry, UsageReport,
};

super::on_every_store!(
    an_address_has_one_account,
    the_operator_address_cannot_be_registered,
    the_first_key_belongs_to_the_operator_without_allowance,
    the_command_line_creates_keys_of_the_operator_account,
    an_operator_with_a_password_or_a_session_can_sign_in,
    a_wrong_password_and_a_wrong_address_get_the_same_answer,
    wrong_passwords_expire_after_a_day,
    concurrent_wrong_passwords_are_counted,
    a_password_change_ends_all_sessions_except_the_new_one,
    after_a_reset_only_the_link_signs_in_and_can_set_a_password,
    a_lock_by_the_operator_disables_sessions_tokens_and_keys_until_unlocked,
    the_two_locks_are_independent,
    an_invited_account_signs_in_with_its_link,
    accounts_are_listed_in_pages,
    account_search_returns_usage,
    operator_rights_are_granted_and_revoked,
    a_former_operator_loses_the_account_of_the_first_start,
    no_file_contains_a_password_a_session_or_a_link,
    the_audit_log_is_read_in_pages_to_its_end,
);

async fn an_address_has_one_account(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let mut tries = tokio::task::JoinSet::new();
    for i in 0..10 {
        let store = stores[i % 2].clone();
        let address = if i < 5 { "asha@example.org" } else { " ASHA@Example.org" };
        tries.spawn(async move {
            store.create_account(email(address), new_password(PASSWORD), NOON).await.unwrap()
        });
    }
    let made: Vec<_> =
        tries.join_all().await.into_iter().filter(|made| *made != AccountCreation::Exists).collect();
    let found = stores[0].find_account(email("asha@example.org")).await.unwrap().unwrap();
    assert_eq!(made, [AccountCreation::Created(found.clone())]);
    assert_eq!(found.access_lock(), Some(AccessLock::NoPromoCode), "locked for access until a promo code");
    assert!(found.has_password && !found.is_operator && found.locked_ms.is_none());
    let log = stores[0].audit_log(Some(found.id), None, 10).await.unwrap();
    let log: Vec<_> = log.iter().map(|entry| (entry.outcome.as_str(), entry.times)).collect();
    assert_eq!(log.len(), 2, "{log:?}");
    assert!(log.contains(&("ok", 1)) && log.contains(&("exists", 9)), "{log:?}");
}

async fn the_operator_address_cannot_be_registered(database: &impl TestDatabase) {
    let store = database.open().await;
    for _ in 0..2 {
        let tried =
            store.create_account(EmailAddress::operator(), new_password(PASSWORD), NOON).await.unwrap();
        assert_eq!(tried, AccountCreation::Exists);
        assert!(matches!(try_password(&*store, "operator@localhost", PASSWORD, NOON).await, SignIn::Refused));
        let operator = store.ensure_operator(NOON).await.unwrap();
        assert_eq!(store.ensure_operator(NOON + 1).await.unwrap(), operator, "made once");
        assert_eq!(
            (operator.is_operator, operator.has_password, operator.access_lock()),
            (true, false, None)
        );
    }
}

async fn an_operator_with_a_password_or_a_session_can_sign_in(database: &impl TestDatabase) {
    let store = database.open().await;
    let can = async |now_ms| store.can_operator_sign_in(now_ms).await.unwrap();
    assert!(!can(NOON).await, "there is no operator");
    let operator = store.ensure_operator(NOON).await.unwrap();
    sign_up(&*store, "asha@example.org", NOON).await;
    sign_in(&*store, "asha@example.org", NOON).await;
    let link = store.create_sign_in_link(operator.id, Actor::Operator, NOON).await.unwrap().unwrap();
    assert!(!can(NOON).await, "an unused link, and an account that is not an operator");
    let session = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap().secret;
    assert!(can(NOON + MINUTE).await, "a session");
    assert!(!can(NOON + SESSION_IDLE_MS + MINUTE).await, "an expired unused session");
    store.end_session(session.hash(), NOON + MINUTE).await.unwrap();
    assert!(!can(NOON + MINUTE).await, "a session that ended");
    let asha = email("asha@example.org");
    store.set_operator(Actor::Operator, asha.clone(), true, NOON).await.unwrap();
    assert!(can(NOON + 400 * DAY).await, "a password");
    store.lock_account(Actor::Operator, asha, NOON).await.unwrap();
    assert!(!can(NOON).await, "a locked account");
}

async fn the_first_key_belongs_to_the_operator_without_allowance(database: &impl TestDatabase) {
    let store = database.open().await;
    let first = store.ensure_first_key(NOON).await.unwrap().unwrap().record;
    let operator = store.find_account(EmailAddress::operator()).await.unwrap().unwrap();
    assert_eq!(first.account, Some(operator.id));
    assert_eq!((first.lock, first.is_metered, first.spent), (None, false, None));
}

async fn the_command_line_creates_keys_of_the_operator_account(database: &impl TestDatabase) {
    let store = database.open().await;
    let key = store.create_operator_key(KeySpec::named("laptop"), NOON).await.unwrap().record;
    let operator = store.find_account(EmailAddress::operator()).await.unwrap().unwrap();
    assert_eq!((&key.account, key.lock, key.is_metered), (&Some(operator.id.clone()), None, false));
    assert_eq!(store.list_keys(Actor::Account(operator.id)).await.unwrap(), [key]);
    assert_eq!(events(&*store).await, ["account_created ok x1", "key_created ok x1"]);
    let log = store.audit_log(None, None, 10).await.unwrap();
    assert!(
        log.iter().all(|entry| entry.actor == "operator"),
        "by the command line, not by a session: {log:?}"
    );
}

async fn a_wrong_password_and_a_wrong_address_get_the_same_answer(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, "asha@example.org", NOON).await;
    let mut now = NOON;
    for failures in 1..=LOCK_OUT_FAILURES + 1 {
        for address in ["asha@example.org", "nobody@example.org"] {
            let refused = try_password(&*store, address, "wrong password", now).await;
            assert!(matches!(refused, SignIn::Refused), "{address} {failures}: {refused:?}");
        }
        let wait = match failures {
            0..FREE_FAILURES => 0,
            5..10 => 1_000 << (failures - 5),
            _ => LOCK_OUT_MS,
        };
        if wait > 0 {
            for address in ["asha@example.org", "nobody@example.org"] {
                let SignIn::Wait { retry_in_ms } = try_password(&*store, address, PASSWORD, now).await else {
                    panic!("{address}: no wait after {failures}");
                };
                assert_eq!(retry_in_ms, wait.unsigned_abs(), "{address} after {failures}");
                let early = try_password(&*store, address, PASSWORD, now + wait - 1).await;
                assert!(matches!(early, SignIn::Wait { retry_in_ms: 1 }), "{early:?}");
            }
        }
        now += wait;
    }
    let signed_in = try_password(&*store, "asha@example.org", PASSWORD, now).await;
    assert!(
        matches!(signed_in, SignIn::SignedIn(_)),
        "after the wait, the correct password is accepted: {signed_in:?}"
    );
    for _ in 1..FREE_FAILURES {
        assert!(matches!(try_password(&*store, "asha@example.org", "wrong", now).await, SignIn::Refused));
    }
    sign_in(&*store, "asha@example.org", now).await;
    let log = events(&*store).await;
    assert_eq!(
        log,
        [
            "account_created ok x1",
            "sign_in wrong_password x15",
            "sign_in unknown_account x11",
            "sign_in ok x1",
            "sign_in ok x1"
        ]
    );
}

async fn wrong_passwords_expire_after_a_day(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, "asha@example.org", NOON).await;
    for _ in 0..FREE_FAILURES {
        try_password(&*store, "asha@example.org", "wrong", NOON).await;
    }
    let later = NOON + FAILURES_FORGOTTEN_MS;
    for _ in 0..FREE_FAILURES {
        let refused = try_password(&*store, "asha@example.org", "wrong", later).await;
        assert!(matches!(refused, SignIn::Refused), "counted anew: {refused:?}");
    }
    assert!(matches!(try_password(&*store, "asha@example.org", "wrong", later).await, SignIn::Wait { .. }));
}

async fn concurrent_wrong_passwords_are_counted(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    sign_up(&*stores[0], "asha@example.org", NOON).await;
    let mut guesses = tokio::task::JoinSet::new();
    for i in 0..40 {
        let store = stores[i % 2].clone();
        guesses.spawn(async move { try_password(&*store, "asha@example.org", "wrong", NOON).await });
    }
    let tried = guesses.join_all().await.iter().filter(|tried| matches!(tried, SignIn::Refused)).count();
    assert_eq!(tried, FREE_FAILURES as usize);
}

async fn a_password_change_ends_all_sessions_except_the_new_one(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, "asha@example.org", NOON).await;
    let (here, elsewhere) =
        (sign_in(&*store, "asha@example.org", NOON).await, sign_in(&*store, "asha@example.org", NOON).await);
    let change = async |session: &shruti_store::SessionSecret, present: Option<&str>, now| {
        let new = new_password("another-kettle-10");
        store.change_password(session.hash(), present.map(Password::typed), new, now).await.unwrap()
    };
    assert!(matches!(change(&here.secret, Some("wrong"), NOON).await, PasswordChange::WrongPassword));
    assert!(matches!(change(&here.secret, None, NOON).await, PasswordChange::WrongPassword));
    let changed = change(&here.secret, Some(PASSWORD), NOON).await;
    let PasswordChange::Changed(new) = changed else { panic!("{changed:?}") };
    for old in [&here, &elsewhere] {
        assert_eq!(store.find_session(old.secret.hash(), NOON).await.unwrap(), None);
        assert!(matches!(change(&old.secret, Some(PASSWORD), NOON).await, PasswordChange::NoSession));
    }
    assert_eq!(store.find_session(new.secret.hash(), NOON).await.unwrap(), Some(new.session));
    assert!(matches!(try_password(&*store, "asha@example.org", PASSWORD, NOON).await, SignIn::Refused));
    let signed_in = try_password(&*store, "asha@example.org", "another-kettle-10", NOON).await;
    assert!(matches!(signed_in, SignIn::SignedIn(_)), "{signed_in:?}");
    for _ in 0..FREE_FAILURES {
        assert!(matches!(change(&new.secret, Some("wrong"), NOON).await, PasswordChange::WrongPassword));
    }
    assert!(matches!(
        change(&new.secret, Some("wrong"), NOON).await,
        PasswordChange::Wait { retry_in_ms: 1_000 }
    ));
}

async fn after_a_reset_only_the_link_signs_in_and_can_set_a_password(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, "asha@example.org", NOON).await;
    let old = sign_in(&*store, "asha@example.org", NOON).await;
    assert!(
        store.reset_password(Actor::Operator, email("nobody@example.org"), NOON).await.unwrap().is_none()
    );
    let (account, link) =
        store.reset_password(Actor::Operator, email("asha@example.org"), NOON).await.unwrap().unwrap();
    assert!(!account.has_password);
    assert_eq!(store.find_session(old.secret.hash(), NOON).await.unwrap(), None);
    assert!(matches!(try_password(&*store, "asha@example.org", PASSWORD, NOON).await, SignIn::Refused));
    let session = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap();
    let late = NOON + LINK_SESSION_SETS_PASSWORD_MS;
    let set = async |now| {
        let new = new_password("another-kettle-10");
        store.change_password(session.secret.hash(), None, new, now).await.unwrap()
    };
    assert!(matches!(set(late).await, PasswordChange::WrongPassword), "an hour is over");
    assert!(matches!(set(late - 1).await, PasswordChange::Changed(_)));
    let signed_in = try_password(&*store, "asha@example.org", "another-kettle-10", late).await;
    assert!(matches!(signed_in, SignIn::SignedIn(_)), "{signed_in:?}");
}

async fn a_lock_by_the_operator_disables_sessions_tokens_and_keys_until_unlocked(
    database: &impl TestDatabase,
) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    store.unlock_account(Actor::Operator, account.email.clone(), Some(1_000), NOON).await.unwrap();
    let session = sign_in(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("a"), NOON).await.record;
    assert_eq!(key.lock, None);
    let issued = store.issue_token(key.prefix.clone(), NOON).await.unwrap();
    let Issuance::Issued(token) = issued else { panic!("{issued:?}") };
    let before = store.key_revision().await.unwrap();

    let locked = store.lock_account(Actor::Operator, account.email.clone(), NOON + 1).await.unwrap();
    let AccountChange::Changed(locked) = locked else { panic!("{locked:?}") };
    assert_eq!(locked.access_lock(), Some(AccessLock::ByOperator));
    assert_eq!(
        store.lock_account(Actor::Operator, account.email.clone(), NOON + 2).await.unwrap(),
        AccountChange::Unchanged(locked)
    );
    assert_eq!(store.find_session(session.secret.hash(), NOON).await.unwrap(), None);
    assert_eq!(store.find_token(token.secret.hash(), NOON).await.unwrap(), None);
    assert!(matches!(store.issue_token(key.prefix.clone(), NOON).await.unwrap(), Issuance::NoKey));
    let changes = store.key_changes_since(before).await.unwrap().keys;
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].lock, changes[0].revoked_ms), (Some(AccessLock::ByOperator), None));
    let tried = try_password(&*store, "asha@example.org", PASSWORD, NOON).await;
    assert!(matches!(tried, SignIn::LockedByOperator), "{tried:?}");
    let tried = try_password(&*store, "asha@example.org", "wrong", NOON).await;
    assert!(matches!(tried, SignIn::Refused), "only who knows the password learns it: {tried:?}");
    let link = store.create_sign_in_link(account.id.clone(), Actor::Operator, NOON).await.unwrap();
    assert!(link.is_none());

    let unlocked =
        store.unlock_account(Actor::Operator, account.email.clone(), None, NOON + 3).await.unwrap();
    let AccountChange::Changed(unlocked) = unlocked else { panic!("{unlocked:?}") };
    assert_eq!((unlocked.access_lock(), unlocked.monthly_chars), (None, 1_000));
    assert_eq!(store.find_key(key.prefix).await.unwrap().unwrap().lock, None);
    sign_in(&*store, "asha@example.org", NOON).await;
    for change in [
        store.lock_account(Actor::Operator, email("nobody@example.org"), NOON).await.unwrap(),
        store.unlock_account(Actor::Operator, email("nobody@example.org"), None, NOON).await.unwrap(),
    ] {
        assert_eq!(change, AccountChange::Unknown);
    }
}

async fn the_two_locks_are_independent(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let unchanged = store.unlock_account(Actor::Operator, account.email.clone(), None, NOON).await.unwrap();
    assert_eq!(unchanged, AccountChange::Unchanged(account.clone()), "the operator had not locked it");
    store.lock_account(Actor::Operator, account.email.clone(), NOON).await.unwrap();
    let unlocked = store.unlock_account(Actor::Operator, account.email.clone(), None, NOON).await.unwrap();
    let AccountChange::Changed(unlocked) = unlocked else { panic!("{unlocked:?}") };
    assert_eq!(unlocked.access_lock(), Some(AccessLock::NoPromoCode));
    for total in [500, 1_000] {
        let opened =
            store.unlock_account(Actor::Operator, account.email.clone(), Some(500), NOON).await.unwrap();
        let AccountChange::Changed(opened) = opened else { panic!("{opened:?}") };
        assert_eq!((opened.access_lock(), opened.monthly_chars, opened.access_ms), (None, total, Some(NOON)));
    }
}

async fn an_invited_account_signs_in_with_its_link(database: &impl TestDatabase) {
    let store = database.open().await;
    let invited = store.invite_account(Actor::Operator, email("asha@example.org"), NOON).await.unwrap();
    let Invitation::Invited(account, link) = invited else { panic!("{invited:?}") };
    let again = store.invite_account(Actor::Operator, email("asha@example.org"), NOON).await.unwrap();
    assert!(matches!(again, Invitation::Exists(found) if found == account));
    let operator = store.invite_account(Actor::Operator, EmailAddress::operator(), NOON).await.unwrap();
    let Invitation::Exists(operator) = operator else { panic!("{operator:?}") };
    assert!(operator.is_operator);
    let stored = store.find_account(EmailAddress::operator()).await.unwrap();
    assert_eq!(stored, Some(operator), "an announced account exists");
    let session = store.use_sign_in_link(link.secret.hash(), NOON + 30 * MINUTE).await.unwrap().unwrap();
    assert_eq!(session.session.account, account);
}

async fn accounts_are_listed_in_pages(database: &impl TestDatabase) {
    let store = database.open().await;
    for name in ["c", "a", "b", "e", "d"] {
        store.invite_account(Actor::Operator, email(&format!("{name}@example.org")), NOON).await.unwrap();
    }
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let part = store.list_accounts(after, 2).await.unwrap();
        assert!(part.len() <= 2);
        let Some(last) = part.last() else { break };
        after = Some(last.email.clone());
        listed.extend(part.iter().map(|account| account.email.name().to_owned()));
    }
    assert_eq!(listed, ["a", "b", "c", "d", "e"]);
}

async fn account_search_returns_usage(database: &impl TestDatabase) {
    let store = database.open().await;
    for name in ["asha", "ravi", "asha.k", "x_y", "xay"] {
        store.invite_account(Actor::Operator, email(&format!("{name}@example.org")), NOON).await.unwrap();
    }
    let asha = store.find_account(email("asha@example.org")).await.unwrap().unwrap();
    let key = key_of(&*store, &asha, KeySpec::named("a"), NOON).await.record.prefix;
    let ended = key_of(&*store, &asha, KeySpec { expires_ms: Some(NOON), ..KeySpec::named("b") }, NOON).await;
    let spoken = |key: &KeyPrefix, at_ms, chars| UsageEntry {
        key: key.clone(),
        day: Day::of(at_ms),
        voice: "Ananya".into(),
        language: Language::Hindi,
        api: "clip".into(),
        amount: Usage { chars, requests: 1, audio_ms: 1 },
    };
    let entries = vec![
        spoken(&key, NOON, 10),
        spoken(&key, NOON - 19 * DAY, 20),
        spoken(&key, NOON - 20 * DAY, 40), // in the previous month
        spoken(&ended.record.prefix, NOON, 80),
    ];
    store
        .record_usage(UsageReport { entries, ..UsageReport::new(ReportId::first().unwrap()) }, NOON)
        .await
        .unwrap();
    let search = async |part: &str, after: Option<&str>, limit| {
        let search = AccountSearch { part: part.to_owned(), after: after.map(email), limit };
        let found = store.search_accounts(search, NOON).await.unwrap();
        found
            .into_iter()
            .map(|one| (one.account.email.name().to_owned(), one.chars_this_month, one.usable_keys))
            .collect::<Vec<_>>()
    };
    let of = |name: &str| (name.to_owned(), 0, 0);
    assert_eq!(search("ash", None, 9).await, [of("asha.k"), ("asha".to_owned(), 110, 1)]);
    assert_eq!(search("", None, 2).await, [of("asha.k"), ("asha".to_owned(), 110, 1)]);
    assert_eq!(search("", Some("asha@example.org"), 9).await, [of("ravi"), of("x_y"), of("xay")]);
    // SQL wildcards are ordinary characters in a search
    assert_eq!(search("x_y", None, 9).await, [of("x_y")]);
    assert_eq!(search("%", None, 9).await, []);
    assert_eq!(search("' OR 1=1 --", None, 9).await, []);
}

async fn operator_rights_are_granted_and_revoked(database: &impl TestDatabase) {
    let store = database.open().await;
    let asha = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &asha, KeySpec::named("a"), NOON).await.record;
    assert_eq!((key.lock, key.is_metered), (Some(AccessLock::NoPromoCode), true));
    let set = async |name: &str, is_operator| {
        store.set_operator(Actor::Operator, email(name), is_operator, NOON).await.unwrap()
    };
    assert_eq!(set("nobody@example.org", true).await, OperatorChange::Unknown);
    assert_eq!(set("asha@example.org", false).await, OperatorChange::Unchanged(asha.clone()));
    for (is_operator, lock, event) in
        [(true, None, "operator_added"), (false, Some(AccessLock::NoPromoCode), "operator_removed")]
    {
        let before = store.key_revision().await.unwrap();
        let now = Account { is_operator, ..asha.clone() };
        assert_eq!(set("asha@example.org", is_operator).await, OperatorChange::Changed(now.clone()));
        assert_eq!(set("asha@example.org", is_operator).await, OperatorChange::Unchanged(now.clone()));
        assert_eq!(store.find_account(asha.email.clone()).await.unwrap(), Some(now));
        let changes = store.key_changes_since(before).await.unwrap().keys;
        assert_eq!((changes.len(), changes[0].lock, changes[0].is_metered), (1, lock, !is_operator));
        assert_eq!(store.audit_log(None, None, 1).await.unwrap()[0].event, event);
    }
    store.ensure_operator(NOON).await.unwrap();
    let first = EmailAddress::operator();
    assert_eq!(set(first.as_str(), false).await, OperatorChange::IsFirst);
    assert!(store.find_account(first).await.unwrap().unwrap().is_operator);

    // the log identifies an operator by account until the account is deleted, and then keeps the entry without the
    // account
    set("asha@example.org", true).await;
    let by = Actor::Account(asha.id.clone());
    sign_up(&*store, "ravi@example.org", NOON).await;
    store.lock_account(by.clone(), email("ravi@example.org"), NOON).await.unwrap();
    let newest = async || store.audit_log(None, None, 10).await.unwrap();
    assert_eq!(
        (newest().await[0].event.as_str(), newest().await[0].actor.clone()),
        ("account_locked", by.to_string())
    );
    set("asha@example.org", false).await;
    store.delete_account(Actor::Operator, email("asha@example.org"), NOON).await.unwrap();
    let left: Vec<_> = newest().await.into_iter().map(|entry| (entry.event, entry.actor)).collect();
    assert!(left.contains(&("account_locked".to_owned(), "operator".to_owned())), "{left:?}");
    assert!(!left.iter().any(|(_, actor)| *actor == by.to_string()), "{left:?}");
}

async fn a_former_operator_loses_the_account_of_the_first_start(database: &impl TestDatabase) {
    let store = &*database.open().await;
    let first = store.ensure_operator(NOON).await.unwrap();
    let (_, link) = store.reset_password(Actor::Operator, first.email.clone(), NOON).await.unwrap().unwrap();
    let by_link = store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().unwrap().secret.hash();
    let chosen = store.change_password(by_link, None, new_password(PASSWORD), NOON).await.unwrap();
    let PasswordChange::Changed(session) = chosen else { panic!("{chosen:?}") };
    let session = session.secret.hash();
    let link = store.create_sign_in_link(first.id.clone(), Actor::Operator, NOON).await.unwrap().unwrap();

    sign_up(store, "asha@example.org", NOON).await;
    let set = async |is_operator| {
        store.set_operator(Actor::Operator, email("asha@example.org"), is_operator, NOON).await.unwrap()
    };
    let goes_on = async || store.find_session(session, NOON).await.unwrap().is_some();
    set(false).await;
    set(true).await;
    assert!(goes_on().await, "a further operator and an account that was not an operator end nothing");
    set(false).await;
    assert!(!goes_on().await);
    assert!(store.use_sign_in_link(link.secret.hash(), NOON).await.unwrap().is_none());
    let tried = try_password(store, first.email.as_str(), PASSWORD, NOON).await;
    assert!(matches!(tried, SignIn::Refused), "{tried:?}");
    let own = try_password(store, "asha@example.org", PASSWORD, NOON).await;
    assert!(matches!(own, SignIn::SignedIn(_)), "its own account is unaffected: {own:?}");
    let logged = events(store).await;
    assert_eq!(logged.iter().filter(|entry| *entry == "password_reset ok x1").count(), 2, "{logged:?}");
}

async fn no_file_contains_a_password_a_session_or_a_link(database: &impl TestDatabase) {
    let store = database.open().await;
    sign_up(&*store, "asha@example.org", NOON).await;
    let session = sign_in(&*store, "asha@example.org", NOON).await;
    try_password(&*store, "asha@example.org", "a wrong password", NOON).await;
    let account = session.session.account.id;
    let link = store.create_sign_in_link(account, Actor::Operator, NOON + HOUR).await.unwrap().unwrap();
    for secret in [PASSWORD, "a wrong password", &session.secret.reveal()[4..], &link.secret.reveal()[5..]] {
        assert!(!database.holds(secret).await, "{secret}");
    }
    assert!(database.holds("asha@example.org").await, "the search finds stored data");
    let log = format!("{:?}", store.audit_log(None, None, 100).await.unwrap());
    assert!(!log.contains("asha@example.org") && !log.contains(PASSWORD), "{log}");
}

async fn the_audit_log_is_read_in_pages_to_its_end(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let other = sign_up(&*store, "b@example.org", NOON + 1).await;
    for day in 0..3 {
        store.lock_account(Actor::Operator, account.email.clone(), NOON + day * DAY).await.unwrap();
        store
            .unlock_account(Actor::Operator, account.email.clone(), None, NOON + day * DAY + 1)
            .await
            .unwrap();
    }
    let newest = store.audit_log(Some(account.id.clone()), None, 2).await.unwrap();
    assert_eq!(
        newest.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(),
        ["account_unlocked", "account_locked"]
    );
    assert_eq!((newest[0].actor.as_str(), newest[0].at_ms), ("operator", NOON + 2 * DAY + 1));
    let rest = store.audit_log(Some(account.id.clone()), Some(newest[1].id), 100).await.unwrap();
    assert_eq!(rest.len(), 5);
    assert!(rest.iter().all(|entry| entry.account == Some(account.id.clone())));
    assert_eq!(store.audit_log(Some(other.id), None, 100).await.unwrap().len(), 1);

    let late = NOON + shruti_store::AUDIT_LIFE_MS + DAY;
    store.lock_account(Actor::Operator, account.email.clone(), late).await.unwrap();
    let left = store.audit_log(None, None, 100).await.unwrap();
    assert_eq!(left.len(), 4, "of the last days: {left:?}");
}
