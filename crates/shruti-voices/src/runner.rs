//! What runs the graphs of packs.

use std::path::Path;

use shruti_engine::SharedThreads;
use shruti_neural::{Limits, Synthesis};
use shruti_packs::Pack;

use crate::error::VoicesError;
use crate::measure::Measured;

/// Runs the graphs of packs, which may come from anywhere and take time and memory without end.
pub trait Runner: Send + Sync + 'static {
    /// A loaded pack.
    type Synthesis: Synthesis;

    /// Measures a pack, which may never have run on this machine, within limits.
    fn measure(&self, pack: &Path, limits: &Limits) -> Result<Measured, VoicesError>;

    /// Loads a pack that was measured, to speak on these threads with at most so many bytes of memory.
    fn start(
        &self,
        pack: &Pack,
        measured: &Measured,
        memory: u64,
        threads: SharedThreads,
    ) -> Result<Self::Synthesis, VoicesError>;
}
