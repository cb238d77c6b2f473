//! A pack that runs in a process of its own.
//!
//! A pack is code that comes from elsewhere: a graph may take time, memory or stack without bound, and an allocation
//! that fails or a stack that overflows ends a process. So a server runs each pack in a child process with an address
//! space limit, kills it when a step takes far longer than the longest of the trial, and starts a new one after a
//! pause that doubles with each failure. Everything else of the server goes on.

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

/// Time limits of the process of a pack. Its memory is limited by [`Limits::apply`](crate::Limits::apply), which the
/// process calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// The longest time until the pack is loaded.
    pub load: Duration,
    /// The longest time of a step: preparing an utterance, or making a chunk.
    pub step: Duration,
}

/// The process of a pack could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// Its files are wrong.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// Its symbols are wrong.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// No process or thread could be started.
    #[error("the process of the pack could not be started: {0}")]
    Io(#[from] io::Error),
    /// It ended, or was ended, before the pack was loaded.
    #[error("{0}")]
    Ended(String),
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
