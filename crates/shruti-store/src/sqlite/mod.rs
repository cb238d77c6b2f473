//! Store in one SQLite file.
//!
//! [`tx`] runs the statements of the [flows](crate::flows) on worker threads. The other modules open, check and
//! maintain the file.

mod backup;
mod checkpoint;
mod connection;
mod copy;
mod database_file;
mod erasing;
mod fault;
mod hash_promo_codes;
mod inspect;
mod maintenance;
mod migrations;
mod probe;
mod store;
mod tx;
mod worker;

pub(crate) use copy::{CopySide, CopyWriter};
pub use inspect::Inspection;
pub use store::SqliteStore;
