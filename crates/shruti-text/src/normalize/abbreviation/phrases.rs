//! Two-word abbreviations that start with a word without a dot: `in ofc`, `Max temp`.

use shruti_lang::Language;

use crate::chars::lowercase;
use crate::data;
use crate::normalize::scan::Scan;
use crate::per_language::PerLanguage;
use crate::table::Set;

/// Returns whether the word at `at` is the first word of a two-word abbreviation in the tables.
pub(crate) fn begin_with(scan: &Scan<'_>, at: usize) -> bool {
    static FIRST: PerLanguage<Set<String>> = PerLanguage::new();
    let first = FIRST.get(scan.language, || {
        let tables = [scan.language, Language::English].map(data::of);
        let keys = tables.into_iter().flat_map(|data| data.abbreviations.keys());
        let pairs = keys.filter_map(|key| key.split_once(' '));
        let words = pairs.filter(|(first, _)| first.chars().all(char::is_alphanumeric));
        words.map(|(first, _)| lowercase(first).into_owned()).collect()
    });
    scan.word(at).is_some_and(|word| first.contains(lowercase(word).as_ref()))
}
