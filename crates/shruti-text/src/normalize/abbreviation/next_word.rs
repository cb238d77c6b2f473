//! Abbreviations whose reading depends on the next word: `द. अफ्रीका`, `प्रा. विद्यालयों`.

use std::ops::Range;

use crate::normalize::scan::Scan;

/// Expands the abbreviation at the items `place`, if the next word begins with a stem that determines its reading.
pub(crate) fn expand<'a>(scan: &'a Scan<'_>, place: Range<usize>, raw: &str) -> Option<&'a String> {
    let Range { start: at, end } = place;
    let next = scan.word(end)?;
    let begins = |stems: &[String]| stems.iter().any(|stem| next.starts_with(stem.as_str()));
    let mut groups = scan.data.before_stems.iter().filter(|group| !group.first || at == 0);
    groups.find_map(|group| group.abbreviations.get(raw).filter(|_| begins(&group.stems)))
}
