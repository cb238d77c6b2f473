//! `shruti phones`: how words are pronounced.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

use shruti_protocol::Language;
use shruti_text::phone::to_ipa;

/// Print the phones of words: reads a word a line, prints `word<TAB>phones` in IPA, separated by spaces
///
///   printf 'कमल\nसरकार\n' | shruti phones -l hi
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The language of the words: hi bn ta te gu kn ml mr pa or en
    #[arg(short, long, value_name = "LANG")]
    language: Language,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let line = line?;
        let phones = shruti_text::phones_of_word(line.trim(), args.language);
        writeln!(out, "{line}\t{}", to_ipa(&phones))?;
    }
    out.flush()?;
    Ok(())
}
