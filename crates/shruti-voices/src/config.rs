//! What an operator sets for packs.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use shruti_engine::SharedThreads;

use crate::measure::Measured;

/// How far the threads of packs stand back behind those of the embedded voice and of the network.
const NICENESS: i32 = 19;

/// What an operator sets for packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacksConfig {
    /// The folder of packs; there need be none.
    pub folder: PathBuf,
    /// The threads that packs share; the engine's default where it is not set.
    pub threads: Option<NonZero<usize>>,
    /// The most MiB that packs may take together; half of the machine's memory where it is not set.
    pub memory_mib: Option<NonZero<u64>>,
    /// Whether a built-in voice speaks where the pack that is routed to it has no room.
    pub falls_back: bool,
}

impl PacksConfig {
    /// The defaults, for the packs of a data folder.
    pub fn in_data_folder(data_dir: &Path) -> Self {
        Self { folder: packs_folder(data_dir), threads: None, memory_mib: None, falls_back: false }
    }

    /// The threads that packs share.
    pub fn shared_threads(&self) -> SharedThreads {
        let default = SharedThreads { niceness: NICENESS, ..SharedThreads::default() };
        SharedThreads { threads: self.threads.map_or(default.threads, NonZero::get), ..default }
    }

    /// The most bytes that packs may take together.
    pub fn most_memory(&self) -> u64 {
        self.memory_mib.map_or_else(|| machine_memory() / 2, |mebibytes| mebibytes.get() << 20)
    }
}

/// Where packs are, in the data folder.
pub fn packs_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("packs")
}

/// How many bytes packs take while all threads speak with the dearest of them.
pub fn memory<'a>(measured: impl Iterator<Item = &'a Measured> + Clone, threads: usize) -> u64 {
    let loaded: u64 = measured.clone().map(|measured| measured.resident_bytes).sum();
    loaded + measured.map(|measured| measured.run_bytes).max().unwrap_or(0) * threads as u64
}

/// The machine's memory, in bytes; 8 GiB where the system does not say it the same way.
fn machine_memory() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        (info.totalram as u64).saturating_mul(info.mem_unit.into())
    }
    #[cfg(not(target_os = "linux"))]
    {
        8 << 30
    }
}
