//! `shruti normalize`: what is said for what is written.

use shruti_lang::Language;

use crate::explain::{Explain, print_lines};
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
    let plain = |line: &str| shruti_text::normalize_line(line, args.language, &lexicon);
    print_lines(args.explain, args.language, &lexicon, plain)
}
