//! Measures the cost of synthesis in chunks and the time to the first samples:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example chunks [THREADS] [SHAPE]
//! ```
//!
//! The example imports graphs with random weights and with the layer sizes of Piper's medium voices, of `FastSpeech` 2
//! with HiFi-GAN V1 and V2, and of Kokoro. It synthesises a clause of 4 s in chunks and in one run. Figures are medians
//! of five runs.

#[path = "../tests/packs/folder.rs"]
#[allow(clippy::unwrap_used, dead_code, unreachable_pub, reason = "what the tests use")]
mod folder;
#[path = "../tests/packs/graph.rs"]
#[allow(clippy::unwrap_used, dead_code, unreachable_pub, reason = "what the tests use")]
mod graph;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use folder::{Acoustic, AcousticSize, VocoderSize, WholeSize};
use graph::Size;
use shruti_neural::{Chunks, Settings, SymbolSequence, Synthesiser, import_folder, import_piper};
use shruti_packs::Pack;

const RUNS: usize = 5;
const SECONDS: f64 = 4.0;
/// Size of IIT Madras's `FastSpeech` 2 models.
const FAST_SPEECH: AcousticSize =
    AcousticSize { channels: 384, inner: 1536, blocks: 4, mels: 80, speakers: 1, has_pitch: false };
/// Approximate size of Kokoro: an encoder of 12 layers and a generator as large as HiFi-GAN V1.
const KOKORO: WholeSize = WholeSize {
    channels: 512,
    inner: 2048,
    blocks: 12,
    generator: VocoderSize { channels: 512, ..VocoderSize::V1 },
    has_durations: true,
};
const SHAPES: [&str; 4] = ["piper", "fastspeech2-v1", "fastspeech2-v2", "kokoro"];

struct Times {
    prepare: Duration,
    first: Duration,
    all: Duration,
    samples: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(1), |threads| threads.parse())?;
    let only = std::env::args().nth(2);
    for shape in SHAPES.iter().filter(|shape| only.as_ref().is_none_or(|only| only == *shape)) {
        let folder = tempfile::tempdir()?;
        let pack = import(shape, folder.path())?;
        let bytes: u64 = pack.manifest().files.iter().map(|file| file.bytes).sum();
        let context = pack.manifest().graph.chunks().map_or(0, |(_, context)| context);
        println!("{shape}: {:.1} MB, {context} frames of context, {threads} threads", bytes as f64 / 1e6);
        measure(&Synthesiser::load(&pack, threads)?)?;
    }
    Ok(())
}

fn import(shape: &str, folder: &Path) -> Result<Pack, Box<dyn Error>> {
    let packs = folder.join("packs");
    if shape == "piper" {
        let file = graph::write(folder, &graph::piper(Size::MEDIUM), 1);
        return Ok(import_piper(&packs, &file, &graph::options(folder, 1))?);
    }
    match shape {
        "fastspeech2-v1" => Acoustic::new(FAST_SPEECH, VocoderSize::V1).write(folder, 1),
        "fastspeech2-v2" => Acoustic::new(FAST_SPEECH, VocoderSize::V2).write(folder, 1),
        _ => folder::write_whole(folder, &folder::whole(KOKORO), 1),
    }
    Ok(import_folder(&packs, folder)?)
}

fn measure(synthesiser: &Synthesiser) -> Result<(), Box<dyn Error>> {
    let sequence = of_seconds(synthesiser, SECONDS)?;
    let mut runs = Vec::new();
    // alternate between synthesis in chunks and in one run, so that other load on the machine affects both equally
    for _ in 0..RUNS {
        let run = |chunks| run(synthesiser, &sequence, chunks);
        runs.push([run(Chunks::default())?, run(Chunks::whole())?]);
    }
    let pick = |at: usize, time: fn(&Times) -> Duration| {
        let mut times: Vec<Duration> = runs.iter().map(|run| time(&run[at])).collect();
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    };
    let seconds = runs[0][0].samples as f64 / 24_000.0;
    let (prepare, first, chunked) = (pick(0, |t| t.prepare), pick(0, |t| t.first), pick(0, |t| t.all));
    let total = pick(1, |t| t.all);
    println!("  clause: {seconds:.2} s of {} symbols", sequence.symbols);
    println!("  before the first chunk: {:.0} ms", 1_000.0 * prepare);
    println!("  in one run: {:.0} ms, {:.3} of real time", 1_000.0 * total, total / seconds);
    println!("  in chunks: {:.0} ms, {:.3} of real time", 1_000.0 * chunked, chunked / seconds);
    println!("  work in chunks relative to one run: {:.2}", chunked / total);
    println!(
        "  first audio: {:.0} ms, {:.2} of the time of the complete run",
        1_000.0 * first,
        first / total
    );
    Ok(())
}

fn run(
    synthesiser: &Synthesiser,
    sequence: &SymbolSequence,
    chunks: Chunks,
) -> Result<Times, Box<dyn Error>> {
    let began = Instant::now();
    let mut prepared = synthesiser.prepare(sequence, &Settings { chunks, ..Settings::default() })?;
    let prepare = began.elapsed();
    let mut first = None;
    while synthesiser.next(&mut prepared.passage)?.is_some() {
        first.get_or_insert(began.elapsed());
    }
    Ok(Times { prepare, first: first.unwrap_or_default(), all: began.elapsed(), samples: prepared.samples })
}

/// Returns symbols for about `seconds` of audio: at most 200, and at most as many as the pack accepts per utterance.
fn of_seconds(synthesiser: &Synthesiser, seconds: f64) -> Result<SymbolSequence, Box<dyn Error>> {
    let letters = synthesiser.manifest().input.max_symbols.min(200);
    let text: Vec<String> = ('a'..='z').cycle().take(letters).map(String::from).collect();
    let all = synthesiser.symbols().sequence([&text])?;
    let samples = synthesiser.prepare(&all, &Settings::default())?.samples;
    let count = (letters as f64 * seconds * 24_000.0 / samples as f64).ceil() as usize;
    Ok(synthesiser.symbols().sequence([&text[..count.clamp(1, letters)]])?)
}
