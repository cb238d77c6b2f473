//! Throughput of the front end in every language: megabytes per second on one core, and the time in microseconds from
//! the last character of the first word of a text to the phones of that word.
//!
//! `cargo bench -p shruti-text --bench pace [-- FOLDER]` reads `FOLDER/<code>.txt`, one sentence per line. Without a
//! folder, the benchmark reads the written forms in `tests/normalize`, which are harder than running text: nearly every
//! word is a number, a date or an abbreviation. Each figure is the best of several rounds, because other load on the
//! machine can only increase it.

#![allow(clippy::unwrap_used)] // a benchmark may panic if its input files are invalid

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shruti_lang::Language;
use shruti_text::{Reader, Settings, warm_up};

const ROUNDS: usize = 7;
/// Number of sentences whose first word is timed.
const FIRST_WORDS: usize = 200;

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    warm_up();
    println!("| language | MB/s | first word, p50 µs | p99 µs |\n| --- | --- | --- | --- |");
    for language in Language::ALL {
        let lines = lines(folder.as_deref(), language);
        let text = lines.join("\n");
        let pace = best(|| read(&text, language));
        let mut waits: Vec<Duration> =
            lines.iter().take(FIRST_WORDS).map(|line| best(|| first_word(line, language))).collect();
        waits.sort();
        let wait = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
        let rate = text.len() as f64 / pace.as_secs_f64() / 1e6;
        println!("| {language} | {rate:.1} | {:.1} | {:.1} |", wait(0.5), wait(0.99));
    }
}

/// Returns the shortest duration of several rounds.
fn best(round: impl Fn() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| round()).min().unwrap()
}

fn lines(folder: Option<&Path>, language: Language) -> Vec<String> {
    let code = language.code();
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/normalize/{code}.tsv"));
    let path = folder.map_or_else(own, |folder| folder.join(format!("{code}.txt")));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let written = text.lines().map(|line| line.split('\t').next().unwrap_or_default());
    written.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// Returns the time to read a whole text.
fn read(text: &str, language: Language) -> Duration {
    let start = Instant::now();
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(text);
    reader.finish();
    while let Some(utterance) = reader.next_utterance() {
        black_box(utterance);
    }
    start.elapsed()
}

/// Returns the time from the last character of the first word of a line to the phones of that word, if no more text
/// follows.
fn first_word(line: &str, language: Language) -> Duration {
    let word = line.split_whitespace().next().unwrap_or_default();
    let last = word.char_indices().next_back().map_or(0, |(at, _)| at);
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(&word[..last]);
    let start = Instant::now();
    reader.push(&word[last..]);
    reader.finish();
    black_box(reader.next_utterance());
    start.elapsed()
}
