//! `shruti phones`: how words are pronounced.

use shruti_lang::Language;
use shruti_text::phone::to_ipa;

use crate::explain::{Explain, print_lines};
use crate::lexicon::Readings;

/// Print the phones of words: reads a word a line, prints `word<TAB>phones` in IPA, separated by spaces
///
///   printf 'कमल\nसरकार\n' | shruti phones -l hi
///   echo 'मेरा order कब deliver होगा?' | shruti phones -l hi --explain
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The language of the words: hi bn ta te gu kn ml mr pa or en
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
    print_lines(args.explain, Some(args.language), &lexicon, plain)
}
