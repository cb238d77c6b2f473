//! Acoustic tests of the voices, in one binary, so that they are linked only once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contrasts;
mod sound;
mod source;
mod support;
mod timing;
mod tunes;
