//! What a pack costs at most: memory once it is loaded, memory and time of its longest utterance.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shruti_neural::{Limits, Manifest, Pack, Settings, Synthesiser};
use shruti_protocol::SAMPLE_RATE;

use super::child::{self, Work};

/// What a pack costs at most, on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Bytes of memory that it keeps once it is loaded; 0 where the system does not tell.
    pub(crate) resident_bytes: u64,
    /// Bytes that speaking its longest utterance takes on top; 0 where the system does not tell.
    pub(crate) run_bytes: u64,
    /// Seconds of sound of that utterance.
    pub(crate) sound_seconds: f64,
    /// Seconds of work for a second of sound.
    pub(crate) seconds_per_second: f64,
    /// Seconds of the longest step: nothing is cancelled inside a step.
    pub(crate) longest_step_seconds: f64,
}

/// Measures a pack in a process of its own, within limits: for packs that have never run here.
pub(crate) fn measure(pack: &Path, limits: &Limits) -> anyhow::Result<Measured> {
    child::run(&Work::Measure { pack: pack.to_owned() }, limits)
}

/// Measures a pack in this process, which should do nothing else.
pub(super) fn here(pack: &Path) -> anyhow::Result<Measured> {
    let before = resident();
    let synthesiser = Synthesiser::load(&Pack::open(pack)?, 1)?;
    let loaded = resident();
    forget_peak();
    let manifest = synthesiser.manifest();
    let sequence = synthesiser.symbols().sample(manifest.input.max_symbols)?;
    let speaker = manifest.voices[0].speaker;
    let begun = Instant::now();
    let mut prepared = synthesiser.prepare(&sequence, &Settings { speaker, ..Settings::default() })?;
    let mut last = Instant::now();
    let mut longest = last - begun;
    while synthesiser.next(&mut prepared.passage)?.is_some() {
        let now = Instant::now();
        longest = longest.max(now - last);
        last = now;
    }
    let sound_seconds = prepared.samples as f64 / f64::from(SAMPLE_RATE);
    Ok(Measured {
        resident_bytes: loaded.saturating_sub(before),
        run_bytes: peak().saturating_sub(loaded),
        sound_seconds,
        seconds_per_second: (last - begun).as_secs_f64() / sound_seconds.max(1e-3),
        longest_step_seconds: longest.as_secs_f64(),
    })
}

/// What is written down beside an installed pack.
#[derive(Serialize, Deserialize)]
struct Note {
    /// The pack's manifest: another pack under the same id is measured anew.
    manifest: Manifest,
    measured: Measured,
}

/// What was written down of an installed pack, else what is measured now and written down.
pub(crate) fn known(packs: &Path, pack: &Pack, limits: &Limits) -> anyhow::Result<Measured> {
    if let Some(measured) = noted(packs, pack) {
        return Ok(measured);
    }
    let measured = measure(pack.folder(), limits)?;
    // what cannot be written down is measured again next time
    let _ = note(packs, pack, &measured);
    Ok(measured)
}

/// Writes down beside an installed pack what was measured, for lists. What cannot be written is measured again.
pub(crate) fn note(packs: &Path, pack: &Pack, measured: &Measured) -> std::io::Result<()> {
    let manifest = pack.manifest().clone();
    let path = note_path(packs, &manifest.id);
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(&serde_json::to_vec(&Note { manifest, measured: *measured })?)
}

/// What was written down of a pack, if it is still the same.
pub(crate) fn noted(packs: &Path, pack: &Pack) -> Option<Measured> {
    let note = fs::read(note_path(packs, &pack.manifest().id)).ok()?;
    let note: Note = serde_json::from_slice(&note).ok()?;
    (note.manifest == *pack.manifest()).then_some(note.measured)
}

/// Forgets what was written down of a pack that is no longer there.
pub(crate) fn forget(packs: &Path, id: &str) {
    // there need be none
    let _ = fs::remove_file(note_path(packs, id));
}

fn note_path(packs: &Path, id: &str) -> PathBuf {
    packs.join(format!(".{id}.measured"))
}

#[cfg(target_os = "linux")]
fn status(field: impl Fn(procfs::process::Status) -> Option<u64>) -> u64 {
    let status = procfs::process::Process::myself().and_then(|process| process.status());
    // the kernel tells kibibytes
    status.ok().and_then(field).unwrap_or(0) * 1_024
}

/// Bytes of memory that this process has now.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    status(|status| status.vmrss)
}

/// The most bytes that it had since its start, or since that was forgotten.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    status(|status| status.vmhwm)
}

/// Begins to look for the most bytes anew: loading takes more than it keeps.
#[cfg(target_os = "linux")]
fn forget_peak() {
    use procfs::process::{ClearRefs, Process};
    // where it is not allowed, what loading took counts, too
    let _ = Process::myself().and_then(|process| process.clear_refs(ClearRefs::PeakRSS));
}

#[cfg(not(target_os = "linux"))]
fn resident() -> u64 {
    0
}

#[cfg(not(target_os = "linux"))]
fn peak() -> u64 {
    0
}

#[cfg(not(target_os = "linux"))]
fn forget_peak() {}
