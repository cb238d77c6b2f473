//! Store in PostgreSQL, which several servers may share.
//!
//! [`tx`] runs the statements of the [flows](crate::flows), whose documentation describes the order of locks. The other
//! modules handle connections, migrations, notifications and copies.

mod address;
mod connections;
mod copy;
mod fault;
mod inspect;
mod listener;
mod maintenance;
mod migrations;
mod store;
mod tls;
mod tx;

pub use address::{InvalidAddress, PostgresAddress};
pub(crate) use copy::{CopySide, CopyWriter};
pub use inspect::PostgresInspection;
pub use store::PostgresStore;
