//! Packs as their users see them: one binary, so that it is linked once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engine;
mod graph;
mod refused;
mod voice;
