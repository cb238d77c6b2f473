//! How many connections and handshakes there may be, and how much memory they may take.

mod bucket;
mod connections;
mod handshakes;
mod memory;
mod network;

pub use bucket::Bucket;
pub use connections::{ConnectionSlot, Connections, Refusals, Refused, TooMany};
pub use handshakes::Handshakes;
pub use memory::MemoryBudget;
pub(crate) use memory::MemoryCharge;
pub use network::customer;
