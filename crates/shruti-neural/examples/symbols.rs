//! Converts lines of text to the symbols that a pack reads, and prints one line of symbols per line of text:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example symbols -- KIND LANG [DIALECT] [--dictionary|--time] < lines
//! ```
//!
//! `KIND` is `phones`, `espeak`, `kokoro`, `labels` or `characters`. Words are separated by a space. With
//! `--dictionary`, punctuation marks are omitted, for word lists. With `--time`, the example prints only the time per
//! word.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use shruti_lang::Language;
use shruti_neural::Writer;
use shruti_packs::{Input, InputKind, Unknown};
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("symbols: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, arguments): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let usage =
        "usage: symbols phones|espeak|kokoro|labels|characters LANG [DIALECT] [--dictionary|--time] < lines";
    let (kind, code) = (arguments.first().ok_or(usage)?, arguments.get(1).ok_or(usage)?);
    let kind = match kind.as_str() {
        "phones" => InputKind::Phones,
        "espeak" => InputKind::Espeak,
        "kokoro" => InputKind::Kokoro,
        "labels" => InputKind::Labels,
        "characters" => InputKind::Characters,
        _ => return Err(usage.into()),
    };
    let language = Language::from_code(code).ok_or("no such language")?;
    let is_dictionary = flags.iter().any(|flag| flag == "--dictionary");
    let input = Input {
        kind,
        dialect: arguments.get(2).cloned(),
        symbols: String::new(),
        begin: Vec::new(),
        between: Vec::new(),
        end: Vec::new(),
        unknown: Unknown::Skip,
        max_symbols: 2_000,
    };
    let writer = Writer::new(&input, &[language])?;
    if flags.iter().any(|flag| flag == "--time") {
        return time(&writer, language);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&line?);
        reader.finish();
        let mut words = Vec::new();
        for utterance in std::iter::from_fn(|| reader.next_utterance()) {
            for word in writer.write(&utterance, &|_| true).words {
                let marks = if is_dictionary { String::new() } else { word.marks.concat() };
                words.push(word.symbols.concat() + &marks);
            }
        }
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(out.flush()?)
}

/// Prints the time that the writer needs per word, as the median of several runs.
fn time(writer: &Writer, language: Language) -> Result<(), Box<dyn std::error::Error>> {
    const RUNS: usize = 51;
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(&io::read_to_string(io::stdin())?);
    reader.finish();
    let utterances: Vec<Utterance> = std::iter::from_fn(|| reader.next_utterance()).collect();
    let words: usize = utterances.iter().map(|utterance| utterance.words.len()).sum();
    let mut runs: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        for utterance in &utterances {
            std::hint::black_box(writer.write(utterance, &|_| true));
        }
        runs.push(began.elapsed());
    }
    runs.sort_unstable();
    let each = runs[RUNS / 2].as_secs_f64() / words.max(1) as f64;
    println!("{words} words, {:.2} µs a word", 1e6 * each);
    Ok(())
}
