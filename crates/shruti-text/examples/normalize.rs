//! Prints what is said for each line of its input: `normalize [-l LANG] < lines`.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use shruti_lang::Language;
use shruti_text::{Lexicon, normalize_line};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let language = match arguments.as_slice() {
        [] => None,
        [flag, code] if flag == "-l" && Language::from_code(code).is_some() => Language::from_code(code),
        _ => {
            eprintln!("usage: normalize [-l LANG] < lines");
            return ExitCode::from(2);
        }
    };
    match print_all(language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("normalize: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(language: Option<Language>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        writeln!(out, "{line}\t{}", normalize_line(&line, language, &Lexicon::default()))?;
    }
    out.flush()
}
