//! The `shruti normalize` command, which prints the spoken form of written texts.

use shruti_lang::Language;

use crate::explain::{Explain, print_lines};
use crate::lexicon::Readings;

/// Print the spoken form of texts
///
/// Prints one line per text: the text, a tab, and the words that are spoken. Romanised words are printed as they are
/// written; --explain shows them in native script. Without arguments, each line of standard input is a text.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Texts to normalise
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,

    /// Language of the text, by code or name: hi, ta-IN, bangla, मराठी [default: detected from the script]
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
