//! Signs and names of currencies.

use crate::data::Currency;
use crate::normalize::scan::Scan;

/// Returns the currency at `at` and its number of items. `following` is `true` if the currency follows the number.
pub(crate) fn at<'a>(scan: &'a Scan<'_>, at: usize, following: bool) -> Option<(&'a Currency, usize)> {
    (1..=3).rev().find_map(|items| {
        let end = at + items;
        let joined = end <= scan.items.len() && (at + 1..end).all(|next| scan.joined(next));
        let raw = scan.raw(at, end);
        // before a number, the case of an ISO 4217 code matters: "try 5" is not an amount in lira
        let any_case = raw.len() > 1 && (following || !is_code(raw));
        let currency = joined.then(|| scan.data.money.currency(raw, any_case)).flatten()?;
        Some((currency, items))
    })
}

/// Returns whether `raw` has the form of an ISO 4217 code, except for INR.
fn is_code(raw: &str) -> bool {
    raw.len() == 3 && raw.chars().all(|c| c.is_ascii_alphabetic()) && !raw.eq_ignore_ascii_case("inr")
}

/// Returns whether a currency is at `at` and a number follows it.
pub(crate) fn is_sign(scan: &Scan<'_>, at: usize) -> bool {
    self::at(scan, at, false).is_some_and(|(_, items)| scan.number(at + items).is_some())
}

/// Returns whether a currency that may follow a number is at `at`.
pub(crate) fn is_named(scan: &Scan<'_>, at: usize) -> bool {
    self::at(scan, at, true).is_some()
}
