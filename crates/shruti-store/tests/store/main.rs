//! Tests of the stores: [`suite`] holds for each of them, the other modules for one alone.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod copy;
mod postgres;
mod sqlite;
mod suite;
