//! Tests of the front end through its public interface. They are one binary, so that it is linked only once.
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
