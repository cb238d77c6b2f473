//! Prints the complete output of the front end for each input line, to compare two builds: if the outputs are the same,
//! a change has not affected any phone.
//!
//! Usage: `utterances [-l LANG] < lines`. If no language is given, the language of each line is detected from its
//! script and words.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use shruti_lang::Language;
use shruti_text::{Reader, Settings, phone};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let language = match arguments.as_slice() {
        [] => None,
        [flag, code] if flag == "-l" && Language::from_code(code).is_some() => Language::from_code(code),
        _ => {
            eprintln!("usage: utterances [-l LANG] < lines");
            return ExitCode::from(2);
        }
    };
    match print_all(language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("utterances: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(language: Option<Language>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        writeln!(out, "{line}")?;
        let mut reader = Reader::new(Settings { language, ..Settings::default() });
        reader.push(&line);
        reader.finish();
        for spoken in std::iter::from_fn(|| reader.next_utterance()) {
            let (index, source, begins) = (spoken.index, &spoken.source, spoken.begins_sentence);
            writeln!(out, "  {index} {source:?} {} {:?} {begins}", spoken.language, spoken.contour)?;
            for word in &spoken.words {
                let (text, source, phones) = (&word.text, &word.source, phone::to_ipa(&word.phones));
                write!(out, "    {text} {source:?} {} /{phones}/", word.language)?;
                for syllable in &word.syllables {
                    write!(out, " {:?}:{:?}:{:?}", syllable.phones, syllable.stress, syllable.tone)?;
                }
                writeln!(out, " {:?} {:?}", word.weight, word.break_after)?;
            }
        }
    }
    out.flush()
}
