//! Durability when a process is killed, and backups of a store in use.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use super::SqliteDatabase;
use crate::suite::{NOON, email, key_of, operator_key};
use shruti_lang::Language;
use shruti_store::{
    Actor, Day, Draw, KeySpec, KeyStore, LEASE_LIFE_MS, PromoSpec, Redemption, ReportId, SqliteStore, Store,
    StoreError, Usage, UsageEntry, UsageOf, UsageReport,
};

const FOLDER: &str = "SHRUTI_TEST_FOLDER";
const CODE: &str = "SHRUTI_TEST_CODE";
const CHARS: u64 = 7;

/// Creates accounts, keys, redemptions, draws and reports until the process is killed. Prints each key whose writes
/// have all been confirmed.
#[tokio::test]
#[ignore = "the process that is killed by the test below"]
async fn worker() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = SqliteStore::open(folder.as_ref()).unwrap();
    let store: &dyn Store = &store;
    let code = std::env::var(CODE).unwrap();
    for i in 0.. {
        let address = email(&format!("a{i}@example.org"));
        store.invite_account(Actor::Operator, address.clone(), NOON).await.unwrap();
        let account = store.find_account(address).await.unwrap().unwrap();
        let redeemed = store.redeem_promo(account.id.clone(), code.clone(), NOON).await.unwrap();
        assert!(matches!(redeemed, Redemption::Redeemed { .. }), "{redeemed:?}");
        let key = key_of(store, &account, KeySpec::named("a"), NOON).await;
        let drawn = store.draw_allowance(key.record.prefix.clone(), 1, 50, NOON).await.unwrap();
        let Draw::Lent(lease) = drawn else { panic!("{drawn:?}") };
        let amount = Usage { chars: CHARS, requests: 1, audio_ms: 500 };
        let (day, voice, language) = (Day::of(NOON), "Ananya".into(), Language::Hindi);
        let entries = vec![UsageEntry {
            key: key.record.prefix.clone(),
            day,
            voice,
            language,
            api: "clip".into(),
            amount,
        }];
        let id = ReportId::first().unwrap();
        let report = UsageReport { entries, leases: vec![(lease.id, CHARS)], ..UsageReport::new(id) };
        store.record_usage(report, NOON).await.unwrap();
        println!("confirmed {}", key.secret.reveal());
        std::io::stdout().flush().unwrap();
    }
}

#[tokio::test]
async fn confirmed_writes_survive_kill_9() {
    let database = SqliteDatabase::new();
    let promo = PromoSpec { chars: 100, uses: 1_000_000, expires_ms: None };
    let code = database.open().create_promo(Actor::Operator, promo, NOON).await.unwrap().code;
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "sqlite::crash::worker", "--nocapture"])
        .env(FOLDER, database.folder())
        .env(CODE, code.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines();
    let read = |line: String| Some(line.split_once("confirmed ")?.1.to_owned());
    let mut confirmed: Vec<String> = lines.by_ref().filter_map(|line| read(line.unwrap())).take(25).collect();
    // sends SIGKILL in the middle of an operation
    worker.kill().unwrap();
    worker.wait().unwrap();
    confirmed.extend(lines.filter_map(|line| read(line.unwrap_or_default())));
    assert!(confirmed.len() >= 25, "it ended before the signal");

    let store = database.open();
    let keys = store.list_keys(Actor::Operator).await.unwrap();
    let day = Day::of(NOON);
    for secret in &confirmed {
        let key = keys.iter().find(|key| secret.starts_with(key.prefix.as_str())).expect("a key is lost");
        assert_eq!(key.lock, None, "a redemption is lost");
        let usage = store.usage_by_day(UsageOf::Key(key.prefix.clone()), day, day).await.unwrap();
        assert_eq!((usage.len(), usage[0].amount.chars), (1, CHARS), "usage is lost");
        let account = key.account.clone().unwrap();
        let state = store.allowance(account, NOON).await.unwrap().unwrap();
        assert_eq!((state.used, state.lent), (CHARS, 50 - CHARS));
    }
    let open = store.list_accounts(None, 100_000).await.unwrap();
    let open = open.iter().filter(|account| account.access_ms.is_some()).count();
    assert_eq!(store.list_promos().await.unwrap()[0].used as usize, open, "each use is somebody's");
    // the leases of the killed process expire and return their characters
    let key = keys.iter().find(|key| confirmed[0].starts_with(key.prefix.as_str())).unwrap();
    let drawn = store.draw_allowance(key.prefix.clone(), 1, 1_000, NOON + LEASE_LIFE_MS).await.unwrap();
    assert!(matches!(drawn, Draw::Lent(lease) if lease.chars == 100 - CHARS), "{drawn:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_busy_store_is_a_consistent_snapshot() {
    let database = SqliteDatabase::new();
    let store = database.open();
    let folder = tempfile::tempdir().unwrap();
    let writing = tokio::spawn({
        let store = store.clone();
        async move {
            for _ in 0..200 {
                operator_key(&*store, KeySpec::named("a"), NOON).await;
            }
        }
    });
    let mut counts = Vec::new();
    for i in 0..5 {
        let copy = folder.path().join(format!("copy{i}")).join("shruti.db");
        std::fs::create_dir(copy.parent().unwrap()).unwrap();
        let (from, to) = (database.folder(), copy.clone());
        tokio::task::spawn_blocking(move || SqliteStore::backup(&from, &to)).await.unwrap().unwrap();
        let copied = SqliteStore::open(copy.parent().unwrap()).unwrap();
        let keys = i64::try_from(copied.list_keys(Actor::Operator).await.unwrap().len()).unwrap();
        assert_eq!(copied.key_revision().await.unwrap(), keys, "each key raised the revision once");
        counts.push(keys);
    }
    writing.await.unwrap();
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!(store.list_keys(Actor::Operator).await.unwrap().len(), 200);
}

#[tokio::test]
async fn a_backup_overwrites_nothing_and_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let database = SqliteDatabase::new();
    let key = operator_key(&*database.open(), KeySpec::named("a"), NOON).await.record;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shruti.db");
    SqliteStore::backup(&database.folder(), &file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let before = std::fs::read(&file).unwrap();
    let refused = SqliteStore::backup(&database.folder(), &file).unwrap_err();
    assert!(matches!(refused, StoreError::Backup { .. }), "{refused}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no other files are left in its folder");
    let missing = SqliteStore::backup(&folder.path().join("nothing here"), &folder.path().join("b.db"));
    assert!(missing.is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(SqliteStore::open(folder.path()).unwrap().list_keys(Actor::Operator).await.unwrap(), [key]);
}
