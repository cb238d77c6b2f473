//! The trial of a pack: memory once it is loaded, memory and time of utterances of all lengths, speeds and speakers.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shruti_lang::SAMPLE_RATE;
use shruti_neural::{GraphError, Limits, ProcessLimits, Settings, SymbolSequence, Synthesiser, on_a_worker};
use shruti_packs::{Manifest, Pack};

use crate::error::{VoicesError, WorkError};
use crate::runner::Runner;

/// The version of the trial: what another one has measured is measured again.
const TRIAL: u32 = 2;
/// The speeds that are tried, from the slowest to the fastest that a request may have.
const SPEEDS: [f32; 4] = [0.5, 1.0, 1.25, 2.0];
/// Semitones by which the pitch is shifted at most.
const PITCHES: [f32; 2] = [-6.0, 6.0];
/// Symbols of a short utterance, and of a usual one.
const SHORT: usize = 3;
const USUAL: usize = 40;
/// The most speakers that are tried.
const SPEAKERS: usize = 8;
/// A step may take so many times as long as the longest of the trial, and some seconds more: the machine may be busy.
const SLOWER: f64 = 10.0;
const LONGER_STEP: Duration = Duration::from_secs(10);
const LONGER_LOAD: Duration = Duration::from_secs(30);

/// What a pack costs at most, on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Bytes of memory that it keeps once it is loaded; 0 where the system does not tell.
    pub resident_bytes: u64,
    /// Bytes that speaking its longest utterance takes on top; 0 where the system does not tell.
    pub run_bytes: u64,
    /// Seconds of sound of that utterance.
    pub sound_seconds: f64,
    /// Seconds of work for a second of sound.
    pub seconds_per_second: f64,
    /// Seconds of the longest step: nothing is cancelled inside a step.
    pub longest_step_seconds: f64,
    /// Seconds until it is loaded.
    pub load_seconds: f64,
}

impl Measured {
    /// The longest times that a server waits for a process that runs the pack.
    pub fn process_limits(&self) -> ProcessLimits {
        let longer = |seconds: f64| Duration::try_from_secs_f64(SLOWER * seconds).unwrap_or(Duration::MAX);
        ProcessLimits {
            load: longer(self.load_seconds).saturating_add(LONGER_LOAD),
            step: longer(self.longest_step_seconds).saturating_add(LONGER_STEP),
        }
    }
}

/// Measures a pack in this process, which should do nothing else. The graphs run on a thread like those of the service.
pub fn here(pack: &Path) -> Result<Measured, WorkError> {
    let pack = Pack::open(pack)?;
    on_a_worker(move || trial(&pack))?
}

fn trial(pack: &Pack) -> Result<Measured, WorkError> {
    let before = resident();
    let began = Instant::now();
    let synthesiser = Synthesiser::load(pack, 1)?;
    let load_seconds = began.elapsed().as_secs_f64();
    let loaded = resident();
    forget_peak();
    let most = synthesiser.manifest().input.max_symbols;
    let longest = synthesiser.symbols().sample(most)?;
    let usual = run(&synthesiser, &longest, &settings(&synthesiser, 0))?;
    let mut longest_step = usual.longest_step;
    let mut try_run = |symbols: usize, settings: &Settings| -> Result<(), WorkError> {
        let sequence = synthesiser.symbols().sample(symbols)?;
        longest_step = longest_step.max(run(&synthesiser, &sequence, settings)?.longest_step);
        Ok(())
    };
    for speed in SPEEDS {
        for symbols in [SHORT, most] {
            try_run(symbols, &Settings { speed, ..settings(&synthesiser, 0) })?;
        }
    }
    for pitch in PITCHES.into_iter().filter(|_| synthesiser.has_pitch()) {
        try_run(USUAL, &Settings { pitch, ..settings(&synthesiser, 0) })?;
    }
    let voices = synthesiser.manifest().voices.len();
    for speaker in (1..voices).step_by(voices.div_ceil(SPEAKERS)) {
        try_run(USUAL, &settings(&synthesiser, speaker))?;
    }
    let sound_seconds = usual.samples as f64 / f64::from(SAMPLE_RATE);
    Ok(Measured {
        resident_bytes: loaded.saturating_sub(before),
        run_bytes: peak().saturating_sub(loaded),
        sound_seconds,
        seconds_per_second: usual.time.as_secs_f64() / sound_seconds.max(1e-3),
        longest_step_seconds: longest_step.as_secs_f64(),
        load_seconds,
    })
}

/// The settings of a voice of the pack.
fn settings(synthesiser: &Synthesiser, voice: usize) -> Settings {
    Settings { speaker: synthesiser.manifest().voices[voice].speaker, ..Settings::default() }
}

/// An utterance of the trial.
struct Run {
    time: Duration,
    longest_step: Duration,
    samples: usize,
}

fn run(synthesiser: &Synthesiser, sequence: &SymbolSequence, settings: &Settings) -> Result<Run, GraphError> {
    let began = Instant::now();
    let mut prepared = synthesiser.prepare(sequence, settings)?;
    let mut last = Instant::now();
    let mut longest_step = last - began;
    while synthesiser.next(&mut prepared.passage)?.is_some() {
        let now = Instant::now();
        longest_step = longest_step.max(now - last);
        last = now;
    }
    Ok(Run { time: last - began, longest_step, samples: prepared.samples })
}

/// What is written down beside an installed pack.
#[derive(Serialize, Deserialize)]
struct Note {
    /// The version of the trial.
    trial: u32,
    /// The pack's manifest: another pack under the same id is measured anew.
    manifest: Manifest,
    measured: Measured,
}

/// What was written down of an installed pack, else what is measured now and written down.
pub fn known(
    runner: &impl Runner,
    packs: &Path,
    pack: &Pack,
    limits: &Limits,
) -> Result<Measured, VoicesError> {
    if let Some(measured) = noted(packs, pack) {
        return Ok(measured);
    }
    let measured = runner.measure(pack.folder(), limits)?;
    // what cannot be written down is measured again next time
    let _ = note(packs, pack, &measured);
    Ok(measured)
}

/// Writes down beside an installed pack what was measured, for lists. What cannot be written is measured again.
pub fn note(packs: &Path, pack: &Pack, measured: &Measured) -> std::io::Result<()> {
    let manifest = pack.manifest().clone();
    let path = note_path(packs, &manifest.id);
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(&serde_json::to_vec(&Note { trial: TRIAL, manifest, measured: *measured })?)
}

/// What was written down of a pack, if it is still the same.
pub fn noted(packs: &Path, pack: &Pack) -> Option<Measured> {
    let note = fs::read(note_path(packs, &pack.manifest().id)).ok()?;
    let note: Note = serde_json::from_slice(&note).ok()?;
    (note.trial == TRIAL && note.manifest == *pack.manifest()).then_some(note.measured)
}

/// Forgets what was written down of a pack that is no longer there.
pub fn forget(packs: &Path, id: &str) {
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
