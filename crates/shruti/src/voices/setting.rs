//! Helpers shared by the subcommands: limits, installation steps and audit log entries.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use shruti_neural::Limits;
use shruti_packs::{Installation, Pack};
use shruti_store::PackEvent;
use shruti_voices::measure::{self, Measured};
use shruti_voices::{Runner, packs_folder};

use crate::calendar;
use crate::data_dir::{Data, block_on};
use crate::packs;

/// Limits of the process that runs untrusted graphs.
#[derive(clap::Args, Clone, Copy)]
pub(super) struct LimitArgs {
    /// Time limit for loading and testing the graphs of the pack, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,

    /// Memory limit for loading and testing the graphs of the pack, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 6_144, value_parser = clap::value_parser!(u64).range(64..=1_048_576))]
    memory_limit: u64,
}

impl LimitArgs {
    pub(super) fn limits(self) -> Limits {
        Limits { time: Duration::from_secs(self.time_limit), memory: self.memory_limit << 20 }
    }
}

/// Tests the pack that was built, and installs it.
pub(super) fn finish(
    installation: Installation,
    event: PackEvent,
    data: &Data,
    limits: &Limits,
) -> anyhow::Result<()> {
    let made = installation.pack()?;
    made.verify()?;
    eprintln!("testing …");
    let measured = packs::children()
        .measure(made.folder(), limits)
        .context("the pack failed its test and was not installed")?;
    let folder = packs_folder(data.path());
    installation.check_names(made.manifest().voices.iter().map(|voice| voice.name.as_str()))?;
    // the action is recorded before the installation, so that a full disk leaves no pack without an audit log entry
    write_down(data, event, &made.manifest().id)?;
    let pack = installation.commit()?;
    if let Err(error) = measure::store(&folder, &pack, &measured) {
        eprintln!("shruti: the measurements could not be saved: {error}");
    }
    tell(&pack, &measured);
    Ok(())
}

fn tell(pack: &Pack, measured: &Measured) {
    let manifest = pack.manifest();
    eprintln!("installed {} in {}", manifest.id, pack.folder().display());
    for voice in &manifest.voices {
        let languages: Vec<&str> = voice.languages.iter().map(|language| language.code()).collect();
        eprintln!("  voice {} ({})", voice.name, languages.join(", "));
    }
    eprintln!("  {}", shown(measured));
    eprintln!("a running server uses it after `shruti reload`");
}

/// Formats measurements for display.
pub(super) fn shown(measured: &Measured) -> String {
    let Measured { resident_bytes, run_bytes, seconds_per_second, longest_step_seconds, .. } = *measured;
    format!(
        "{seconds_per_second:.2} s of processing per second of speech on one thread, longest step {:.0} ms, memory \
         {} plus {} while speaking",
        longest_step_seconds * 1_000.0,
        mebibytes(resident_bytes),
        mebibytes(run_bytes),
    )
}

/// Formats a number of bytes for display, in MiB.
pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Records an action on a pack in the audit log.
pub(super) fn write_down(data: &Data, event: PackEvent, pack: &str) -> anyhow::Result<()> {
    block_on(async { Ok(data.open().await?.record_pack(event, pack.to_owned(), calendar::now_ms()).await?) })
}

/// Returns an error if the disk has no room for `bytes` more bytes and a reserve of 8 MiB. Succeeds if the free space
/// cannot be determined.
pub(super) fn check_room(folder: &Path, bytes: u64) -> anyhow::Result<()> {
    const SPARE: u64 = 8 << 20;
    let Ok(found) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    anyhow::ensure!(
        free >= bytes.saturating_add(SPARE),
        "{}: {} are free, {} are needed; free some space, or set another folder with --data-dir",
        folder.display(),
        mebibytes(free),
        mebibytes(bytes.saturating_add(SPARE))
    );
    Ok(())
}
