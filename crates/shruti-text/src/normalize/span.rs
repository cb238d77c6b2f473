//! The words from one thing to another, as the language joins them.

use super::number;
use super::scan::Scan;

/// The words of a span, by the words of its ends.
pub(super) fn between(scan: &Scan<'_>, from: &str, to: &str) -> String {
    number::between(&scan.data.number, &scan.data.number.range, from, to)
}

/// Whether the word that joins the ends of a span follows them, and so need not be said twice: 10-15 से ज़्यादा.
pub(super) fn is_said_behind(scan: &Scan<'_>, at: usize) -> bool {
    let Some((_, joined)) = scan.data.number.range.split_once("{a}") else { return false };
    let joining = joined.strip_suffix(" {b}").unwrap_or_default().trim_start();
    !joining.is_empty() && scan.word(at) == Some(joining)
}
