//! Checks of keys without a database round trip.

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
/// revoked key is refused within that time, and that of an answer, at the latest. Memory is bounded: the keys used least lately are
/// forgotten first, and so are prefixes that were found not to exist.
///
/// While the store does not answer at all ([`StoreError::Away`], or nothing yet), keys that are remembered go on for
/// [`KeyCache::AWAY_TRUST`], without a wait, and an answer counts from when it came, however long it took: a database
/// that is slow or away holds up nobody it knows. What it has to tell holds as soon as it answers.
pub struct KeyCache {
    store: Arc<dyn Store>,
    servers: NonZero<u32>,
    state: Mutex<State>,
}

/// Forgets what was used least lately. Clients choose the keys, so they are hashed with a secret (`SipHash`).
type Lru<K, V> = LruCache<K, V, RandomState>;

struct State {
    revision: Option<i64>,
    /// When the last answer came.
    refreshed: Option<Duration>,
    /// Whether the last question what has changed has had no answer so far, or found nobody to answer it.
    is_unanswered: bool,
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
    /// How long keys that are remembered go on while the store does not answer: long enough for a database to be
    /// started anew, or for another to take its place.
    pub const AWAY_TRUST: Duration = Duration::from_mins(5);
    /// How often a key is looked up until nothing has changed meanwhile.
    const MOST_LOOKS: u32 = 3;
    /// The most keys that are remembered.
    const CAPACITY: usize = 16_384;

    /// A cache that remembers nothing yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, servers: NonZero::<u32>::MIN, state: Mutex::new(State::new()) }
    }

    /// Gives each key the [share](crate::KeyLimits::share_of) of its limits that is one of so many servers'.
    #[must_use]
    pub fn of_servers(mut self, servers: NonZero<u32>) -> Self {
        self.servers = servers;
        self
    }

    fn share(&self, mut record: KeyRecord) -> Arc<KeyRecord> {
        record.limits = record.limits.share_of(self.servers);
        Arc::new(record)
    }

    /// Judges a key as a caller presents it.
    pub async fn check(&self, presented: &str, now: Moment) -> Result<KeyCheck, StoreError> {
        let Some(secret) = SecretKey::parse(presented) else { return Ok(KeyCheck::Unknown) };
        let found = self.find(secret.prefix(), now).await?.filter(|record| record.hash == secret.hash());
        Ok(judge(found, now))
    }

    /// Judges a key by what was made with its hash, a signature say: a key for which `is_made_with` is false is unknown.
    pub async fn check_signed(
        &self,
        prefix: &KeyPrefix,
        is_made_with: impl Fn(&SecretHash) -> bool,
        now: Moment,
    ) -> Result<KeyCheck, StoreError> {
        let found = self.find(prefix.clone(), now).await?.filter(|record| is_made_with(&record.hash));
        Ok(judge(found, now))
    }

    /// Judges a key that was presented before, or that answers for a token.
    pub async fn check_again(&self, prefix: &KeyPrefix, now: Moment) -> Result<KeyCheck, StoreError> {
        Ok(judge(self.find(prefix.clone(), now).await?, now))
    }

    /// Whether some valid key names this origin; answered from memory for [`KeyCache::STALENESS`].
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

    /// Whether keys that are remembered are believed although the store is away.
    pub fn is_trusted(&self, now: Moment) -> bool {
        let state = self.state();
        state.is_unanswered
            && state.refreshed.is_some_and(|since| is_within(Self::AWAY_TRUST, since, now.monotonic))
    }

    /// The key of a prefix, from memory if that can be trusted.
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
            // a change that was taken over meanwhile may be newer than what was found; then it is not remembered
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

    /// Takes over what has changed in the store. `clock` tells the time, also when the store has answered.
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

    /// Takes over a change that this process has just made, so that it holds before its maker is told. Where the
    /// store does not tell what changed, nothing is believed from memory until it does.
    pub async fn take_over(&self, clock: impl Fn() -> Moment) {
        if let Err(error) = self.refresh(clock).await {
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
            is_unanswered: false,
            known: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            unknown: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
            origins: LruCache::with_hasher(KeyCache::CAPACITY, RandomState::new()),
        }
    }

    fn apply(&mut self, revision: i64, changed: Vec<Arc<KeyRecord>>, any_removed: bool, now: Duration) {
        // of two refreshes at the same time the one that saw less must not undo what the other has taken over
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

/// What is remembered of a prefix.
enum CacheLookup {
    Found(Arc<KeyRecord>),
    /// There is no such key.
    Missing,
    /// The store has to be asked.
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
    fn a_refresh_that_saw_less_undoes_nothing() {
        let mut state = State::new();
        state.apply(6, Vec::new(), false, Duration::from_secs(2));
        state.apply(5, Vec::new(), false, Duration::from_secs(3));
        assert_eq!((state.revision, state.refreshed), (Some(6), Some(Duration::from_secs(2))));
        state.apply(6, Vec::new(), false, Duration::from_secs(4));
        assert_eq!(state.refreshed, Some(Duration::from_secs(4)));
    }
}
