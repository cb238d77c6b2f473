//! Words whose sound their spelling does not tell: `data/<code>/exceptions.tsv`.

use shruti_lang::Language;

use crate::chars::nfc;
use crate::language::{PerLanguage, data_files};
use crate::phone::{self, Phone};
use crate::table::Table;

/// The phones of a word that the language lists. A line of a list that does not read is passed over, and a test holds
/// that there is none.
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

/// Lines of `word<TAB>IPA`; `#` begins a comment.
fn entries(tsv: &str) -> impl Iterator<Item = (&str, &str)> {
    tsv.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads() {
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
