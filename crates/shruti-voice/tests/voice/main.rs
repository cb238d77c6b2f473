//! The voice by what it sounds like: one binary, so that it is linked once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contrasts;
mod sound;
mod source;
mod support;
mod timing;
