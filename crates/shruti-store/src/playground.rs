//! The keys that the Studio's playground speaks with.

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{KeyLimits, KeyRecord};

/// A playground, as its server wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaygroundSpec {
    /// Whose it is; its key draws on the allowance of this account. `None` is the one that everyone may use without
    /// signing in, whose key belongs to no account.
    pub owner: Option<AccountId>,
    /// How much its key may do; that is everyone together, where it has no owner.
    pub limits: KeyLimits,
    /// The most characters a month that its key may have spoken, beside the allowance of its owner; at least 1.
    pub monthly_cap: Option<u64>,
}

/// Keys for the Studio's playground, which speaks with single-use [tokens](crate::TokenStore::issue_token).
///
/// Nobody can sign in with such a key: its secret is thrown away as it is made. It makes speech and nothing else
/// ([`Scope::Tts`](crate::Scope::Tts)), names no origin (the pages of the server itself need none), and its
/// [purpose](KeyRecord::purpose) tells it from others. [`KeyStore::list_keys`](crate::KeyStore::list_keys) shows it to
/// the operator alone, it does not count among the keys of its account, and can be neither renamed nor rotated. An
/// operator sees and revokes it like any other.
#[async_trait]
pub trait PlaygroundStore {
    /// The key of a playground, made at first need; all callers get the same. Limits and a cap that are not those of
    /// before hold from now on. `None` if there is no such account.
    ///
    /// A revoked one stays revoked, and that of a locked account [locked](KeyRecord::lock): both are given as they
    /// are, and make no token. Only [`PlaygroundStore::reopen_playground`] ends the first.
    async fn ensure_playground_key(
        &self,
        spec: PlaygroundSpec,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Lets a playground whose key was revoked speak again. `None` if there is no such key, or it is one for programs:
    /// that a revoked key which somebody holds stays revoked is a promise. For operators.
    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}
