//! Interface between the server and its database.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::account_store::AccountStore;
use crate::allowance::AllowanceStore;
use crate::audit::AuditStore;
use crate::error::StoreError;
use crate::key_store::KeyStore;
use crate::lexicon::LexiconStore;
use crate::playground::PlaygroundStore;
use crate::promo::PromoStore;
use crate::session::SessionStore;
use crate::token::TokenStore;
use crate::usage::UsageStore;
use crate::verification::VerificationStore;

/// Store of the server: one trait per subject. A `dyn Store` has the methods of all these traits.
///
/// Each operation is one atomic decision, even if other processes use the database.
pub trait Store:
    AccountStore
    + SessionStore
    + VerificationStore
    + KeyStore
    + TokenStore
    + PlaygroundStore
    + LexiconStore
    + PromoStore
    + AllowanceStore
    + UsageStore
    + AuditStore
    + MaintenanceStore
    + Debug
    + Send
    + Sync
    + 'static
{
}

/// Facts about a database, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFacts {
    /// Database system and version, such as `PostgreSQL 15.3`.
    pub kind: String,
    /// Size of the database, in bytes.
    pub bytes: u64,
    /// Free space on its disk, in bytes; `None` if it is unknown, for example for a disk of another machine.
    pub free_bytes: Option<u64>,
}

/// Maintenance of the database.
#[async_trait]
pub trait MaintenanceStore {
    /// Checks that the database has not been removed or replaced and can be read from its disk. Servers call this
    /// periodically, before they request key changes, because cached pages would hide that the file was lost or
    /// damaged.
    async fn probe(&self) -> Result<(), StoreError>;

    /// Returns the kind of the database, its size and the free space.
    async fn facts(&self) -> Result<StoreFacts, StoreError>;

    /// Writes the write-ahead log into the database file, as far as possible without making other processes wait.
    /// Servers call this periodically, so that a copy of the database file alone is almost complete. PostgreSQL does
    /// this itself.
    async fn checkpoint(&self) -> Result<(), StoreError>;

    /// Deletes expired rows, such as sessions, links, leases, old usage and old entries of the audit log. Servers call
    /// this when they start and every hour. Without this call the database only grows.
    async fn prune(&self, now_ms: i64) -> Result<(), StoreError>;

    /// Finishes waiting calls and closes the database. Later calls fail with [`StoreError::Closed`].
    async fn close(&self);
}
