//! Numbers of files, letters and customers with slashes: મશબ/૨૦૨૩/૫૪૧/ક, ગ્રાહક નં. 45210/12345/6.

use super::date;
use super::number::{self, System};
use super::scan::{Reading, Scan};
use super::slash;

/// Maximum number of digits of a part that is read as a number.
const LONGEST_PART: usize = 4;

/// Reads two or more numbers with slashes between them, after letters and a slash, or three or more after the word for
/// "number". A slash next to letters is not spoken, so numbers after letters follow each other without a word for the slash.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let joins = |place: usize| scan.is_sign(place, '/') && scan.joined(place) && scan.joined(place + 1);
    // ਸਿੱ.ਬ./2024/1234
    let dot = usize::from(at > 2 && scan.is_sign(at - 2, '.'));
    let lettered =
        at > 1 && joins(at - 1) && scan.is_word(at - 2 - dot) && scan.latin(at - 2 - dot).is_none();
    let numbered = slash::is_numbered(scan, at);
    if !(lettered || numbered) || scan.data.number.slash_between_words {
        return None;
    }
    let mut parts = vec![scan.number(at)?];
    let mut end = at + 1;
    while let Some(digits) = scan.number(end + 1).filter(|_| joins(end)) {
        parts.push(digits);
        end += 2;
    }
    let dated = date::read(scan, at).is_some_and(|date| date.items > 1);
    let fewest = if lettered { 2 } else { 3 };
    if parts.len() < fewest || dated {
        return None;
    }
    let part = |digits: &&str| {
        if digits.len() > LONGEST_PART || digits.starts_with('0') {
            number::one_by_one(&scan.data.number, digits)
        } else {
            number::plain_cardinal(&scan.data.number, digits, System::Indian)
        }
    };
    let join = |words: String, part: String| {
        if lettered {
            format!("{words} {part}")
        } else {
            number::between(&scan.data.number, &scan.data.slash.house, &words, &part)
        }
    };
    Some(Reading::new(parts.iter().map(part).reduce(join)?, end - at))
}
