//! How much one key, one client address, and all of them together may do.

mod bucket;
mod handshakes;
mod ip;
mod rate;
mod streams;

pub(crate) use bucket::Bucket;
pub(crate) use handshakes::Handshakes;
pub(crate) use ip::{IpRateLimiter, RateClass};
pub(crate) use rate::{RateStatus, Rates};
pub(crate) use streams::{StreamPermit, Streams};
