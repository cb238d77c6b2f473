//! Vehicle registration numbers, in Latin letters or with the names of the letters in native script.

use crate::data::letter_key;
use crate::g2p::letter_names;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::{after_hyphen, is_capitals, spelt};
use crate::per_language::PerLanguage;
use crate::table::Set;

/// State and territory codes of India, which start vehicle registration numbers.
const STATES: [&str; 42] = [
    "AN", "AP", "AR", "AS", "BR", "CG", "CH", "DD", "DL", "DN", "GA", "GJ", "HP", "HR", "JH", "JK", "KA",
    "KL", "LA", "LD", "MH", "ML", "MN", "MP", "MZ", "NL", "OD", "OR", "PB", "PY", "RJ", "SK", "TG", "TN",
    "TR", "TS", "UA", "UK", "UP", "WB", "CT", "TL",
];

/// Maximum number of groups of letters between the district and the last number: `DL 3C AB 1234`.
const MOST_SERIES: usize = 2;

/// Reads a vehicle registration number: `MH 12 AB 1234`, `DL-3C-AB-1234`, `एमएच-१२-सीई-४५६७`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let state = state(scan, at)?;
    let district_at = after_hyphen(scan, at + 1);
    let district = scan.number(district_at).filter(|digits| digits.len() <= 2)?;
    let district = if district.starts_with('0') {
        number::one_by_one(&scan.data.number, district)
    } else {
        number::cardinal(&scan.data.number, district, System::Indian)
    };
    let mut spoken = vec![state, district];
    let mut next = after_hyphen(scan, district_at + 1);
    let mut groups = 0;
    while let Some(letters) = series(scan, next).filter(|_| groups < MOST_SERIES) {
        spoken.push(letters);
        groups += 1;
        next = after_hyphen(scan, next + 1);
    }
    let last = scan.number(next).filter(|digits| digits.len() == 4 && groups > 0)?;
    spoken.push(number::one_by_one(&scan.data.number, last));
    Some(Reading::new(spoken.join(" "), next + 1 - at))
}

/// Returns the spoken letters of the state code at `at`.
fn state(scan: &Scan<'_>, at: usize) -> Option<String> {
    /// Lookup keys of the state codes, spelled with the names of their letters.
    static NAMED: PerLanguage<Set<String>> = PerLanguage::new();
    if let Some(word) = scan.latin(at) {
        return STATES.contains(&word).then(|| spelt(scan, word));
    }
    // the number is checked first, because most words have no number after them
    let word = scan.word(at).filter(|_| scan.number(after_hyphen(scan, at + 1)).is_some())?;
    let key = |state: &&str| letter_key(&spelt(scan, state).replace(' ', ""));
    let named = NAMED.get(scan.language, || STATES.iter().map(key).collect());
    named.contains(&letter_key(word)).then(|| word.to_owned())
}

/// Returns the spoken letters of the series at `at`: the AB of `MH 12 AB 1234`.
fn series(scan: &Scan<'_>, at: usize) -> Option<String> {
    if let Some(word) = scan.latin(at) {
        return (is_capitals(word) && word.len() <= 3).then(|| spelt(scan, word));
    }
    scan.word(at).filter(|word| letter_names::is_spelt(word, scan.language)).map(str::to_owned)
}
