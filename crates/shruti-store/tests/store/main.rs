//! Tests of the stores. [`suite`] runs on all databases, [`postgres`] and [`sqlite`] on one each, and [`copy`] copies
//! between them.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod copy;
mod postgres;
mod sqlite;
mod suite;
