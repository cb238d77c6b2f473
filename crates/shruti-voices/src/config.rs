//! Configuration of packs.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use shruti_engine::SharedThreads;

use crate::measure::Measured;

/// Niceness of the threads that run packs. The threads of the built-in voices and of the network have priority.
const NICENESS: i32 = 19;

/// Configuration of packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacksConfig {
    /// Folder of packs, which need not exist.
    pub folder: PathBuf,
    /// Number of threads that packs share. By default, the engine's default number is used.
    pub threads: Option<NonZero<usize>>,
    /// Maximum total memory of packs, in MiB. The default is half of the machine's memory.
    pub memory_mib: Option<NonZero<u64>>,
    /// Whether a built-in voice speaks when the pack of a route has no capacity.
    pub falls_back: bool,
}

impl PacksConfig {
    /// Returns the default configuration for a data folder.
    pub fn in_data_folder(data_dir: &Path) -> Self {
        Self { folder: packs_folder(data_dir), threads: None, memory_mib: None, falls_back: false }
    }

    /// Returns the threads that packs share.
    pub fn shared_threads(&self) -> SharedThreads {
        let default = SharedThreads { niceness: NICENESS, ..SharedThreads::default() };
        SharedThreads { threads: self.threads.map_or(default.threads, NonZero::get), ..default }
    }

    /// Returns the maximum total memory of packs, in bytes.
    pub fn most_memory(&self) -> u64 {
        self.memory_mib.map_or_else(|| machine_memory() / 2, |mebibytes| mebibytes.get() << 20)
    }
}

/// Returns the folder of packs in a data folder.
pub fn packs_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("packs")
}

/// Returns the memory, in bytes, that all packs need together while all threads run the pack that needs the most memory
/// per run.
pub fn memory<'a>(measured: impl Iterator<Item = &'a Measured> + Clone, threads: usize) -> u64 {
    let loaded: u64 = measured.clone().map(|measured| measured.resident_bytes).sum();
    loaded + measured.map(|measured| measured.run_bytes).max().unwrap_or(0) * threads as u64
}

/// Returns the machine's memory in bytes. Returns 8 GiB on systems other than Linux.
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
