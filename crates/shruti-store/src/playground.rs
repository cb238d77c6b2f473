//! Keys of the Studio's playground.

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{KeyLimits, KeyRecord};

/// Specification of a playground.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaygroundSpec {
    /// Owner, whose allowance the key uses. `None` means the playground that can be used without signing in. Its key
    /// belongs to no account.
    pub owner: Option<AccountId>,
    /// Limits of the key. If there is no owner, all users share these limits.
    pub limits: KeyLimits,
    /// Maximum number of characters per month; at least 1. The allowance of the owner applies as well.
    pub monthly_cap: Option<u64>,
}

/// Keys of the Studio's playground, which requests speech with single-use [tokens](crate::TokenStore::issue_token).
///
/// Such a key cannot be used directly: its secret is dropped at its creation. It has the permission to synthesise
/// speech only ([`Scope::Tts`](crate::Scope::Tts)) and lists no origins, because the pages of the server need none. Its
/// [purpose](KeyRecord::purpose) distinguishes it from other keys. [`KeyStore::list_keys`](crate::KeyStore::list_keys)
/// returns it to the operator only. It does not count among the keys of its account, and cannot be renamed or rotated.
/// An operator can revoke it like any other key.
#[async_trait]
pub trait PlaygroundStore {
    /// Returns the key of a playground, and creates it if it is missing. All callers get the same key. An existing key
    /// gets the limits and the cap of `spec`. Returns `None` if the account does not exist.
    ///
    /// A revoked key stays revoked, and the key of a locked account stays [locked](KeyRecord::lock): both keys are
    /// returned, but no tokens can be issued for them. [`PlaygroundStore::reopen_playground`] is the only way to
    /// restore a revoked key.
    async fn ensure_playground_key(
        &self,
        spec: PlaygroundSpec,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Restores the revoked key of a playground. Returns `None` if the key does not exist or is an API key, whose
    /// revocation is permanent. For operators.
    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}
