//! Test kit: a server on port 0, a slow back end, audio assertions.

pub mod slow;
