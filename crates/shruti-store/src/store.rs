//! The trait between the server and its database.

use async_trait::async_trait;

use crate::account::{AccountId, AccountStore};
use crate::allowance::AllowanceStore;
use crate::audit::{Actor, AuditStore};
use crate::disk::DiskTrouble;
use crate::key::KeyPrefix;
use crate::model::{CreatedKey, Issuance, KeyChanges, KeyCreation, KeyRecord, KeySpec, Revocation, Rotation};
use crate::origin::Origin;
use crate::playground::PlaygroundStore;
use crate::promo::PromoStore;
use crate::secret::SecretHash;
use crate::session::SessionStore;
use crate::usage::UsageStore;

/// What the server remembers. Each operation is one decision that holds whoever else uses the database.
///
/// Keys and tokens are here; the other subjects have traits of their own, all of whose methods a `dyn Store` has.
///
/// Whoever acts for an account passes the account's id, and gets [`Unknown`](Revocation::Unknown) for a key of another's, as for one
/// that does not exist.
#[async_trait]
pub trait Store:
    AccountStore
    + SessionStore
    + PromoStore
    + AllowanceStore
    + UsageStore
    + AuditStore
    + PlaygroundStore
    + Send
    + Sync
    + 'static
{
    /// Makes the first key if none was ever made (those of playgrounds aside), for the [operator's account](AccountStore::ensure_operator); of
    /// several callers at once only one gets it. It has no limit, and its account no allowance.
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError>;

    /// Makes a key that belongs to no account. For operators.
    async fn create_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError>;

    /// Makes a key of an account, which need not have redeemed a promo code yet. Servers pass
    /// [`KeyLimits::OF_ACCOUNTS`](crate::KeyLimits::OF_ACCOUNTS).
    async fn create_key_of(
        &self,
        account: AccountId,
        spec: KeySpec,
        now_ms: i64,
    ) -> Result<KeyCreation, StoreError>;

    /// All keys, oldest first, revoked ones and those of playgrounds included. For operators.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError>;

    /// The keys that an account has made, oldest first, revoked ones included.
    async fn list_keys_of(&self, account: AccountId) -> Result<Vec<KeyRecord>, StoreError>;

    /// Gives a key another name. `None` if who asks has no such key, or it is a playground's.
    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Makes a key with all that an old one was made with, and lets the old one stop after `overlap_ms` (0: now) if it
    /// does not stop sooner. What the old one has spent of a monthly cap counts for the new one.
    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError>;

    /// Ends a key for good, and its unused tokens with it. For operators.
    async fn revoke_key(&self, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError>;

    /// Ends a key of an account for good, and its unused tokens with it.
    async fn revoke_key_of(
        &self,
        account: AccountId,
        prefix: KeyPrefix,
        now_ms: i64,
    ) -> Result<Revocation, StoreError>;

    /// The key of a prefix. The caller compares the hash.
    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError>;

    /// The keys that were made or changed after `revision`; 0 is before the first. A key changes too when its account is
    /// locked, unlocked or given access, and when an allowance or a cap is found spent or is so no longer.
    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError>;

    /// The newest revision.
    async fn key_revision(&self) -> Result<i64, StoreError>;

    /// Whether some key that can be used now names this origin.
    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError>;

    /// Looks whether the database is still where it was, and can be read from its disk. Servers ask this all the
    /// time: what is remembered of a file hides what became of it.
    async fn probe(&self) -> Result<(), StoreError>;

    /// Puts what was written last, and lies beside the database, into the database itself, as far as that makes
    /// nobody wait. Servers call it now and then, so that a copy of the one file lacks little.
    async fn checkpoint(&self) -> Result<(), StoreError>;

    /// Removes what is over: sessions, links, leases, old usage, old entries of the audit log. Servers call it at their start and
    /// every hour. Nothing is wrong without it but that the database grows.
    async fn prune(&self, now_ms: i64) -> Result<(), StoreError>;

    /// Makes a token that a valid key answers for; a key whose account is locked is not valid here. It stops after [`TOKEN_LIFE`](crate::TOKEN_LIFE) or with its key;
    /// a key has at most [`MAX_UNUSED_TOKENS`](crate::MAX_UNUSED_TOKENS). Tokens whose time is over are removed.
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError>;

    /// The valid key that answers for an unused token. Nothing is decided by this: it tells a server what to check
    /// before it [consumes](Store::consume_token) the token.
    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;

    /// Uses a token up and gives the valid key that answers for it; of several callers at once only one gets it.
    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}

/// Why the store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be made or entered.
    #[error("data folder '{path}': {source}")]
    Folder {
        /// The folder.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A copy cannot be written.
    #[error("backup file '{path}': {source}")]
    Backup {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database was written by a newer version.
    #[error("the database has schema {found}, this version knows {known}; use the newer version")]
    NewerSchema {
        /// The database's.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// A row holds what this version cannot read.
    #[error("the database holds what cannot be read: {0}")]
    Unreadable(String),
    /// The database cannot be read or written, because of the disk that it lies on.
    #[error("database in '{folder}': {trouble} ({found})")]
    Disk {
        /// The data folder.
        folder: String,
        /// What is wrong, and what to do.
        trouble: DiskTrouble,
        /// What was found, in the words of who found it.
        found: String,
    },
    /// Another process has been writing for longer than was waited.
    #[error(
        "another process holds the lock of the database; look for what has it open (fuser, lsof) if this goes on"
    )]
    Locked,
    /// More passwords wait to be hashed than may.
    #[error("too many passwords wait to be checked")]
    PasswordsWait,
    /// SQLite failed.
    #[error("database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A password could not be hashed.
    #[error("passwords: {0}")]
    Password(String),
    /// The system gave no random bytes.
    #[error("random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// More work waits than the store takes on.
    #[error("the store is busy")]
    Busy,
    /// The store's thread has ended.
    #[error("the store is closed")]
    Closed,
}
