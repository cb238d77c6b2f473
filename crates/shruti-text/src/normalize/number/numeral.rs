//! Written number: sign, grouping, decimals.

use smallvec::{SmallVec, smallvec};

use super::System;
use crate::data::keywords::Kinds;
use crate::normalize::number;
use crate::normalize::scan::Scan;

/// Number as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numeral {
    /// Digits before the decimal point, in ASCII; empty in `.5`.
    pub(crate) whole: String,
    /// Digits after the decimal point.
    pub(crate) decimals: Option<String>,
    /// Whether the digits are grouped as in 1,000,000, not as in 10,00,000.
    pub(crate) western: bool,
    /// Whether the digits are grouped with commas.
    pub(crate) grouped: bool,
    /// Number of items.
    pub(crate) items: usize,
}

impl Numeral {
    /// Reads the number at `at`, without a sign.
    pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Self> {
        if scan.is_sign(at, '.') {
            let decimals = scan.number(at + 1).filter(|_| scan.joined(at + 1))?;
            let following = |at: usize| {
                scan.is_word(at) || scan.number(at).is_some() || matches!(scan.sign(at), Some('.' | '…'))
            };
            let free = at == 0 || scan.spaced(at) || !following(at - 1);
            let integer = String::new();
            let decimals = Some(decimals.to_owned());
            return free.then_some(Self {
                whole: integer,
                decimals,
                western: false,
                grouped: false,
                items: 2,
            });
        }
        let first = scan.number(at)?;
        let mut groups: SmallVec<[&str; 8]> = smallvec![first];
        let mut next = at + 1;
        if first.len() <= 3 {
            while let Some(group) = joined_number(scan, next, ',') {
                if !matches!(group.len(), 2 | 3) {
                    break;
                }
                groups.push(group);
                next += 2;
                // in both systems the last group has three digits; in the western system all groups after the first
                // have three
                if group.len() == 3 && joined_number(scan, next, ',').is_none_or(|more| more.len() != 3) {
                    break;
                }
            }
        }
        let last_is_whole = groups.len() == 1 || groups.last().is_some_and(|group| group.len() == 3);
        if !last_is_whole {
            groups.truncate(1);
            next = at + 1;
        }
        // groups of three digits are western in 1,000,000 and in 100,000, which is 1,00,000 in the Indian system
        let threes = groups.iter().skip(1).all(|group| group.len() == 3);
        let western = threes && (groups.len() > 2 || groups.len() == 2 && first.len() == 3);
        let grouped = groups.len() > 1;
        let integer = groups.concat();
        let mut decimals = None;
        if let Some(fraction) = joined_number(scan, next, '.') {
            // a number with two decimal points is a version or an IP address
            if joined_number(scan, next + 2, '.').is_none() {
                decimals = Some(fraction.to_owned());
                next += 2;
            }
        }
        Some(Self { whole: integer, decimals, western, grouped, items: next - at })
    }

    pub(crate) fn system(&self) -> System {
        if self.western { System::Western } else { System::Indian }
    }

    /// Returns whether the number is exactly one.
    pub(crate) fn is_one(&self) -> bool {
        self.decimals.is_none() && self.whole == "1"
    }

    /// Returns the number in words.
    pub(crate) fn words(&self, scan: &Scan<'_>) -> String {
        self.words_in(scan, self.system())
    }

    /// Returns the number in words with the scale words of `system`.
    pub(crate) fn words_in(&self, scan: &Scan<'_>, system: System) -> String {
        let number = &scan.data.number;
        match &self.decimals {
            Some(decimals) => number::decimal(number, &self.whole, decimals, system),
            None => number::cardinal(number, &self.whole, system),
        }
    }

    /// Returns the number in words, in the form used before a counted noun.
    pub(crate) fn counting(&self, scan: &Scan<'_>, system: System) -> String {
        if self.decimals.is_some() {
            return self.words_in(scan, system);
        }
        number::before_noun(&scan.data.number, &self.whole, system)
    }
}

fn joined_number<'a>(scan: &'a Scan<'_>, at: usize, separator: char) -> Option<&'a str> {
    let joined = scan.is_sign(at, separator) && scan.joined(at) && scan.joined(at + 1);
    if joined { scan.number(at + 1) } else { None }
}

/// Returns whether the sign at `at` makes a number negative: `-5`, but not `10-5`.
pub(crate) fn is_minus(scan: &Scan<'_>, at: usize) -> bool {
    let dash = matches!(scan.sign(at), Some('-' | '−' | '–'));
    let free =
        scan.spaced(at) || at == 0 || scan.sign(at - 1).is_some_and(|c| c != ')' && c != ']' && c != '/');
    let begins = scan.number(at + 1).is_some() || scan.is_sign(at + 1, '.');
    dash && free && begins && scan.joined(at + 1) && !follows_label(scan, at)
}

/// Returns whether a number after the word before the dash is never negative: `No.-5`, `COVID -19`.
fn follows_label(scan: &Scan<'_>, at: usize) -> bool {
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    let labels = Kinds::NUMBER.and(Kinds::SERIES);
    // a dash after an abbreviation that is not a currency is not a minus sign: अ.सं.-218
    let listed = || {
        let raw = scan.raw(at - 2, at);
        scan.has_case()
            && scan.joined(at)
            && (scan.data.abbreviation(raw).is_some() || scan.data.before_number.contains_key(raw))
            && scan.data.money.currency(raw, true).is_none()
    };
    let abbreviation = || {
        let own = scan.word(at - 2).is_some_and(|word| !word.is_ascii());
        own && scan.joined(at) && scan.data.money.currency(scan.raw(at - 2, at), true).is_none()
    };
    if dot == 1 && (abbreviation() || listed()) {
        return true;
    }
    at > dot && scan.names(at - 1 - dot).has(labels)
}

/// Returns the number of items of the silent `/-` after an amount, or 0 if there is none.
pub(crate) fn only_sign(scan: &Scan<'_>, at: usize) -> usize {
    let slash = scan.is_sign(at, '/') && scan.joined(at + 1);
    // an ending may follow the sign: Rs.500/-चा
    let ends = |word: &str| !word.is_ascii();
    let closed = scan.spaced(at + 2)
        || matches!(scan.sign(at + 2), Some(',' | ';' | ')' | '.' | '('))
        || scan.word(at + 2).is_some_and(ends);
    let dash = matches!(scan.sign(at + 1), Some('-' | '–' | '—' | '=')) && closed;
    if slash && dash { 2 } else { 0 }
}
