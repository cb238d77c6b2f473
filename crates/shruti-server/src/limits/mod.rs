//! How much one key, and all of them together, may do.

mod rate;
mod streams;

pub(crate) use rate::{RateStatus, Rates};
pub(crate) use streams::{StreamPermit, Streams};
