use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use shruti_lang::Language;
use shruti_store::{
    Account, AccountCreation, AccountId, Actor, CreatedKey, Draw, KeyCreation, KeyDayUsage, KeyLimits,
    KeySpec, LEASE_LIFE_MS, NewPassword, SqliteStore, StoreError, Usage, UsageOf,
};

use shruti_clock::Sleep;
use tokio::sync::watch;
use tokio::time::timeout;

use super::*;
use crate::metrics::ApiKind;

mod allowances;
mod usage;

/// 2026-11-30 12:00 UTC: the month ends in half a day.
const NOON: i64 = 1_796_040_000_000;
const HOUR: i64 = 3_600_000;

/// Clock that only the test advances. The number is the time since noon, in milliseconds.
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
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap().shared();
        let clock = Arc::new(ManualClock::default());
        let metering = Metering::new(
            Arc::clone(&store),
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

    /// Speaks a text of `chars` characters. Only the audio of the first `sent` characters is sent.
    async fn speak(&self, key: &Arc<KeyRecord>, chars: u32, sent: u32) -> Result<(), ApiError> {
        let mut charge = self.charge(key);
        charge.cover(chars).await?;
        charge.sent(sent, 24 * sent as usize);
        Ok(())
    }

    /// Returns two character counts of an account from the store: used characters, and characters in outstanding
    /// leases.
    async fn stored(&self, account: &AccountId) -> (u64, u64) {
        let state = self.store.allowance(account.clone(), self.clock.now().wall_ms).await.unwrap().unwrap();
        (state.used, state.lent)
    }

    async fn stored_usage(&self, of: UsageOf) -> Vec<Usage> {
        let day = Day::of(self.clock.now().wall_ms);
        let rows = self.store.usage_by_day(of, day, day).await.unwrap();
        rows.into_iter().map(|row| row.amount).collect()
    }

    /// Renames a table. Store operations that need the table fail until its name is restored.
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
