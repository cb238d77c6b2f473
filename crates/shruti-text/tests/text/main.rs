//! Tests of the front end through its public interface. All tests are in one binary, so that the front end is linked
//! only once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod beta;
mod dravidian;
mod heteronyms;
mod hostile;
mod identifiers;
mod languages;
mod layers;
mod phones;
mod properties;
mod written_forms;
