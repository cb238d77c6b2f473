//! The trait between the server and its database.

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

/// What the server remembers: one trait for each subject, all of whose methods a `dyn Store` has.
///
/// Each operation is one decision that holds whoever else uses the database.
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

/// What a database is, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFacts {
    /// Its kind and its version, such as `PostgreSQL 15.3`.
    pub kind: String,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The room that is left on its disk, in bytes; `None` where that is another machine's.
    pub free_bytes: Option<u64>,
}

/// The database itself.
#[async_trait]
pub trait MaintenanceStore {
    /// Whether the database is still where it was, and can be read from its disk. Servers ask this all the
    /// time, before they ask for changes of keys: what is cached of a file hides what became of it.
    async fn probe(&self) -> Result<(), StoreError>;

    /// What it is, and how much room it takes and has.
    async fn facts(&self) -> Result<StoreFacts, StoreError>;

    /// Writes the log of the newest changes, which lies beside the database, into the database itself, as far as that
    /// makes nobody wait. Servers call it now and then, so that a copy of the one file lacks little.
    async fn checkpoint(&self) -> Result<(), StoreError>;

    /// Removes what is over: sessions, links, leases, old usage, old entries of the audit log. Servers call it at
    /// their start and every hour. Nothing is wrong without it but that the database grows.
    async fn prune(&self, now_ms: i64) -> Result<(), StoreError>;

    /// Does what waits, and closes the database. Calls that come later fail with
    /// [`StoreError::Closed`].
    async fn close(&self);
}
