//! `libshruti`: C interface to the voices. `include/shruti.h`, which is generated from this crate, documents the
//! interface.
//!
//! Each function checks its pointers for null and calls safe code. It runs in a function of [`guard`], which catches
//! panics. All unsafe code is in [`api`] and [`pointers`].

mod api;
mod engine;
mod guard;
mod pointers;
mod types;

pub use api::*;
pub use engine::ShrutiEngine;
pub use types::*;
