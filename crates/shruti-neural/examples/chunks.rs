//! What chunks cost, and how soon they sound: `cargo run --release -p shruti-neural --example chunks [THREADS]`.
//!
//! It imports a graph of the shape of Piper's medium voices, 63 MB of random weights, and speaks a clause of 4 s in
//! chunks and whole. Figures are medians of five.

#[path = "../tests/packs/graph.rs"]
#[allow(clippy::unwrap_used, dead_code, unreachable_pub, reason = "what the tests use")]
mod graph;

use std::error::Error;
use std::time::{Duration, Instant};

use graph::Size;
use shruti_neural::{Chunks, Settings, SymbolSequence, Synthesiser, import_piper};

const RUNS: usize = 5;
const SECONDS: f64 = 4.0;

struct Times {
    front: Duration,
    first: Duration,
    all: Duration,
    samples: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(1), |threads| threads.parse())?;
    let folder = tempfile::tempdir()?;
    let file = graph::write(folder.path(), &graph::piper(Size::MEDIUM), 1);
    println!("graph: {:.1} MB", std::fs::metadata(&file)?.len() as f64 / 1e6);
    let began = Instant::now();
    let pack = import_piper(&folder.path().join("packs"), &file, &graph::options(folder.path(), 1))?;
    println!(
        "import: {:.1} s, {} frames of context",
        began.elapsed().as_secs_f64(),
        pack.manifest().graph.chunks().map_or(0, |(_, context)| context)
    );
    let began = Instant::now();
    let synthesiser = Synthesiser::load(&pack, threads)?;
    println!("load: {:.2} s", began.elapsed().as_secs_f64());
    let sequence = of_seconds(&synthesiser, SECONDS)?;
    let mut runs = Vec::new();
    // in turns, so that other work on the machine meets both alike
    for _ in 0..RUNS {
        runs.push([Chunks::default(), Chunks::whole()].map(|chunks| run(&synthesiser, &sequence, chunks)));
    }
    let pick = |at: usize, time: fn(&Times) -> Duration| {
        let mut times: Vec<Duration> =
            runs.iter().filter_map(|run| run[at].as_ref().ok().map(time)).collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64()
    };
    let seconds = runs[0][0].as_ref().map_or(0.0, |times| times.samples as f64 / 24_000.0);
    let (front, first, chunked) = (pick(0, |t| t.front), pick(0, |t| t.first), pick(0, |t| t.all));
    let whole = pick(1, |t| t.all);
    println!("clause: {seconds:.2} s, {threads} threads; front {:.0} ms", 1_000.0 * front);
    println!("whole: {:.0} ms, {:.3} of real time", 1_000.0 * whole, whole / seconds);
    println!("in chunks: {:.0} ms, {:.3} of real time", 1_000.0 * chunked, chunked / seconds);
    println!("work in chunks over whole: {:.2}", chunked / whole);
    println!("first sound: {:.0} ms, {:.2} of the whole run's time", 1_000.0 * first, first / whole);
    Ok(())
}

fn run(
    synthesiser: &Synthesiser,
    sequence: &SymbolSequence,
    chunks: Chunks,
) -> Result<Times, Box<dyn Error>> {
    let began = Instant::now();
    let mut prepared = synthesiser.prepare(sequence, &Settings { chunks, ..Settings::default() })?;
    let front = began.elapsed();
    let mut first = None;
    while synthesiser.next(&mut prepared.passage)?.is_some() {
        first.get_or_insert(began.elapsed());
    }
    Ok(Times { front, first: first.unwrap_or_default(), all: began.elapsed(), samples: prepared.samples })
}

/// Symbols of about so many seconds of sound.
fn of_seconds(synthesiser: &Synthesiser, seconds: f64) -> Result<SymbolSequence, Box<dyn Error>> {
    let text = "abcdefghijklmnopqrstuvwxyz".chars().cycle();
    for letters in 1..200 {
        let word: Vec<String> = text.clone().take(letters).map(String::from).collect();
        let sequence = synthesiser.symbols().sequence([word])?;
        if synthesiser.prepare(&sequence, &Settings::default())?.samples as f64 >= seconds * 24_000.0 {
            return Ok(sequence);
        }
    }
    Err("no text is long enough".into())
}
