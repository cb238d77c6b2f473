//! Abbreviations whose reading depends on the next word: `द. अफ्रीका`, `प्रा. विद्यालयों`.

use crate::normalize::scan::Scan;

/// Expands an abbreviation that ends before `end`, if the next word begins with a stem that determines its reading.
pub(crate) fn expand<'a>(scan: &'a Scan<'_>, end: usize, raw: &str) -> Option<&'a String> {
    let next = scan.word(end)?;
    let begins = |stems: &[String]| stems.iter().any(|stem| next.starts_with(stem.as_str()));
    let mut groups = scan.data.before_stems.iter();
    groups.find_map(|group| group.abbreviations.get(raw).filter(|_| begins(&group.stems)))
}
