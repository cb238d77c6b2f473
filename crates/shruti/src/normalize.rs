//! `shruti normalize`: what is said for what is written.

use shruti_lang::Language;

use crate::explain::{Explain, print_lines};
use crate::lexicon::Readings;

/// Print what is said for what is written
///
/// Prints a line for each text: the text, a tab, and the words that are spoken. Without a text, each line of the standard
/// input is one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The texts
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,

    /// The language of the text, by code or name: hi, ta-IN, bangla, मराठी [default: found from its script]
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
    print_lines(&args.texts, args.explain, args.language, &lexicon, plain)
}
