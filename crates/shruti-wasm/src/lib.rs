//! The front end and the rule voice for WebAssembly: speech in a page without a server.
//!
//! [`Speaker`] takes text in pieces and gives blocks of samples with word marks; its samples are those of the server for
//! `"engine": "rules"`. The module that `sdk/wasm/build.sh` builds exports it by the functions of `abi`, and is given the
//! data of its languages at run time (feature `external-data`). Nothing here knows the browser: `sdk/wasm` runs the module
//! in a worker and plays its samples.

mod abi;
mod speaker;

pub use speaker::{Block, Progress, Speaker};
