//! Tests of packs through the public API. All tests are in one binary, so that only one binary must be linked.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engine;
#[allow(dead_code, reason = "sizes that the examples use")]
mod folder;
mod graph;
mod kinds;
mod kokoro;
mod refused;
mod testvoice;
mod trained;
mod voice;
