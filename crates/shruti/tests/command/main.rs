//! Tests that run the real binary as users do.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "bench")]
mod bench;
mod chat;
mod doctor;
mod faults;
mod first_start;
#[path = "../../../shruti-neural/tests/packs/graph.rs"]
#[allow(dead_code, unreachable_pub, reason = "more than these tests use")]
mod graph;
mod mcp;
mod operator;
mod packs;
mod process;
mod say;
mod service;
mod traces;
mod usage;
mod voices;
mod wyoming;
