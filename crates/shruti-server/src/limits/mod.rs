//! How much one key, one client address, and all of them together may do.

mod bucket;
mod connections;
mod handshakes;
mod ip;
mod memory;
mod network;
mod rate;
mod sign_ins;
mod streams;

pub(crate) use bucket::Bucket;
pub(crate) use connections::{Connections, Refusals, Refused};
pub(crate) use handshakes::Handshakes;
pub(crate) use ip::{IpRateLimiter, RateClass};
pub(crate) use memory::{MemoryBudget, MemoryCharge};
pub(crate) use network::customer;
pub(crate) use rate::{RateStatus, Rates};
pub(crate) use sign_ins::SignIns;
pub(crate) use streams::{StreamPermit, Streams};
