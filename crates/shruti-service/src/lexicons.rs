//! Lexicons that apply to API keys: the lexicon of the key's account, with the server's lexicon as its fallback.

use std::collections::hash_map::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use shruti_protocol::ApiError;
use shruti_store::{AccountId, Store};
use shruti_text::Lexicon;
use shruti_text::lexicon::entries;

use crate::http::errors::{internal, store_error};

/// Maximum size of all cached lexicons, in bytes of TOML. Parsed lexicons use about ten times as much memory.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of cached lexicons. It is limited because even a short lexicon uses memory.
const MAX_LEXICONS: usize = 16_384;

/// Cache of parsed account lexicons. Each version is read from the store once. The version is part of the key record
/// from the [`KeyCache`](shruti_store::KeyCache), so a changed lexicon takes effect as soon as a changed key does.
pub(crate) struct Lexicons {
    known: Mutex<Known>,
    /// Lock that allows one read at a time, so that concurrent requests read a new version only once.
    reading: tokio::sync::Mutex<()>,
}

struct Known {
    by_account: LruCache<AccountId, Remembered, RandomState>,
    bytes: usize,
}

struct Remembered {
    version: i64,
    bytes: usize,
    /// Server lexicon that is the fallback of `applied`.
    servers: Arc<Lexicon>,
    applied: Arc<Lexicon>,
}

impl Default for Lexicons {
    fn default() -> Self {
        let by_account = LruCache::with_hasher(MAX_LEXICONS, RandomState::new());
        Self { known: Mutex::new(Known { by_account, bytes: 0 }), reading: tokio::sync::Mutex::default() }
    }
}

impl Lexicons {
    /// Returns the lexicon of an account, in the version `version` or a newer one, with the server's lexicon as its
    /// fallback.
    pub(crate) async fn applied(
        &self,
        store: &dyn Store,
        account: &AccountId,
        version: i64,
        servers: Arc<Lexicon>,
    ) -> Result<Arc<Lexicon>, ApiError> {
        if let Some(applied) = self.known().find(account, version, &servers) {
            return Ok(applied);
        }
        let _reading = self.reading.lock().await;
        if let Some(applied) = self.known().find(account, version, &servers) {
            return Ok(applied);
        }
        let found = store.find_lexicon(account.clone()).await.map_err(|error| store_error(&error))?;
        let found = found.unwrap_or_default();
        let (version, bytes) = (found.version, found.toml.len());
        let beneath = Arc::clone(&servers);
        let read = tokio::task::spawn_blocking(move || {
            let applied = read(&found.toml).with_fallback(beneath);
            // computed on this blocking thread, because computing the digest of a long lexicon takes a long time
            applied.digest();
            Arc::new(applied)
        });
        let applied = read.await.map_err(|_| internal())?;
        let remembered = Remembered { version, bytes, servers, applied: Arc::clone(&applied) };
        self.known().remember(account.clone(), remembered);
        Ok(applied)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // a poisoned lock is usable, because no panic can leave the cache incomplete
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn find(&mut self, account: &AccountId, version: i64, servers: &Arc<Lexicon>) -> Option<Arc<Lexicon>> {
        let remembered = self.by_account.get(account)?;
        let holds = remembered.version >= version && Arc::ptr_eq(&remembered.servers, servers);
        holds.then(|| Arc::clone(&remembered.applied))
    }

    fn remember(&mut self, account: AccountId, new: Remembered) {
        self.bytes += new.bytes;
        if self.by_account.len() >= MAX_LEXICONS && !self.by_account.contains_key(&account) {
            self.forget_oldest();
        }
        if let Some(old) = self.by_account.insert(account, new) {
            self.bytes -= old.bytes;
        }
        while self.bytes > MAX_BYTES && self.forget_oldest() {}
    }

    fn forget_oldest(&mut self) -> bool {
        let oldest = self.by_account.remove_lru();
        self.bytes -= oldest.as_ref().map_or(0, |(_, oldest)| oldest.bytes);
        oldest.is_some()
    }
}

/// Parses a lexicon that was checked when it was stored. Entries that this version of the program no longer accepts are
/// omitted, so that synthesis continues.
fn read(toml: &str) -> Lexicon {
    let mut lexicon = Lexicon::default();
    let found = entries(toml).unwrap_or_else(|_| {
        tracing::error!("a stored lexicon cannot be parsed and is ignored");
        Vec::new()
    });
    let refused = found
        .iter()
        .filter(|entry| lexicon.insert(entry.language, &entry.word, &entry.reading).is_err())
        .count();
    if refused > 0 {
        tracing::warn!(refused, "entries of a stored lexicon cannot be used and are ignored");
    }
    lexicon
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered(version: i64, bytes: usize, servers: &Arc<Lexicon>) -> Remembered {
        Remembered { version, bytes, servers: Arc::clone(servers), applied: Arc::default() }
    }

    fn account(number: usize) -> AccountId {
        AccountId::parse(&format!("acc_{number:020}")).unwrap()
    }

    #[test]
    fn evicts_least_recently_used_lexicons() {
        let lexicons = Lexicons::default();
        let servers = Arc::<Lexicon>::default();
        let mut known = lexicons.known();
        let half = MAX_BYTES / 2;
        known.remember(account(1), remembered(1, half, &servers));
        known.remember(account(2), remembered(1, half, &servers));
        assert!(known.find(&account(1), 1, &servers).is_some(), "used last");
        known.remember(account(3), remembered(1, 1, &servers));
        assert!(known.find(&account(2), 1, &servers).is_none());
        assert_eq!((known.by_account.len(), known.bytes), (2, half + 1));
        // a new version replaces the old one
        known.remember(account(1), remembered(2, 5, &servers));
        assert_eq!((known.by_account.len(), known.bytes), (2, 6));
        for number in 10..10 + MAX_LEXICONS + 5 {
            known.remember(account(number), remembered(1, 1, &servers));
        }
        assert_eq!((known.by_account.len(), known.bytes), (MAX_LEXICONS, MAX_LEXICONS));
    }

    #[test]
    fn ignores_outdated_versions_and_other_server_lexicons() {
        let lexicons = Lexicons::default();
        let (servers, others) = (Arc::<Lexicon>::default(), Arc::<Lexicon>::default());
        let mut known = lexicons.known();
        known.remember(account(1), remembered(2, 1, &servers));
        let found = |known: &mut Known, version, servers| known.find(&account(1), version, servers).is_some();
        assert!(found(&mut known, 2, &servers) && found(&mut known, 1, &servers));
        assert!(!found(&mut known, 3, &servers) && !found(&mut known, 2, &others));
    }

    #[test]
    fn invalid_entry_does_not_affect_others() {
        let lexicon = read("[words]\nkit = 'kat'\n'🙏' = 'x'\n");
        assert_eq!(shruti_text::normalize_line("kit", None, &Arc::new(lexicon)), "kat");
        assert!(!read("[wor").has_own());
    }
}
