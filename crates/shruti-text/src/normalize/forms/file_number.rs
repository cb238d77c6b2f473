//! Numbers with slashes that identify files, letters or customers: મશબ/૨૦૨૩/૫૪૧/ક, ગ્રાહક નં. 45210/12345/6,
//! `No. 12/3/2024-Estt`.

use super::slash;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::normalize::date;
use crate::normalize::number::{self, System};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::is_capitals;

/// Maximum number of digits of a part that is read as a number.
const LONGEST_PART: usize = 4;

/// Reads numbers with slashes between them: two or more after letters and a slash, or three or more after a word for
/// "number". A slash next to letters is not spoken, so numbers after letters are read one after another without a word
/// for the slash.
/// After Latin capitals, the numbers may be a house, so they have that word between them: PWD/12/45.
pub(crate) fn of_parts(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let joins = |place: usize| scan.is_sign(place, '/') && scan.joined(place) && scan.joined(place + 1);
    // the letters may end in a dot: ਸਿੱ.ਬ./2024/1234
    let dot = usize::from(at > 2 && scan.is_sign(at - 2, '.'));
    let after_slash = at > 1 && joins(at - 1) && scan.is_word(at - 2 - dot);
    let latin = after_slash && scan.latin(at - 2 - dot).is_some();
    let lettered = after_slash && scan.latin(at - 2 - dot).is_none_or(is_capitals);
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
        if lettered && !latin {
            format!("{words} {part}")
        } else {
            number::between(&scan.data.number, &scan.data.slash.house, &words, &part)
        }
    };
    Some(Reading::new(parts.iter().map(part).reduce(join)?, end - at))
}

/// Reads a number with a financial year: `12/25-26`, `12/2025-26`.
fn of_financial_year(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (number, first, second) = (scan.number(at)?, scan.number(at + 2)?, scan.number(at + 4)?);
    let joined = (at + 1..at + 5).all(|place| scan.joined(place));
    let signs = scan.is_sign(at + 1, '/') && matches!(scan.sign(at + 3), Some('-' | '–'));
    let begins = at == 0 || scan.spaced(at) || matches!(scan.sign(at - 1), Some('.' | '/'));
    let follows = second.len() == 2 && value(second) == (value(first) + 1) % 100;
    if !joined || !signs || !begins || !follows || !matches!(first.len(), 2 | 4) {
        return None;
    }
    let count = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let from = if first.len() == 4 { number::year(scan.data, first) } else { count(first) };
    let years = format!("{from} {}", count(second));
    let words = number::between(&scan.data.number, &scan.data.slash.house, &count(number), &years);
    Some(Reading::new(words, 5).of(Class::Code))
}

/// Reads a number with a financial year, or the three numbers of a file number. A file number follows a word for
/// "number", and a hyphen or a slash joins letters to its end.
pub(crate) fn of_office(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(numbered) = of_financial_year(scan, at) {
        return Some(numbered);
    }
    let numbered = scan.names_before(at, Kinds::NUMBER);
    let slash = |place: usize| scan.is_sign(place, '/') && scan.joined(place) && scan.joined(place + 1);
    let [first, second, third] = [at, at + 2, at + 4].map(|place| scan.number(place));
    let (first, second, third) = (first?, second?, third?);
    let letters = matches!(scan.sign(at + 5), Some('-' | '/'))
        && scan.joined(at + 5)
        && scan.joined(at + 6)
        && (scan.latin(at + 6).is_some() || scan.is_sign(at + 6, '('));
    if !(numbered && slash(at + 1) && slash(at + 3) && letters) {
        return None;
    }
    let count = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let pattern = &scan.data.slash.house;
    let parts = number::between(&scan.data.number, pattern, &count(first), &count(second));
    let year = if third.len() == 4 { number::year(scan.data, third) } else { count(third) };
    let words = number::between(&scan.data.number, pattern, &parts, &year);
    Some(Reading::new(words, 5).of(Class::Code))
}
