//! Packs that run in their own process.
//!
//! A pack is untrusted code: a graph may need unlimited time, memory or stack, and a failed allocation or a stack
//! overflow terminates its process. A server therefore runs each pack in a child process with an address space limit.
//! It kills the child if a step takes far longer than the longest step of the trial run, and starts a new child after a
//! delay that doubles with each failure. The rest of the server is not affected.

mod client;
mod serve;
mod supervisor;
mod wire;

use std::io;
use std::time::Duration;

pub use client::{PackProcess, ProcessPassage};
pub use serve::{ServeError, serve_pack};

use shruti_packs::PackError;

use crate::symbols::SymbolError;

/// Time limits for the process of a pack. The memory of the process is limited by
/// [`Limits::apply`](crate::Limits::apply), which the process itself calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Maximum time to load the pack.
    pub load: Duration,
    /// Maximum time of a step: preparing an utterance or computing a chunk.
    pub step: Duration,
}

/// Reason why the process of a pack could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The files of the pack are invalid or could not be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The symbol table of the pack is invalid.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// The process or a thread could not be started.
    #[error("the process of the pack could not be started: {0}")]
    Io(#[from] io::Error),
    /// The process ended or was killed before the pack was loaded.
    #[error("{0}")]
    Ended(String),
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
