//! The store in PostgreSQL, which several servers share.
//!
//! One file a subject, as in [`sqlite`](crate::sqlite): its statements, and the calls that look up,
//! [decide](crate::decisions) and write in one transaction.
//!
//! # Locks
//!
//! A decision locks the rows that it is decided by (`READ COMMITTED`, `FOR NO KEY UPDATE`), always in this order, so
//! that no two wait for each other: an account, a promo code, a lease, `cap_drawn`, `allowance_drawn`, `key_revision`,
//! keys, then what hangs on them. Who needs the rows of several accounts takes them one transaction each, except that the
//! account of the first start may be taken after another. Rows of others that are over are removed where nobody holds them (`SKIP LOCKED`).

mod account_rows;
mod accounts;
mod address;
mod allowance;
mod audit;
mod client;
mod connections;
mod copy;
mod deletion;
mod fault;
mod inspect;
mod key_rows;
mod listener;
mod login_attempts;
mod maintenance;
mod migrations;
mod promo;
mod prune;
mod quota_warnings;
mod rows;
mod sessions;
mod store;
mod tls;
mod tokens;
#[allow(dead_code, reason = "the subjects move here one by one")]
mod tx;
mod usage;
mod values;
mod verification;

pub use address::{InvalidAddress, PostgresAddress};
pub(crate) use copy::{CopySide, CopyWriter};
pub use inspect::PostgresInspection;
pub use store::PostgresStore;
