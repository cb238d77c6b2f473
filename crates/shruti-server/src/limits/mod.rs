//! How much one key, one visitor, and all of them together may do.

mod bucket;
mod rate;
mod streams;
mod visitors;

pub(crate) use rate::{RateStatus, Rates};
pub(crate) use streams::{StreamPermit, Streams};
pub(crate) use visitors::{Door, Visitors};
