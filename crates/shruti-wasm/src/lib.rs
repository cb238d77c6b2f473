//! The front end and the rule-based voices for WebAssembly: speech in a page without a server.
//!
//! [`Speaker`] accepts text in pieces and returns blocks of samples with word marks. The samples equal those of the server
//! for `"engine": "rules"`. The module that `sdk/wasm/build.sh` builds exports it with the functions of `abi` and loads the
//! data of its languages at run time (feature `external-data`). The crate is independent of the browser: `sdk/wasm` runs
//! the module in a worker and plays its samples.

mod abi;
mod speaker;

pub use speaker::{Block, Progress, Speaker};
