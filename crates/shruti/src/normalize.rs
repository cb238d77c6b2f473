//! `shruti normalize`: what is said for what is written.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

use shruti_protocol::Language;

use crate::explain::Explain;
use crate::lexicon::Readings;

/// Print what is said for what is written: reads a text a line, prints `text<TAB>spoken words`
///
///   echo 'कुल ₹1,25,000 हुए' | shruti normalize -l hi
///   echo 'मेरा order ₹1,25,000 का है' | shruti normalize --explain
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The language of the text: hi bn ta te gu kn ml mr pa or en (default: found from its script)
    #[arg(short, long, value_name = "LANG")]
    language: Option<Language>,

    #[command(flatten)]
    explain: Explain,

    #[command(flatten)]
    readings: Readings,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let lexicon = args.readings.lexicon()?;
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let line = line?;
        if args.explain.asked() {
            args.explain.tell(&mut out, &line, args.language, &lexicon)?;
        } else {
            writeln!(out, "{line}\t{}", shruti_text::normalize_line(&line, args.language, &lexicon))?;
        }
    }
    out.flush()?;
    Ok(())
}
