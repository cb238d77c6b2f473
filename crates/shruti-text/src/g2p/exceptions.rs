//! Words with irregular pronunciation, from `data/<code>/exceptions.tsv`.

use shruti_lang::Language;

use crate::chars::nfc;
use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::phone::{self, Phone};
use crate::table::Table;

/// Returns the phones of a word that is in the exception list of the language. Invalid lines of a list are skipped; a
/// test checks that there are none.
pub(crate) fn get(word: &str, language: Language) -> Option<Vec<Phone>> {
    static LISTED: PerLanguage<Table<String, Vec<Phone>>> = PerLanguage::new();
    let listed = LISTED.get(language, || {
        let lines = entries(data_files(language).exceptions);
        lines.filter_map(|(word, ipa)| Some((nfc(word).into_owned(), phone::parse_ipa(ipa).ok()?))).collect()
    });
    if listed.is_empty() {
        return None;
    }
    listed.get(nfc(word).as_ref()).cloned()
}

/// Parses lines of `word<TAB>IPA`; `#` begins a comment.
fn entries(tsv: &str) -> impl Iterator<Item = (&str, &str)> {
    tsv.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_valid() {
        for language in Language::ALL {
            let tsv = data_files(language).exceptions;
            let mut seen = std::collections::HashSet::new();
            for line in tsv.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
                let (word, ipa) =
                    line.split_once('\t').unwrap_or_else(|| panic!("{language}: no tab in '{line}'"));
                let readable = phone::parse_ipa(ipa).is_ok_and(|phones| !phones.is_empty());
                assert!(readable, "{language}: unreadable IPA in '{line}'");
                assert!(seen.insert(nfc(word)), "{language}: '{word}' is listed twice");
            }
        }
    }
}
