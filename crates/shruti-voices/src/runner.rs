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

    /// Measures a pack within limits. The pack may never have run on this machine.
    fn measure(&self, pack: &Path, limits: &Limits) -> Result<Measured, VoicesError>;

    /// Loads a measured pack, which speaks on these threads with at most `memory` bytes of memory.
    fn start(
        &self,
        pack: &Pack,
        measured: &Measured,
        memory: u64,
        threads: SharedThreads,
    ) -> Result<Self::Synthesis, VoicesError>;
}
