//! Years of a reign in brackets after the name of a ruler.

use super::year::joined_after_dash;
use crate::chars::lowercase;
use crate::english;
use crate::normalize::number;
use crate::normalize::number::{roman, span};
use crate::normalize::scan::{Reading, Scan, calendar};
use crate::normalize::spelling::{initials, is_capitals};

/// Maximum number of items between the bracket of a reign and its first year, plus one: (r. 1014.
const MAX_BEFORE_REIGN: usize = 3;
/// Latest year in the brackets of a reign that no word introduces. Later years in brackets often belong to a project:
/// Phase I (2014-2017).
const LATEST_REIGN: u32 = 1900;

/// Reads the years of a reign.
pub(super) fn read(scan: &Scan<'_>, at: usize, digits: &str) -> Option<Reading> {
    let second = joined_after_dash(scan, at + 1).filter(|_| is_reign(scan, at))?;
    let [from, to] = [digits, second].map(|digits| number::year(scan.data, digits));
    Some(Reading::new(span::between(scan, &from, &to), 3))
}

/// Returns whether the number at `at` is the first year of a reign, in brackets after the name of a ruler: Chola I (r.
/// 1014-1044), Rajaraja I (985–1014).
pub(crate) fn is_reign(scan: &Scan<'_>, at: usize) -> bool {
    let mut before = (at.saturating_sub(MAX_BEFORE_REIGN)..at).rev();
    let Some(bracket) = before.find(|&place| scan.is_sign(place, '(')) else { return false };
    bracket.checked_sub(1).is_some_and(|numeral| follows_ruler(scan, numeral))
}

/// Returns whether the Roman numeral at `at` follows the name of a ruler, because the years of a reign in brackets follow
/// it: Chola I (r. 1014-1044), Rajaraja I (985–1014).
pub(crate) fn follows_ruler(scan: &Scan<'_>, at: usize) -> bool {
    let context = &scan.data.context;
    let names_ruler = |name: usize| {
        initials::is_capitalised(scan, name)
            && !scan.is_one_of(&context.roman, name)
            && !scan.is_one_of(&context.labels, name)
    };
    let named = at.checked_sub(1).is_some_and(names_ruler);
    if !named || !scan.is_sign(at + 1, '(') || scan.latin(at).and_then(roman::value_of).is_none() {
        return false;
    }
    let first = at + 2;
    // without a word that introduces the years, an ordinary word or an initialism is not a name: Session II (1100-1300)
    let names_person = |name: &str| {
        let lower = lowercase(name);
        let is_common = english::is_word(&lower) && !english::is_indian_word(&lower);
        context.regnal.contains(lower.as_ref()) || !is_common && !is_capitals(name)
    };
    let is_year = |digits: &str| matches!(digits.len(), 3 | 4) && !digits.starts_with('0');
    if scan.latin(first).is_some_and(|word| matches!(word, "r" | "reigned" | "ruled")) {
        let dot = usize::from(scan.is_sign(first + 1, '.'));
        return scan.number(first + 1 + dot).is_some_and(is_year);
    }
    let years = scan.number(first).zip(scan.number(first + 2)).filter(|_| span::is_dash(scan, first + 1));
    let in_order = |(from, to)| {
        is_year(from)
            && is_year(to)
            && calendar::value(from) < calendar::value(to)
            && calendar::value(to) < LATEST_REIGN
    };
    years.is_some_and(in_order) && scan.is_sign(first + 3, ')') && scan.word(at - 1).is_some_and(names_person)
}
