//! Prints the phones of words: `phones -l LANG < words`, one `word<TAB>IPA` a line. Drives the measurements.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use shruti_protocol::Language;
use shruti_text::{g2p, phone};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let language = match arguments.as_slice() {
        [flag, language] if flag == "-l" => language.parse::<Language>().ok(),
        _ => None,
    };
    let Some(language) = language else {
        eprintln!("usage: phones -l LANG < words");
        return ExitCode::from(2);
    };
    match print_all(language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("phones: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(language: Language) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let word = line.trim();
        if !word.is_empty() {
            writeln!(out, "{word}\t{}", phone::to_ipa(&g2p::pronounce(word, language)))?;
        }
    }
    out.flush()
}
