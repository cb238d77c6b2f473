//! The store in one SQLite file.
//!
//! One file a subject: its statements, as constants that each run alone, and the calls that look up,
//! [decide](crate::decisions) and write in one transaction. `account_rows` and `key_rows` hold what several subjects
//! do to those tables.

mod account_rows;
mod accounts;
mod allowance;
mod audit;
mod backup;
mod checkpoint;
mod connection;
mod copy;
mod database_file;
mod deletion;
#[allow(dead_code, reason = "the subjects move here one by one")]
mod erasing;
mod fault;
mod hash_promo_codes;
mod inspect;
mod key_rows;
mod login_attempts;
mod maintenance;
mod migrations;
mod probe;
mod promo;
mod prune;
mod quota_warnings;
mod sessions;
mod store;
mod tokens;
mod tx;
mod usage;
mod verification;
mod worker;

pub(crate) use copy::{CopySide, CopyWriter};
pub use inspect::Inspection;
pub use store::SqliteStore;
