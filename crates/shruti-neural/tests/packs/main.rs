//! Tests of packs through the public API. All tests form a single binary, so that there is only one to link.
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
