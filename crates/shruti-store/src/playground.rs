//! The keys that the Studio's playground speaks with.

use async_trait::async_trait;

use crate::account::AccountId;
use crate::key::KeyPrefix;
use crate::model::{KeyLimits, KeyRecord};
use crate::store::StoreError;

/// Whose playground.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaygroundOf {
    /// An account's. Its key has [`KeyLimits::OF_ACCOUNTS`] and draws on the account's allowance.
    Account(AccountId),
    /// The one that everyone may use without signing in. Its key belongs to no account.
    Everyone {
        /// How much everyone together may do.
        limits: KeyLimits,
        /// How many characters a month everyone together may have spoken; at least 1.
        monthly_cap: u64,
    },
}

/// Keys for the Studio's playground, which speaks with single-use [tokens](crate::Store::issue_token).
///
/// Nobody can sign in with such a key: its secret is thrown away as it is made. It makes speech and nothing else
/// ([`Scope::Tts`](crate::Scope::Tts)), names no origin (the pages of the server itself need none), and its
/// [purpose](KeyRecord::purpose) tells it from others. [`Store::list_keys_of`](crate::Store::list_keys_of) does not show it, it does
/// not count among the keys of its account, and can be neither renamed nor rotated. An operator sees and revokes it like any other.
#[async_trait]
pub trait PlaygroundStore {
    /// The key of a playground, made at first need; all callers get the same. Limits and a cap that are not those of
    /// before hold from now on. `None` if there is no such account.
    ///
    /// A revoked one stays revoked, and that of a locked account [locked](KeyRecord::lock): both are given as they are, and
    /// make no token. Only [`PlaygroundStore::reopen_playground`] ends the first.
    async fn ensure_playground_key(
        &self,
        of: PlaygroundOf,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Lets a playground whose key was revoked speak again. `None` if there is no such key, or it is one for programs: that
    /// a revoked key which somebody holds stays revoked is a promise. For operators.
    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}
