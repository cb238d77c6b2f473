//! Dashes and joining words of ranges.

use crate::normalize::number;
use crate::normalize::scan::{Scan, calendar};

/// Returns the words of a range from the words of its ends.
pub(crate) fn between(scan: &Scan<'_>, from: &str, to: &str) -> String {
    number::between(&scan.data.number, &scan.data.number.range, from, to)
}

/// Returns whether the item at `at` is a dash with spaces on both sides or on neither. A space may precede the dash of a
/// range of small counts.
pub(crate) fn is_dash(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.sign(at), Some('-' | '–' | '—' | '~'))
        && (scan.spaced(at) == scan.spaced(at + 1) || joins_counts(scan, at))
}

/// Returns whether a hyphen with a space only before it joins two small numbers before the name of what they count:
/// 2 -3 tablespoons. The second number must be larger.
fn joins_counts(scan: &Scan<'_>, at: usize) -> bool {
    let count = |place: usize| scan.number(place).filter(|digits| digits.len() <= 2).map(calendar::value);
    let counts = at.checked_sub(1).and_then(count).zip(count(at + 1));
    let named = scan.spaced(at + 2) && scan.latin(at + 2).is_some_and(|word| !scan.is_function(word));
    scan.is_sign(at, '-')
        && scan.spaced(at)
        && scan.joined(at + 1)
        && named
        && counts.is_some_and(|(from, to)| from < to)
}

/// Returns whether the joining word of a range is at `at`. After a range with a dash, the word must not be spoken
/// twice: 10-15 से ज़्यादा.
pub(crate) fn is_repeated_after(scan: &Scan<'_>, at: usize) -> bool {
    let Some((_, joined)) = scan.data.number.range.split_once("{a}") else { return false };
    let joining = joined.strip_suffix(" {b}").unwrap_or_default().trim_start();
    !joining.is_empty() && scan.word(at) == Some(joining)
}
