//! Reads the lines of a file, for a profiler that counts instructions: `cost LANG FILE`. Prints the number of
//! characters and of phones.
//!
//! `measure/text/cost.py` runs this program under Callgrind, which counts the instructions of `read_all` only.

use std::process::ExitCode;

use shruti_lang::Language;
use shruti_text::{Reader, Settings, warm_up};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [code, path] = arguments.as_slice() else {
        eprintln!("usage: cost LANG FILE");
        return ExitCode::from(2);
    };
    let Some(language) = Language::from_code(code) else {
        eprintln!("cost: no language '{code}'");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("cost: {path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    warm_up();
    let phones = read_all(&text, language);
    println!("{} {phones}", text.chars().count());
    ExitCode::SUCCESS
}

/// Reads each line as a separate text and returns the total number of phones.
#[inline(never)]
fn read_all(text: &str, language: Language) -> usize {
    let mut phones = 0;
    for line in text.lines() {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(line);
        reader.finish();
        while let Some(utterance) = reader.next_utterance() {
            phones += utterance.words.iter().map(|word| word.phones.len()).sum::<usize>();
        }
    }
    phones
}
