//! Telephone numbers, PINs, one-time passwords, card and account numbers: digit by digit.

use super::number;
use super::scan::{Reading, Scan};
use super::{address, quantity};
use crate::chars::lowercase;
use crate::class::Class;
use crate::item::{Item, Kind};
use crate::table::Set;

/// How many items before and after a number may say that it is a code.
const NEAR: usize = 6;
/// How many items before a number that ends its clause may say so: `OTP for your payment of ₹500 to Ravi is 482913`.
const FAR: usize = 24;
/// How many items beside a number may say that it is that of a train.
const NEAR_TRAIN: usize = 4;

/// Digits that are a code wherever they stand, and may look like years: `1800 11 2345`, `1234 5678 9012 3456`.
pub(super) fn unmistakable(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = scan.number(at).filter(|digits| digits.len() == 4)?;
    let (end, lengths) = groups(scan, at);
    let total: usize = lengths.iter().sum();
    let toll_free = matches!(first, "1800" | "1860") && lengths.len() >= 2 && (10..=11).contains(&total);
    let year = |item: &Item| matches!(item.text.get(..2), Some("19" | "20"));
    let numbers = || scan.items[at..end].iter().filter(|item| item.kind == Kind::Number);
    let card = lengths.len() >= 3 && lengths.iter().all(|&length| length == 4) && !numbers().all(year);
    (toll_free || card).then(|| Reading::new(digits(scan, at, end), end - at))
}

/// Digits that are read one by one.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let grouped = international(scan, at).or_else(|| grouped(scan, at));
    let digits = || code(scan, at).or_else(|| address::read(scan, at));
    grouped
        .map(|groups| groups.of(Class::Telephone))
        .or_else(|| digits().map(|digits| digits.of(Class::Digits)))
}

/// The groups of digits from `at` on, with what separates them; where they end, and how long each is.
fn groups(scan: &Scan<'_>, at: usize) -> (usize, Vec<usize>) {
    let mut lengths = Vec::new();
    let mut end = at;
    let mut next = at;
    loop {
        let open = scan.is_sign(next, '(') && scan.number(next + 1).is_some();
        let number_at = next + usize::from(open);
        let Some(digits) = scan.number(number_at) else { break };
        lengths.push(digits.len());
        end = number_at + 1;
        if open && scan.is_sign(end, ')') {
            end += 1;
        }
        let separated =
            matches!(scan.sign(end), Some('-' | '.' | '–')) && scan.joined(end) && scan.joined(end + 1);
        next = end + usize::from(separated);
    }
    (end, lengths)
}

/// The digits of the items in `from..to`, one by one; a pause between groups.
fn digits(scan: &Scan<'_>, from: usize, to: usize) -> String {
    let numbers =
        || scan.items[from..to].iter().filter(|item| item.kind == Kind::Number).map(|item| &item.text);
    // digits that are written apart are in no groups
    if numbers().all(|digits| digits.len() == 1) {
        return number::in_groups(&scan.data.number, &numbers().map(AsRef::as_ref).collect::<String>());
    }
    number::join_groups(numbers().map(|digits| number::in_groups(&scan.data.number, digits)))
}

/// Digits that are told to be a telephone number: in groups as they are written, and letters one by one.
pub(super) fn told(scan: &Scan<'_>) -> Option<Reading> {
    let spelt = (0..scan.items.len()).any(|at| scan.latin(at).is_some());
    let groups = (0..scan.items.len()).filter_map(|at| match scan.number(at) {
        Some(group) => Some(number::in_groups(&scan.data.number, group)),
        None => scan.latin(at).map(|word| super::letters::apart(scan, word)),
    });
    let said = number::join_groups(groups);
    let words = if scan.is_sign(0, '+') { format!("{} {said}", scan.data.electronic.plus) } else { said };
    let class = if spelt { Class::Letters } else { Class::Telephone };
    (scan.numbers > 0).then(|| Reading::new(words, scan.items.len()).of(class))
}

/// `+91 98765 43210`.
fn international(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.is_sign(at, '+')
        || scan.spaced(at + 1)
        || (at > 0 && scan.joined(at) && scan.number(at - 1).is_some())
    {
        return None;
    }
    let (end, lengths) = groups(scan, at + 1);
    if lengths.iter().sum::<usize>() < 8 {
        return None;
    }
    // the code of the country stands apart, also where it is written in one with the number
    let whole = scan.number(at + 1).filter(|digits| digits.len() == 12 && at + 2 == end);
    let said = match whole.and_then(|digits| digits.split_at_checked(2)) {
        Some((country, number)) => {
            let parts = [country, number].map(|part| number::in_groups(&scan.data.number, part));
            number::join_groups(parts.into_iter())
        }
        None => digits(scan, at + 1, end),
    };
    let words = format!("{} {said}", scan.data.electronic.plus);
    Some(Reading::new(words, end - at))
}

/// `98765 43210`, `022-29411128`, `(555) 123-4567`, `1234 5678 9012`.
fn grouped(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let bracketed = scan.is_sign(at, '(');
    if !bracketed && scan.number(at).is_none() || (at > 0 && scan.joined(at) && scan.is_word(at - 1)) {
        return None;
    }
    let (end, lengths) = groups(scan, at);
    let total: usize = lengths.iter().sum();
    let first = scan.number(at + usize::from(bracketed))?;
    if lengths.len() == 1 {
        // so many zeros make a round number
        let mobile =
            first.len() == 10 && first.starts_with(['6', '7', '8', '9']) && !first.contains("000000");
        let trunk = first.len() >= 10 && first.starts_with('0');
        return (!bracketed && (mobile || trunk)).then(|| Reading::new(digits(scan, at, at + 1), 1));
    }
    let trunk = first.starts_with('0') && first.len() > 2 && (8..=13).contains(&total);
    let mobile = lengths == [5, 5] && first.starts_with(['6', '7', '8', '9']);
    // the one of a country may stand before a number of that country: 1-800-555-1234
    let parts = lengths.strip_prefix(&[1]).unwrap_or(&lengths);
    let local = parts.len() >= 3
        && total >= 9
        && parts.iter().all(|&length| (2..=4).contains(&length))
        && lengths.last() == Some(&4);
    let card = lengths.len() >= 3 && lengths.iter().all(|&length| length == 4);
    // 555-1234, but a span ends in a round number
    let last = scan.number(end.saturating_sub(1)).unwrap_or_default();
    let exchange = lengths == [3, 4] && scan.joined(at + 1) && scan.joined(at + 2) && !last.ends_with('0');
    let area = bracketed && scan.is_sign(at + 2, ')') && lengths.len() >= 2 && total >= 7;
    let called =
        total >= 6 && (near(scan, at, end, Context::Code) || near(scan, at, end, Context::Telephone));
    // 405-1234567-8901234
    let order = lengths.len() >= 3 && total >= 10 && (at + 1..end).all(|place| scan.joined(place));
    (trunk || mobile || local || card || exchange || area || order || called)
        .then(|| Reading::new(digits(scan, at, end), end - at))
}

/// A number beside a word such as OTP or PIN, or a long one beside a word such as phone.
fn code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let number = scan.number(at).filter(|digits| digits.len() >= 3)?;
    let continued = matches!(scan.sign(at + 1), Some('.' | ',' | ':'))
        && scan.joined(at + 1)
        && scan.joined(at + 2)
        && scan.number(at + 2).is_some();
    let train = number.len() == 5 && !continued && is_train(scan, at);
    if !train && (continued || quantity::counts(scan, at)) {
        return None;
    }
    let long = number.len() >= 6 || number.starts_with('0');
    let called = near(scan, at, at + 1, Context::Code)
        || (4..=8).contains(&number.len()) && ends_clause(scan, at + 1) && far_before(scan, at)
        || long && near(scan, at, at + 1, Context::Telephone)
        || train
        || number.len() == 4 && shows_last_digits(scan, at)
        || number.len() >= 5 && is_numbered(scan, at);
    called.then(|| Reading::new(number::in_groups(&scan.data.number, number), 1))
}

/// Whether the word before a number says that it is the number of something: ट्रेन नंबर 12301.
fn is_numbered(scan: &Scan<'_>, at: usize) -> bool {
    let number_sign = &scan.data.number.number_sign;
    at > 0 && scan.word(at - 1).is_some_and(|word| lowercase(word) == number_sign.as_str())
}

/// Whether a word just beside a number speaks of trains or flights.
pub(super) fn is_train(scan: &Scan<'_>, at: usize) -> bool {
    let trains = &scan.data.context.trains;
    let round = scan.number(at).is_some_and(|digits| digits.ends_with("000"));
    let near = (at.saturating_sub(NEAR_TRAIN)..at).chain(at + 1..=at + NEAR_TRAIN);
    !round && near.into_iter().any(|place| scan.is_one_of(trains, place))
}

/// Whether a number is the end of that of a card or an account: `card ending 7291`, `कार्ड के अंतिम 4 अंक 7291`.
fn shows_last_digits(scan: &Scan<'_>, at: usize) -> bool {
    let said = |list: &Set<String>| (at.saturating_sub(FAR)..at).any(|place| scan.is_one_of(list, place));
    said(&scan.data.context.last) && said(&scan.data.context.telephone)
}

/// Whether a word near the items `from..to` says that they are a code.
pub(super) fn is_code_near(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    near(scan, from, to, Context::Code)
}

/// What words beside a number say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// A code, however short: OTP.
    Code,
    /// A long number, read digit by digit, while a short one may be any other: phone, account.
    Telephone,
}

/// Whether nothing follows but a sign or a word of grammar.
fn ends_clause(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_none_or(|word| scan.is_function(word)) && scan.number(at).is_none()
}

/// Whether a word some way before `at` says that a code will come.
fn far_before(scan: &Scan<'_>, at: usize) -> bool {
    let codes = &scan.data.context.digits;
    let names_code = |place| scan.is_one_of(codes, place);
    (at.saturating_sub(FAR)..at).any(names_code)
}

/// Whether one of the words near the items `from..to` says that they are digits.
fn near(scan: &Scan<'_>, from: usize, to: usize, context: Context) -> bool {
    let words = match context {
        Context::Code => &scan.data.context.digits,
        Context::Telephone => &scan.data.context.telephone,
    };
    let names_code = |place: usize| scan.is_one_of(words, place);
    (from.saturating_sub(NEAR)..from).chain(to..to + NEAR).any(names_code)
}
