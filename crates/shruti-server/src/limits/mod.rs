//! How much one key, one client address, and all of them together may do.

mod ip;
mod rate;
mod sign_ins;
mod streams;

pub(crate) use ip::{IpRateLimiter, RateClass};
pub(crate) use rate::{RateStatus, Rates};
pub(crate) use sign_ins::SignIns;
pub(crate) use streams::{StreamPermit, Streams};
