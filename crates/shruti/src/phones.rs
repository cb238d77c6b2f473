//! `shruti phones`: how words are pronounced.

use shruti_lang::Language;
use shruti_text::phone::to_ipa;

use crate::explain::{Explain, print_lines};
use crate::lexicon::Readings;

/// Print the phones of words, in IPA
///
/// Prints a line for each word: the word, a tab, and its phones with spaces between. Without a word, each line of the
/// standard input is one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The words
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// The language of the words, by code or name: hi, ta-IN, bangla, मराठी
    #[arg(short, long, value_name = "LANG")]
    language: Language,

    #[command(flatten)]
    explain: Explain,

    #[command(flatten)]
    readings: Readings,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let lexicon = args.readings.lexicon()?;
    let plain = |line: &str| to_ipa(&shruti_text::phones_of_word(line.trim(), args.language, &lexicon));
    print_lines(&args.words, args.explain, Some(args.language), &lexicon, plain)
}
