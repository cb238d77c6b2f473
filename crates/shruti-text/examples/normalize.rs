//! Prints the spoken form of each input line: `normalize [--json] [-l LANG] < lines`.
//!
//! With `--json`, prints the tokens of each line as a JSON object. The measurements in `measure/` that call `shruti
//! normalize` can also use this program.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use shruti_lang::Language;
use shruti_text::{Lexicon, Settings, explain, normalize_line};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.first().is_some_and(|first| first == "--json");
    arguments.drain(..usize::from(as_json));
    let language = match arguments.as_slice() {
        [] => None,
        [flag, code] if flag == "-l" && Language::from_code(code).is_some() => Language::from_code(code),
        _ => {
            eprintln!("usage: normalize [--json] [-l LANG] < lines");
            return ExitCode::from(2);
        }
    };
    match print_all(language, as_json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("normalize: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(language: Option<Language>, as_json: bool) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        if as_json {
            let explanation = explain(&line, Settings { language, ..Settings::default() });
            serde_json::to_writer(&mut out, &explanation)?;
            writeln!(out)?;
            continue;
        }
        writeln!(out, "{line}\t{}", normalize_line(&line, language, &Lexicon::default()))?;
    }
    out.flush()
}
