//! Synthesises lines of text with a pack through the project's front end and the back end for packs, and writes one WAV
//! file per line:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example speak -- PACK VOICE [hi|…] OUT_DIR < lines
//! ```
//!
//! The example writes `000.wav`, `001.wav` … to `OUT_DIR`. It also writes `symbols.tsv`, which stays empty unless the
//! pack reads phones. The file has one line per utterance: the index of its line of text, the speaker number and the
//! symbol numbers that the graph read. The synthesis time and the peak memory are printed to standard output.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use std::task::Waker;
use std::time::{Duration, Instant};

use shruti_backend::{Backend, Job, Length, Rendered, Style};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_neural::{PackBackend, SymbolTable, Synthesiser};
use shruti_packs::{InputKind, Pack};
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};
use shruti_voice::pause_samples;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, voice, language, out] = arguments.as_slice() else {
        return Err("usage: speak PACK VOICE LANGUAGE OUT_DIR < lines".into());
    };
    let (pack, language, out) = (Pack::open(Path::new(pack))?, language.parse::<Language>()?, Path::new(out));
    let manifest = pack.manifest();
    let speaker = manifest.voices.iter().find(|known| known.name == *voice).ok_or("no such voice")?.speaker;
    let table = String::from_utf8(std::fs::read(pack.folder().join(&manifest.input.symbols))?)?;
    let table = SymbolTable::parse(&table, &manifest.input)?;
    let reads_phones = manifest.input.kind == InputKind::Phones;
    let began = Instant::now();
    let backend = PackBackend::new(Synthesiser::load(&pack, 1)?, 1, pause_samples)?;
    let description = backend.description();
    println!("loaded and measured in {:.2} s: {:?}", began.elapsed().as_secs_f64(), description.cost);
    println!(
        "longest step {:?}, at most {} concurrent streams",
        description.longest_step, description.max_speeches
    );

    std::fs::create_dir_all(out)?;
    let mut symbols = BufWriter::new(File::create(out.join("symbols.tsv"))?);
    let style = Style { voice: voice.as_str().into(), speed: 1.0, pitch: 0.0 };
    let (mut samples, mut time, mut skipped) = (0, Duration::ZERO, 0);
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let mut wav = hound::WavWriter::create(out.join(format!("{index:03}.wav")), format())?;
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&line?);
        reader.finish();
        while let Some(utterance) = reader.next_utterance() {
            if reads_phones {
                let words = utterance.words.iter().map(|word| word.phones.iter().map(ToString::to_string));
                let sequence = table.sequence(words)?;
                skipped += sequence.skipped;
                let ids: Vec<String> = sequence.ids.iter().map(ToString::to_string).collect();
                writeln!(symbols, "{index}\t{}\t{}", speaker.unwrap_or(0), ids.join(" "))?;
            }
            let began = Instant::now();
            let spoken = speak(&backend, &utterance, &style)?;
            time += began.elapsed();
            samples += spoken.len();
            spoken.iter().try_for_each(|&sample| wav.write_sample(sample))?;
        }
        wav.finalize()?;
    }
    symbols.flush()?;
    let (seconds, time) = (samples as f64 / f64::from(SAMPLE_RATE), time.as_secs_f64());
    println!("{seconds:.1} s of audio in {time:.2} s on one thread: {:.4} of real time", time / seconds);
    println!("{skipped} symbols that the pack does not have; peak memory {}", peak_memory());
    Ok(())
}

fn format() -> hound::WavSpec {
    hound::WavSpec {
        channels: 1,
        sample_rate: SAMPLE_RATE,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    }
}

fn speak(backend: &PackBackend, utterance: &Utterance, style: &Style) -> Result<Vec<i16>, Box<dyn Error>> {
    let mut prepared = backend.prepare(utterance, style)?;
    let mut spoken = Vec::new();
    loop {
        let mut block = [0; 2_400];
        let mut jobs = [Job {
            render_state: &mut prepared.render_state,
            block: &mut block,
            outcome: Ok(Rendered::Samples(0)),
            waker: Waker::noop().clone(),
        }];
        backend.render(&mut jobs);
        let [job] = jobs;
        let Rendered::Samples(count) = job.outcome? else {
            return Err("the back end of a pack must not return `Pending`".into());
        };
        spoken.extend_from_slice(&block[..count]);
        if count < block.len() {
            break;
        }
    }
    match prepared.length {
        Length::Exact(length) if length != spoken.len() => {
            Err("the length of the audio differs from the announced length".into())
        }
        _ => Ok(spoken),
    }
}

/// Returns the peak memory of the process as Linux reports it, or `unknown`.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}
