//! Limits per API key, per client address and for the whole server.

mod ip;
mod rate;
mod sign_ins;
mod streams;

pub use ip::{IpRateLimiter, RateClass};
pub use rate::{RateStatus, Rates};
pub use sign_ins::SignIns;
pub use streams::{StreamPermit, Streams};
