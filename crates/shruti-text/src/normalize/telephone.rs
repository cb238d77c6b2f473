//! Telephone numbers, PINs, one-time passwords, card and account numbers: digit by digit.

use super::item::{Kind, Reading, Scan};
use super::number;

/// How many words before and after a number may say that it is a code.
const NEAR: usize = 4;

/// Digits that are read one by one.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    international(scan, at)
        .or_else(|| grouped(scan, at))
        .or_else(|| code(scan, at))
        .or_else(|| in_address(scan, at))
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
    let said: Vec<String> = scan.items[from..to]
        .iter()
        .filter(|item| item.kind == Kind::Number)
        .map(|item| number::one_by_one(&scan.data.number, &item.text))
        .collect();
    said.join(" ")
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
    let words = format!("{} {}", scan.data.number.plus, digits(scan, at + 1, end));
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
        let mobile = first.len() == 10 && first.starts_with(['6', '7', '8', '9']);
        let trunk = first.len() >= 10 && first.starts_with('0');
        return (!bracketed && (mobile || trunk)).then(|| Reading::new(digits(scan, at, at + 1), 1));
    }
    let trunk = first.starts_with('0') && first.len() > 2 && (8..=13).contains(&total);
    let mobile = lengths == [5, 5] && first.starts_with(['6', '7', '8', '9']);
    let local = lengths.len() >= 3
        && total >= 9
        && lengths.iter().all(|&length| (2..=4).contains(&length))
        && lengths.last() == Some(&4);
    let card = lengths.len() >= 3 && lengths.iter().all(|&length| length == 4);
    let area = bracketed && lengths.len() >= 2 && total >= 7;
    let called = near(scan, at, end) && total >= 6;
    (trunk || mobile || local || card || area || called)
        .then(|| Reading::new(digits(scan, at, end), end - at))
}

/// A number beside a word such as OTP or PIN.
fn code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let number = scan.number(at).filter(|digits| digits.len() >= 3)?;
    let continued = matches!(scan.sign(at + 1), Some('.' | ',' | ':'))
        && scan.joined(at + 1)
        && scan.joined(at + 2)
        && scan.number(at + 2).is_some();
    if continued || !near(scan, at, at + 1) {
        return None;
    }
    Some(Reading::new(number::one_by_one(&scan.data.number, number), 1))
}

/// Whether one of the words near the items `from..to` says that they are a code.
fn near(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    let words = &scan.data.context.digits;
    let names_code = |place: usize| {
        scan.word(place).is_some_and(|word| {
            let lower = word.to_lowercase();
            words.contains(&lower)
        })
    };
    (from.saturating_sub(NEAR)..from).chain(to..to + NEAR).any(names_code)
}

/// Numbers of houses, plots and postal codes, in a segment that is an address.
fn in_address(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let number = scan.number(at)?;
    let suffixed = scan.joined(at + 1) && scan.is_word(at + 1);
    if suffixed {
        return None;
    }
    if scan.data.context.address.is_empty() {
        return None;
    }
    // a place and six digits: a PIN code
    let postal = number.len() == 6
        && at > 0
        && scan.is_word(at - 1)
        && scan.words <= 4
        && (at + 1..scan.items.len()).all(|place| scan.sign(place).is_some());
    if !scan.names_address && !postal {
        return None;
    }
    let said = number::one_by_one(&scan.data.number, number);
    let hyphen = matches!(scan.sign(at + 1), Some('-'))
        && at + 2 < scan.items.len()
        && scan.spaced(at + 1) == scan.spaced(at + 2);
    if hyphen {
        return Some(Reading::new(format!("{said} {}", scan.data.electronic.hyphen), 2));
    }
    Some(Reading::new(said, 1))
}
