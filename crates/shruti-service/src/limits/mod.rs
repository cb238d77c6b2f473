//! How much one key, one client address, and all of them together may do.

mod ip;
mod rate;
mod sign_ins;
mod streams;

pub use ip::{IpRateLimiter, RateClass};
pub use rate::{RateStatus, Rates};
pub use sign_ins::SignIns;
pub use streams::{StreamPermit, Streams};
