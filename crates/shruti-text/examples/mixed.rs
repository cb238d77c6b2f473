//! Prints the words of each line with their languages and phones: `mixed -l LANG < lines`, one line of tab-separated
//! `word/language/phones` per input line. The measurements in `train/mixed` use this program.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use shruti_lang::Language;
use shruti_text::{Reader, Settings, phone};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let language = match arguments.as_slice() {
        [flag, language] if flag == "-l" => language.parse::<Language>().ok(),
        _ => None,
    };
    let Some(language) = language else {
        eprintln!("usage: mixed -l LANG < lines");
        return ExitCode::from(2);
    };
    match print_all(language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mixed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(language: Language) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&line?);
        reader.finish();
        let words = std::iter::from_fn(|| reader.next_utterance()).flat_map(|utterance| utterance.words);
        let shown: Vec<String> = words
            .map(|word| format!("{}/{}/{}", word.text, word.language, phone::to_ipa(&word.phones)))
            .collect();
        writeln!(out, "{}", shown.join("\t"))?;
    }
    out.flush()
}
