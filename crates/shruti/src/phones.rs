//! The `shruti phones` command, which prints the pronunciation of words.

use shruti_lang::Language;
use shruti_text::phone::to_ipa;

use crate::explain::{Explain, print_lines};
use crate::lexicon::Readings;

/// Print the phones of words, in IPA
///
/// Prints one line per word: the word, a tab, and its phones in dictionary form, separated by spaces. Sound changes
/// that depend on neighbouring sounds are not applied; `normalize --explain` prints the phones as they are spoken.
/// Without arguments, each line of standard input is a word.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Words to transcribe
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// Language of the words, by code or name: hi, ta-IN, bangla, मराठी
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
