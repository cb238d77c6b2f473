//! Tests of the stores: [`suite`] runs on all databases, the other modules on one each.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod copy;
mod postgres;
mod sqlite;
mod suite;
