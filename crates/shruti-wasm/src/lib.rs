//! Front end and rule-based voices for WebAssembly, for speech in a web page without a server.
//!
//! [`Speaker`] accepts text in pieces and returns blocks of samples with word marks. The samples equal those of the
//! server for `"engine": "rules"`. The module that `sdk/wasm/build.sh` builds exports the functions of `abi` for a
//! single speaker, and loads the data of its languages at run time (feature `external-data`). The crate does not use
//! any browser API: `sdk/wasm` runs the module in a worker and plays its samples.

mod abi;
mod speaker;

pub use speaker::{Block, Progress, Speaker};
