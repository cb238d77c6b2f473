//! The real binary, run as people run it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "bench")]
mod bench;
mod chat;
mod doctor;
mod faults;
mod operator;
mod process;
mod say;
mod service;
mod usage;
