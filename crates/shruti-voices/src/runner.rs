//! Interface for running the graphs of packs.

use std::path::Path;

use shruti_engine::SharedThreads;
use shruti_neural::{Limits, Synthesis};
use shruti_packs::Pack;

use crate::error::VoicesError;
use crate::measure::Measured;

/// Runner for the graphs of packs, which may come from an untrusted source and consume unlimited time and memory.
pub trait Runner: Send + Sync + 'static {
    /// A loaded pack.
    type Synthesis: Synthesis;

    /// Measures a pack within the given limits. The pack may be one that has never run on this machine.
    fn measure(&self, pack: &Path, limits: &Limits) -> Result<Measured, VoicesError>;

    /// Loads a measured pack. The pack runs on the given threads and may use at most `memory` bytes of memory.
    fn start(
        &self,
        pack: &Pack,
        measured: &Measured,
        memory: u64,
        threads: SharedThreads,
    ) -> Result<Self::Synthesis, VoicesError>;
}
