//! Checks of keys without a database round trip.

use std::collections::hash_map::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlink::LruCache;

use crate::account::AccessLock;
use crate::error::StoreError;
use crate::key::{KeyPrefix, SecretKey};
use crate::key_record::KeyRecord;
use crate::key_store::KeyChanges;
use crate::origin::Origin;
use crate::store::Store;

/// A point in time, twice: on a clock that never jumps, and on the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Time since some fixed point; never goes back.
    pub monotonic: Duration,
    /// Milliseconds since 1970.
    pub wall_ms: i64,
}

/// The outcome of the check of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyCheck {
    /// The key may be used. Whether its allowance is spent is for the caller to ask: [`KeyRecord::is_spent`].
    Valid(Arc<KeyRecord>),
    /// There is no such key.
    Unknown,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
    /// Its account may not make speech: `access_locked`, and not the end of the key.
    Locked(AccessLock),
}

/// The keys that requests have used lately, kept true by asking the store for changes.
///
/// The owner calls [`KeyCache::refresh`] every [`KeyCache::REFRESH_EVERY`]. While that works, a known key is
/// judged from memory; when it has not worked for [`KeyCache::STALENESS`], every check asks the store again. So a
/// revoked key is refused within that time at the latest. Memory is bounded: the keys used least lately are
/// forgotten first, and so are prefixes that were found not to exist.
pub struct KeyCache {
    store: Arc<dyn Store>,
    state: Mutex<State>,
}

/// Forgets what was used least lately. Clients choose the keys, so they are hashed with a secret (`SipHash`).
type Lru<K, V> = LruCache<K, V, RandomState>;

struct State {
    revision: Option<i64>,
    refreshed: Option<Duration>,
    known: Lru<KeyPrefix, Arc<KeyRecord>>,
    /// When each prefix was found not to exist.
    unknown: Lru<KeyPrefix, Duration>,
    /// Whether some key names an origin, and when that was so.
    origins: Lru<Origin, (bool, Duration)>,
}

impl KeyCache {
    /// How often [`KeyCache::refresh`] should be called.
    pub const REFRESH_EVERY: Duration = Duration::from_millis(500);
    /// The longest that a change in the store goes unseen.
    pub const STALENESS: Duration = Duration::from_millis(1_500);
    /// The most keys that are remembered.
    const CAPACITY: usize = 16_384;

    /// A cache that remembers nothing yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, state: Mutex::new(State::new()) }
    }

    /// Judges a key as a caller presents it.
    pub async fn check(&self, presented: &str, now: Moment) -> Result<KeyCheck, StoreError> {
        let Some(secret) = SecretKey::parse(presented) else { return Ok(KeyCheck::Unknown) };
        let found = self.find(secret.prefix(), now).await?.filter(|record| record.hash == secret.hash());
        Ok(judge(found, now))
    }

    /// Judges a key that was presented before, or that answers for a token.
    pub async fn check_again(&self, prefix: &KeyPrefix, now: Moment) -> Result<KeyCheck, StoreError> {
        Ok(judge(self.find(prefix.clone(), now).await?, now))
    }

    /// Whether some valid key names this origin; answered from memory for [`KeyCache::STALENESS`].
    pub async fn is_origin_allowed(&self, origin: &Origin, now: Moment) -> Result<bool, StoreError> {
        let remembered = self.state().origins.get(origin).copied();
        if let Some((allowed, since)) = remembered
            && is_fresh(since, now.monotonic)
        {
            return Ok(allowed);
        }
        let allowed = self.store.is_origin_allowed(origin.clone(), now.wall_ms).await?;
        self.state().origins.insert(origin.clone(), (allowed, now.monotonic));
        Ok(allowed)
    }

    /// The key of a prefix, from memory if that can be trusted.
    async fn find(&self, prefix: KeyPrefix, now: Moment) -> Result<Option<Arc<KeyRecord>>, StoreError> {
        let revision_before = {
            let mut state = self.state();
            match state.look_up(&prefix, now.monotonic) {
                CacheLookup::Found(record) => return Ok(Some(record)),
                CacheLookup::Missing => return Ok(None),
                CacheLookup::Absent => state.revision,
            }
        };
        let found = self.store.find_key(prefix.clone()).await?.map(Arc::new);
        let mut state = self.state();
        // a change that was taken over meanwhile may be newer than what was found; then it is not remembered
        if revision_before.is_some() && state.revision == revision_before {
            match &found {
                Some(record) => drop(state.known.insert(prefix, Arc::clone(record))),
                None => drop(state.unknown.insert(prefix, now.monotonic)),
            }
        }
        Ok(found)
    }

    /// Takes over what has changed in the store.
    pub async fn refresh(&self, now: Moment) -> Result<(), StoreError> {
        let revision = self.state().revision;
        let Some(revision) = revision else {
            let newest = self.store.key_revision().await?;
            let mut state = self.state();
            state.revision = Some(newest);
            state.refreshed = Some(now.monotonic);
            return Ok(());
        };
        let changes = self.store.key_changes_since(revision).await?;
        self.state().apply(changes, now.monotonic);
        Ok(())
    }

    /// Takes over a change that this process has just made, so that it holds before its maker is told. Where the
    /// store does not tell what changed, nothing is believed from memory until it does.
    pub async fn take_over(&self, now: Moment) {
        if let Err(error) = self.refresh(now).await {
            tracing::warn!(%error, "a change of a key could not be taken over; keys are looked up in the store");
            self.state().refreshed = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // every change of the state is a single insertion; a panic leaves nothing half done
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new() -> Self {
        Self {
            revision: None,
            refreshed: None,
            known: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            unknown: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            origins: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
        }
    }

    fn apply(&mut self, changes: KeyChanges, now: Duration) {
        // of two refreshes at the same time the one that saw less must not undo what the other has taken over
        if self.revision.is_some_and(|known| known > changes.revision) {
            return;
        }
        if changes.any_removed {
            self.known.clear();
        }
        for record in changes.keys {
            self.unknown.remove(&record.prefix);
            if self.known.get(&record.prefix).is_some() {
                self.known.insert(record.prefix.clone(), Arc::new(record));
            }
        }
        self.revision = Some(changes.revision);
        self.refreshed = Some(now);
    }

    fn look_up(&mut self, prefix: &KeyPrefix, now: Duration) -> CacheLookup {
        if !self.refreshed.is_some_and(|since| is_fresh(since, now)) {
            return CacheLookup::Absent;
        }
        if let Some(record) = self.known.get(prefix) {
            return CacheLookup::Found(Arc::clone(record));
        }
        if self.unknown.get(prefix).is_some_and(|&since| is_fresh(since, now)) {
            return CacheLookup::Missing;
        }
        CacheLookup::Absent
    }
}

/// What is remembered of a prefix.
enum CacheLookup {
    Found(Arc<KeyRecord>),
    /// There is no such key.
    Missing,
    /// The store has to be asked.
    Absent,
}

fn is_fresh(since: Duration, now: Duration) -> bool {
    now.saturating_sub(since) < KeyCache::STALENESS
}

fn judge(found: Option<Arc<KeyRecord>>, now: Moment) -> KeyCheck {
    let Some(record) = found else { return KeyCheck::Unknown };
    if record.revoked_ms.is_some() {
        return KeyCheck::Revoked;
    }
    if record.expires_ms.is_some_and(|expires| expires <= now.wall_ms) {
        return KeyCheck::Expired;
    }
    match record.lock {
        Some(lock) => KeyCheck::Locked(lock),
        None => KeyCheck::Valid(record),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_that_saw_less_undoes_nothing() {
        let mut state = State::new();
        let seen = |revision| KeyChanges { revision, keys: Vec::new(), any_removed: false };
        state.apply(seen(6), Duration::from_secs(2));
        state.apply(seen(5), Duration::from_secs(3));
        assert_eq!((state.revision, state.refreshed), (Some(6), Some(Duration::from_secs(2))));
        state.apply(seen(6), Duration::from_secs(4));
        assert_eq!(state.refreshed, Some(Duration::from_secs(4)));
    }
}
