//! Limits on connections, handshakes and memory.

mod bucket;
mod connections;
mod handshakes;
mod memory;
mod network;

pub use bucket::Bucket;
pub use connections::{ConnectionSlot, Connections, ExceededLimit, Refusals, RefusedCounts};
pub use handshakes::Handshakes;
pub use memory::MemoryBudget;
pub(crate) use memory::MemoryCharge;
pub use network::customer;
