//! Key checks without a database round trip.

use std::collections::hash_map::RandomState;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlink::LruCache;
use shruti_clock::Moment;

use crate::account::AccessLock;
use crate::error::StoreError;
use crate::key::{KeyPrefix, SecretKey};
use crate::key_record::KeyRecord;
use crate::key_store::KeyChanges;
use crate::origin::Origin;
use crate::secret::SecretHash;
use crate::store::Store;

/// Outcome of the check of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyCheck {
    /// The key may be used. The caller has to check whether its allowance is spent: [`KeyRecord::is_spent`].
    Valid(Arc<KeyRecord>),
    /// The key does not exist.
    Unknown,
    /// The key has expired.
    Expired,
    /// The key was revoked.
    Revoked,
    /// The account of the key may not synthesise speech: `access_locked`. The key itself is valid.
    Locked(AccessLock),
}

/// Cache of recently used keys, kept current with the changes that the store reports.
///
/// The owner calls [`KeyCache::refresh`] every [`KeyCache::REFRESH_EVERY`]. While the refreshes succeed, a known key is
/// checked in memory. If the store responds, but no refresh has succeeded for [`KeyCache::STALENESS`], every check
/// queries the store. A revoked key is therefore refused after at most that time plus the latency of one response.
/// Memory is bounded: keys, prefixes that do not exist, and origins are each evicted when their part of the cache is
/// full, least recently used first.
///
/// While the store does not respond at all ([`StoreError::Away`], or no response yet), cached keys stay valid for
/// [`KeyCache::AWAY_TRUST`] after the last successful refresh, and checks do not wait for the store. The age of a
/// result is measured from its arrival, regardless of its latency. A slow or unavailable database therefore does not
/// delay requests with known keys, and changes take effect as soon as it responds.
pub struct KeyCache {
    store: Arc<dyn Store>,
    servers: NonZero<u32>,
    state: Mutex<State>,
}

/// Map that evicts its least recently used entry when it is full. Clients choose the map's keys, so these are hashed
/// with a random secret (`SipHash`).
type Lru<K, V> = LruCache<K, V, RandomState>;

struct State {
    revision: Option<i64>,
    /// Monotonic time of the last successful refresh; `None` if cached keys must not be used.
    refreshed: Option<Duration>,
    /// `true` if the last request for changes has no response yet, or the store was unavailable.
    is_unanswered: bool,
    known: Lru<KeyPrefix, Arc<KeyRecord>>,
    /// Prefixes that do not exist, each with the monotonic time at which this was found.
    unknown: Lru<KeyPrefix, Duration>,
    /// Whether a valid key lists the origin, and the monotonic time of that result.
    origins: Lru<Origin, (bool, Duration)>,
}

impl KeyCache {
    /// Interval between calls to [`KeyCache::refresh`].
    pub const REFRESH_EVERY: Duration = Duration::from_millis(500);
    /// Maximum age of a cached result while the store responds: the maximum delay until a change in the store takes
    /// effect.
    pub const STALENESS: Duration = Duration::from_millis(1_500);
    /// Time for which cached keys stay valid while the store does not respond: long enough for a restart of the
    /// database or a failover.
    pub const AWAY_TRUST: Duration = Duration::from_mins(5);
    /// Maximum number of queries for one lookup of a key. A query is repeated if keys have changed in the meantime.
    const MOST_LOOKS: u32 = 3;
    /// Maximum number of cached keys. The same limit applies to prefixes that do not exist and to origins.
    const CAPACITY: usize = 16_384;

    /// Creates an empty cache.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, servers: NonZero::<u32>::MIN, state: Mutex::new(State::new()) }
    }

    /// Sets the number of servers. Each key gets one server's [share](crate::KeyLimits::share_of) of its limits.
    #[must_use]
    pub fn of_servers(mut self, servers: NonZero<u32>) -> Self {
        self.servers = servers;
        self
    }

    fn share(&self, mut record: KeyRecord) -> Arc<KeyRecord> {
        record.limits = record.limits.share_of(self.servers);
        Arc::new(record)
    }

    /// Checks a key that a caller presents.
    pub async fn check(&self, presented: &str, now: Moment) -> Result<KeyCheck, StoreError> {
        let Some(secret) = SecretKey::parse(presented) else { return Ok(KeyCheck::Unknown) };
        let found = self.find(secret.prefix(), now).await?.filter(|record| record.hash == secret.hash());
        Ok(judge(found, now))
    }

    /// Checks a key by a value that was derived from its hash, such as a signature. If `is_made_with` returns `false`
    /// for the hash of the key, the result is [`KeyCheck::Unknown`].
    pub async fn check_signed(
        &self,
        prefix: &KeyPrefix,
        is_made_with: impl Fn(&SecretHash) -> bool,
        now: Moment,
    ) -> Result<KeyCheck, StoreError> {
        let found = self.find(prefix.clone(), now).await?.filter(|record| is_made_with(&record.hash));
        Ok(judge(found, now))
    }

    /// Checks a key by its prefix alone: a key whose secret was checked before, or the key of a token.
    pub async fn check_again(&self, prefix: &KeyPrefix, now: Moment) -> Result<KeyCheck, StoreError> {
        Ok(judge(self.find(prefix.clone(), now).await?, now))
    }

    /// Returns `true` if a valid key lists this origin. The result is cached for [`KeyCache::STALENESS`], and for
    /// [`KeyCache::AWAY_TRUST`] while the store does not respond.
    pub async fn is_origin_allowed(&self, origin: &Origin, now: Moment) -> Result<bool, StoreError> {
        let (remembered, is_unanswered) = {
            let mut state = self.state();
            (state.origins.get(origin).copied(), state.is_unanswered)
        };
        let within = |time| remembered.filter(|&(_, since)| is_within(time, since, now.monotonic));
        let trusted = within(if is_unanswered { Self::AWAY_TRUST } else { Self::STALENESS });
        if let Some((allowed, _)) = trusted {
            return Ok(allowed);
        }
        match self.store.is_origin_allowed(origin.clone(), now.wall_ms).await {
            Ok(allowed) => {
                self.state().origins.insert(origin.clone(), (allowed, now.monotonic));
                Ok(allowed)
            }
            Err(error @ StoreError::Away(_)) => {
                within(Self::AWAY_TRUST).map(|(allowed, _)| allowed).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns `true` if the store does not respond but cached keys are still trusted.
    pub fn is_trusted(&self, now: Moment) -> bool {
        let state = self.state();
        state.is_unanswered
            && state.refreshed.is_some_and(|since| is_within(Self::AWAY_TRUST, since, now.monotonic))
    }

    /// Returns the key with the given prefix: from the cache if the cache is current, otherwise from the store.
    async fn find(&self, prefix: KeyPrefix, now: Moment) -> Result<Option<Arc<KeyRecord>>, StoreError> {
        for attempt in 1.. {
            let revision_before = {
                let mut state = self.state();
                match state.look_up(&prefix, now.monotonic) {
                    CacheLookup::Found(record) => return Ok(Some(record)),
                    CacheLookup::Missing => return Ok(None),
                    CacheLookup::Absent => state.revision,
                }
            };
            let found = self.store.find_key(prefix.clone()).await?.map(|record| self.share(record));
            let mut state = self.state();
            // if a change arrived during the query, the result may be outdated and is not cached
            if revision_before.is_some() && state.revision == revision_before {
                match &found {
                    Some(record) => drop(state.known.insert(prefix, Arc::clone(record))),
                    None => drop(state.unknown.insert(prefix, now.monotonic)),
                }
                return Ok(found);
            }
            if revision_before.is_none() || attempt == Self::MOST_LOOKS {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Requests the changes since the last refresh and applies them. `clock` returns the current time and is called
    /// after the store has responded.
    pub async fn refresh(&self, clock: impl Fn() -> Moment) -> Result<(), StoreError> {
        self.state().is_unanswered = true;
        let refreshed = self.ask_for_changes(clock).await;
        self.state().is_unanswered = matches!(refreshed, Err(StoreError::Away(_)));
        refreshed
    }

    async fn ask_for_changes(&self, clock: impl Fn() -> Moment) -> Result<(), StoreError> {
        let revision = self.state().revision;
        let Some(revision) = revision else {
            let newest = self.store.key_revision().await?;
            let mut state = self.state();
            state.revision = Some(newest);
            state.refreshed = Some(clock().monotonic);
            return Ok(());
        };
        let KeyChanges { revision, keys, any_removed } = self.store.key_changes_since(revision).await?;
        let keys = keys.into_iter().map(|record| self.share(record)).collect();
        self.state().apply(revision, keys, any_removed, clock().monotonic);
        Ok(())
    }

    /// Refreshes after this process has changed a key, so that the change takes effect before the caller gets a
    /// response. If the refresh fails, cached keys are not used until a later refresh succeeds.
    pub async fn take_over(&self, clock: impl Fn() -> Moment) {
        if let Err(error) = self.refresh(clock).await {
            tracing::warn!(%error, "a change of a key could not be applied; keys are looked up in the store");
            self.state().refreshed = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // a panic leaves a consistent state: changes are applied before their revision is set, so an interrupted
        // refresh is repeated
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new() -> Self {
        Self {
            revision: None,
            refreshed: None,
            is_unanswered: false,
            known: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            unknown: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            origins: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
        }
    }

    fn apply(&mut self, revision: i64, changed: Vec<Arc<KeyRecord>>, any_removed: bool, now: Duration) {
        // of two concurrent refreshes, the one with the older revision must not undo the changes of the other
        if self.revision.is_some_and(|known| known > revision) {
            return;
        }
        if any_removed {
            self.known.clear();
        }
        for record in changed {
            self.unknown.remove(&record.prefix);
            if self.known.get(&record.prefix).is_some() {
                self.known.insert(record.prefix.clone(), record);
            }
        }
        self.revision = Some(revision);
        self.refreshed = Some(now);
    }

    fn look_up(&mut self, prefix: &KeyPrefix, now: Duration) -> CacheLookup {
        let Some(refreshed) = self.refreshed else { return CacheLookup::Absent };
        let trust = if self.is_unanswered { KeyCache::AWAY_TRUST } else { KeyCache::STALENESS };
        if is_within(trust, refreshed, now)
            && let Some(record) = self.known.get(prefix)
        {
            return CacheLookup::Found(Arc::clone(record));
        }
        if is_fresh(refreshed, now) && self.unknown.get(prefix).is_some_and(|&since| is_fresh(since, now)) {
            return CacheLookup::Missing;
        }
        CacheLookup::Absent
    }
}

/// Result of a lookup in the cache.
enum CacheLookup {
    Found(Arc<KeyRecord>),
    /// The key does not exist.
    Missing,
    /// The cache has no current result, so the store has to be queried.
    Absent,
}

fn is_fresh(since: Duration, now: Duration) -> bool {
    is_within(KeyCache::STALENESS, since, now)
}

fn is_within(time: Duration, since: Duration, now: Duration) -> bool {
    now.saturating_sub(since) < time
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
    fn a_refresh_with_an_older_revision_undoes_nothing() {
        let mut state = State::new();
        state.apply(6, Vec::new(), false, Duration::from_secs(2));
        state.apply(5, Vec::new(), false, Duration::from_secs(3));
        assert_eq!((state.revision, state.refreshed), (Some(6), Some(Duration::from_secs(2))));
        state.apply(6, Vec::new(), false, Duration::from_secs(4));
        assert_eq!(state.refreshed, Some(Duration::from_secs(4)));
    }
}
