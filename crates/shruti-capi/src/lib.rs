//! `libshruti`: the voices behind a C ABI. The interface is documented in `include/shruti.h`, which is written from here.
//!
//! Each function checks its pointers for null, runs in [`guard::guarded`], which turns a panic into a status, and hands on to
//! safe code. All unsafe code is in [`api`] and [`pointers`].

mod api;
mod engine;
mod guard;
mod pointers;
mod types;

pub use api::*;
pub use engine::ShrutiEngine;
pub use types::*;
