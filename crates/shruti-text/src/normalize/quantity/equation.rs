//! Context that indicates whether a sign is an arithmetic operator or only joins words.

use crate::normalize::scan::Scan;

/// Number of items before a position that are searched for an operator. After the position, one more item is searched.
const NEAR: usize = 4;

/// Returns whether an operator (`=`, `×`, `÷` or `+`) is near `at`. A dash is then a minus sign. A plus before a word
/// does not count, because it joins words: 15-20 હજાર + ઇન્સેન્ટિવ.
pub(crate) fn in_equation(scan: &Scan<'_>, at: usize) -> bool {
    let near = at.saturating_sub(NEAR)..(at + NEAR + 2).min(scan.items.len());
    let joins_words = |place: usize| scan.word(place + 1).is_some_and(|word| word.chars().count() > 1);
    near.into_iter().any(|place| match scan.sign(place) {
        Some('=' | '×' | '÷') => true,
        Some('+') => !joins_words(place),
        _ => false,
    })
}

pub(crate) fn number_before(scan: &Scan<'_>, at: usize) -> bool {
    let ends_number = |c| matches!(c, '%' | ')' | '²' | '³' | '°');
    at > 0 && (scan.number(at - 1).is_some() || scan.sign(at - 1).is_some_and(ends_number))
}

pub(crate) fn number_after(scan: &Scan<'_>, at: usize) -> bool {
    let begins_number = matches!(scan.sign(at + 1), Some('-' | '−' | '√' | '(' | '₹' | '$'));
    scan.number(at + 1).is_some() || begins_number && scan.number(at + 2).is_some()
}

/// Returns whether a multiplication sign (`×`, `x` or `X`) is at `at`.
pub(crate) fn is_cross(scan: &Scan<'_>, at: usize) -> bool {
    scan.latin(at).is_some_and(|word| matches!(word, "x" | "X")) || scan.is_sign(at, '×')
}
