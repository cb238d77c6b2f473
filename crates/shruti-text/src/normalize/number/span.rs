//! Dashes and joining words of ranges.

use crate::normalize::number;
use crate::normalize::scan::Scan;

/// Returns the words of a range from the words of its ends.
pub(crate) fn between(scan: &Scan<'_>, from: &str, to: &str) -> String {
    number::between(&scan.data.number, &scan.data.number.range, from, to)
}

/// Returns whether the item at `at` is a dash with spaces on both sides or on neither.
pub(crate) fn is_dash(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.sign(at), Some('-' | '–' | '—' | '~')) && scan.spaced(at) == scan.spaced(at + 1)
}

/// Returns whether the joining word of a range is at `at`. After a range with a dash, the word must not be spoken
/// twice: 10-15 से ज़्यादा.
pub(crate) fn is_repeated_after(scan: &Scan<'_>, at: usize) -> bool {
    let Some((_, joined)) = scan.data.number.range.split_once("{a}") else { return false };
    let joining = joined.strip_suffix(" {b}").unwrap_or_default().trim_start();
    !joining.is_empty() && scan.word(at) == Some(joining)
}
