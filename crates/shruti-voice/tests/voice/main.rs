//! Acoustic tests of the voices. They form one binary, so that the dependencies are linked only once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contrasts;
mod sound;
mod source;
mod support;
mod timing;
mod tunes;
