//! Trial of a pack: its memory after loading, and the memory and time of utterances with various lengths, speeds and
//! speakers.

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

/// Version of the trial. A pack whose stored result is from another version is measured again.
const TRIAL: u32 = 2;
/// Speeds that are tried, from the slowest to the fastest that a request may use.
const SPEEDS: [f32; 4] = [0.5, 1.0, 1.25, 2.0];
/// Minimum and maximum pitch shift, in semitones.
const PITCHES: [f32; 2] = [-6.0, 6.0];
/// Number of symbols in a short utterance.
const SHORT: usize = 3;
/// Number of symbols in a typical utterance.
const USUAL: usize = 40;
/// Maximum number of speakers that are tried.
const SPEAKERS: usize = 8;
/// Factor by which a step or a load may take longer than in the trial, because the machine may be busy.
const SLOWER: f64 = 10.0;
/// Time that a step may take in addition to [`SLOWER`] times the longest step of the trial.
const LONGER_STEP: Duration = Duration::from_secs(10);
/// Time that loading may take in addition to [`SLOWER`] times the load time of the trial.
const LONGER_LOAD: Duration = Duration::from_secs(30);

/// Maximum resource usage of a pack on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Memory after loading, in bytes; 0 if the system does not report it.
    pub resident_bytes: u64,
    /// Additional memory while the longest utterance is spoken, in bytes; 0 if the system does not report it.
    pub run_bytes: u64,
    /// Duration of the audio of the longest utterance, in seconds.
    pub sound_seconds: f64,
    /// Seconds of computation per second of audio.
    pub seconds_per_second: f64,
    /// Duration of the longest step, in seconds. A step cannot be cancelled.
    pub longest_step_seconds: f64,
    /// Time to load the pack, in seconds.
    pub load_seconds: f64,
}

impl Measured {
    /// Returns the time limits for a process that runs the pack.
    pub fn process_limits(&self) -> ProcessLimits {
        let longer = |seconds: f64| Duration::try_from_secs_f64(SLOWER * seconds).unwrap_or(Duration::MAX);
        ProcessLimits {
            load: longer(self.load_seconds).saturating_add(LONGER_LOAD),
            step: longer(self.longest_step_seconds).saturating_add(LONGER_STEP),
        }
    }
}

/// Measures a pack in this process, which should do nothing else. The graphs run on a thread with the same stack size
/// as the threads of the service.
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

/// Returns the settings for a voice of the pack.
fn settings(synthesiser: &Synthesiser, voice: usize) -> Settings {
    Settings { speaker: synthesiser.manifest().voices[voice].speaker, ..Settings::default() }
}

/// Result of an utterance of the trial.
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

/// Stored result of the trial of an installed pack.
#[derive(Serialize, Deserialize)]
struct StoredMeasurement {
    /// Version of the trial.
    trial: u32,
    /// Manifest of the pack. A different pack with the same ID is measured again.
    manifest: Manifest,
    measured: Measured,
}

/// Returns the stored result of an installed pack. If there is none, measures the pack and stores the result.
pub fn measure_cached(
    runner: &impl Runner,
    packs: &Path,
    pack: &Pack,
    limits: &Limits,
) -> Result<Measured, VoicesError> {
    if let Some(measured) = stored(packs, pack) {
        return Ok(measured);
    }
    let measured = runner.measure(pack.folder(), limits)?;
    // if storing fails, the pack is measured again next time
    let _ = store(packs, pack, &measured);
    Ok(measured)
}

/// Stores the result of an installed pack in the folder of packs.
pub fn store(packs: &Path, pack: &Pack, measured: &Measured) -> std::io::Result<()> {
    let manifest = pack.manifest().clone();
    let path = stored_path(packs, &manifest.id);
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(&serde_json::to_vec(&StoredMeasurement { trial: TRIAL, manifest, measured: *measured })?)
}

/// Returns the stored result of a pack, if the pack and the trial have not changed.
pub fn stored(packs: &Path, pack: &Pack) -> Option<Measured> {
    let note = fs::read(stored_path(packs, &pack.manifest().id)).ok()?;
    let note: StoredMeasurement = serde_json::from_slice(&note).ok()?;
    (note.trial == TRIAL && note.manifest == *pack.manifest()).then_some(note.measured)
}

/// Deletes the stored result of a pack that is no longer installed.
pub fn delete_stored(packs: &Path, id: &str) {
    // the file may not exist
    let _ = fs::remove_file(stored_path(packs, id));
}

fn stored_path(packs: &Path, id: &str) -> PathBuf {
    packs.join(format!(".{id}.measured"))
}

#[cfg(target_os = "linux")]
fn status(field: impl Fn(procfs::process::Status) -> Option<u64>) -> u64 {
    let status = procfs::process::Process::myself().and_then(|process| process.status());
    // the kernel reports kibibytes
    status.ok().and_then(field).unwrap_or(0) * 1_024
}

/// Returns the current memory of this process, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    status(|status| status.vmrss)
}

/// Returns the peak memory of this process in bytes, since its start or the last reset.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    status(|status| status.vmhwm)
}

/// Resets the peak memory, because loading temporarily needs more memory than the loaded pack.
#[cfg(target_os = "linux")]
fn forget_peak() {
    use procfs::process::{ClearRefs, Process};
    // if the reset is not permitted, the peak includes loading
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
