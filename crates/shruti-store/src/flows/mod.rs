//! Flows: the transactions of a store, implemented once for SQLite and PostgreSQL.
//!
//! One file per subject. A flow looks up rows, calls the [decisions](crate::decisions) and writes rows, on any
//! [`Tx`](crate::database::Tx), with the statements of [`sql`](crate::sql). After its flows, each file implements the
//! trait of its subject for every [`Database`](crate::database::Database). `account_rows` and `key_rows` are shared by
//! several subjects.
//!
//! # Locks
//!
//! In PostgreSQL a flow locks the rows that it depends on (`READ COMMITTED`, `FOR NO KEY UPDATE`), always in this
//! order, which prevents deadlocks: an account, a promo code, a lease, `cap_drawn`, `allowance_drawn`, `key_revision`,
//! keys, then the rows that refer to them. A flow that needs the rows of several accounts uses one transaction per
//! account, except that the account of the first start may be locked after another. Expired rows of other accounts are
//! deleted only if they are not locked (`SKIP LOCKED`). SQLite needs no row locks, because one transaction writes at a
//! time.

pub(crate) mod account_rows;
pub(crate) mod accounts;
pub(crate) mod allowance;
pub(crate) mod audit;
pub(crate) mod deletion;
pub(crate) mod key_rows;
pub(crate) mod keys;
pub(crate) mod lexicons;
pub(crate) mod login_attempts;
pub(crate) mod playground;
pub(crate) mod promo;
pub(crate) mod prune;
pub(crate) mod quota_warnings;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod verification;
