//! Codes of letters and digits: vehicles, flights, coupons, serial numbers.

use super::vehicle;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::english;
use crate::normalize::identifier::name;
use crate::normalize::number::{self, System};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::{after_hyphen, apart, is_capitals, spelt};
use crate::normalize::{date, quantity};
use crate::script::Script;

/// Minimum length of the word in a coupon code, in letters.
const SHORTEST_COUPON: usize = 4;
/// Maximum number of digits of the discount in a coupon code.
const LONGEST_DISCOUNT: usize = 4;
/// Maximum number of letters in a series name: the WS of `WS-107-2020`.
const LONGEST_SERIES: usize = 5;
/// Minimum total number of digits in a serial code.
const SHORTEST_SERIAL: usize = 7;
/// Maximum number of items and of characters in the group before the hyphen of `W4-21870`.
const LONGEST_PREFIX: usize = 4;
/// Maximum number of digits of the number of a file that is read as a number, next to its year.
const LONGEST_COUNT: usize = 3;
/// Maximum number of digits of the number of ordered things.
const LONGEST_ORDER: usize = 2;
/// Minimum number of digits of a code after a number sign.
const SHORTEST_NUMBERED: usize = 4;

/// Reads a code: a vehicle, flight or serial number, or a mix of letters and digits that starts with digits:
/// `27ABCDE1234F1Z5`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(vehicle) = vehicle::read(scan, at) {
        return Some(vehicle);
    }
    if let Some(reading) = flight(scan, at).or_else(|| ordered_count(scan, at)) {
        return Some(reading);
    }
    let hyphened = || numbered_code(scan, at).or_else(|| prefixed_code(scan, at));
    if let Some(serial) = serial_code(scan, at).or_else(hyphened) {
        return Some(serial);
    }
    // near a word for a code, joined letters and digits are a code, not an amount: kr5208
    let mixes = scan.latin(at).is_some() && scan.number(at + 1).is_some() && scan.joined(at + 1);
    // the number of a postal item has capitals before and after its digits: RP482913IN
    let encloses = mixes
        && scan.number(at + 1).is_some_and(|digits| digits.len() > 4)
        && [at, at + 2].into_iter().all(|place| scan.latin(place).is_some_and(is_capitals))
        && scan.joined(at + 2);
    if encloses || mixes && name::is_code_near(scan, at, at + 2) {
        return mixed(scan, at);
    }
    if scan.number(at).is_none() || scan.joined(at) && at > 0 {
        return None;
    }
    let run = (at..scan.token_end(at))
        .take_while(|&place| scan.number(place).is_some() || scan.latin(place).is_some_and(is_capitals));
    let length = run.count();
    // 7X8 is read as "seven by eight", and 20NOV24 is a date
    if length == 3 && date::read(scan, at).is_some_and(|date| date.items == 3) {
        return None;
    }
    if length == 3 && scan.number(at + 2).is_some() && scan.latin(at + 1) == Some("X") {
        return None;
    }
    // in a language other than English, a digit and K are a resolution or a generation: 2K
    let generation = length == 2
        && !scan.has_case()
        && scan.number(at).is_some_and(|digits| digits.len() == 1)
        && scan.latin(at + 1) == Some("K");
    if length >= 3 || generation { mixed(scan, at).filter(|reading| reading.items == length) } else { None }
}

/// Reads the number of ordered things after their name in the script of the language: சிக்கன் பிரியாணி x2. The x is not
/// spoken. In an equation, or if another number with an x is not the number of ordered things, the numbers distinguish
/// variables: மாறிகள் x1 மற்றும் x2.
fn ordered_count(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let counts = |place: &usize| {
        scan.latin(*place) == Some("x") && scan.joined(place + 1) && scan.number(place + 1).is_some()
    };
    let is_order = !scan.has_case()
        && counts(&at)
        && (0..scan.items.len()).filter(counts).all(|place| is_ordered(scan, place))
        && !scan.has_sign(&['='])
        && !name::is_code_near(scan, at, at + 2);
    let digits = scan.number(at + 1).filter(|_| is_order)?;
    let words = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    Some(Reading::new(words, 2).of(Class::Cardinal))
}

/// Returns whether the x at `at` and its number follow a name that is not Latin, the number is short, and a sign or the
/// end follows it.
fn is_ordered(scan: &Scan<'_>, at: usize) -> bool {
    let named = at > 0 && scan.spaced(at) && scan.is_word(at - 1) && scan.latin(at - 1).is_none();
    let short =
        scan.number(at + 1).is_some_and(|digits| digits.len() <= LONGEST_ORDER && !digits.starts_with('0'));
    let closed = at + 2 >= scan.items.len()
        || matches!(scan.sign(at + 2), Some(',' | ';' | ')')) && !scan.joined(at + 3)
        || matches!(scan.sign(at + 2), Some('-' | '–')) && scan.spaced(at + 2);
    named && short && closed
}

/// Reads `WS-107-2020` or `RA2021-22/00000576`: capitals and at least two numbers, optionally separated by hyphens or
/// slashes. The numbers have at least seven digits in total and are not all years.
fn serial_code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let letters = scan.latin(at).filter(|word| is_capitals(word) && word.len() <= LONGEST_SERIES)?;
    if at > 0 && scan.joined(at) {
        return None;
    }
    let mut groups: Vec<(Option<char>, &str)> = Vec::new();
    let mut end = at + 1;
    while end < scan.items.len() && scan.joined(end) {
        let sign = scan.sign(end).filter(|sign| matches!(sign, '-' | '/'));
        let place = end + usize::from(sign.is_some());
        let Some(digits) = scan.number(place).filter(|_| scan.joined(place)) else { break };
        groups.push((sign, digits));
        end = place + 1;
    }
    let total: usize = groups.iter().map(|(_, digits)| digits.len()).sum();
    let year = |(_, digits): &(Option<char>, &str)| digits.len() == 2 || is_year(digits);
    let goes_on = scan.joined(end) && scan.is_word(end);
    if groups.len() < 2 || total < SHORTEST_SERIAL || groups.iter().all(year) || goes_on {
        return None;
    }
    let spoken = with_years(scan, &groups).filter(|_| !scan.has_case()).unwrap_or_else(|| {
        groups.iter().map(|(_, digits)| number::one_by_one(&scan.data.number, digits)).collect()
    });
    let spoken = std::iter::once(spelt(scan, letters)).chain(spoken).collect::<Vec<_>>().join(" ");
    Some(Reading::new(spoken, end - at))
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && matches!(&digits[..2], "19" | "20")
}

/// Returns the words of the parts of a file number, each with the sign before it, if a slash is before and after a year
/// or a financial year: PWD/2025-26/117. Returns `None` if there is no year.
fn with_years(scan: &Scan<'_>, groups: &[(Option<char>, &str)]) -> Option<Vec<String>> {
    let count = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let slash_at = |place: usize| groups.get(place).is_none_or(|(sign, _)| *sign == Some('/'));
    let mut spoken = Vec::new();
    let mut has_year = false;
    let mut place = 0;
    while let Some((_, digits)) = groups.get(place) {
        let second = groups.get(place + 1).filter(|(sign, _)| *sign == Some('-')).map(|(_, digits)| *digits);
        let follows = |second: &&str| {
            second.len() == 2
                && (is_year(digits) || digits.len() == 2)
                && value(second) == (value(digits) + 1) % 100
                && slash_at(place + 2)
        };
        let from = || if digits.len() == 4 { number::year(scan.data, digits) } else { count(digits) };
        if let Some(second) = second.filter(follows).filter(|_| slash_at(place)) {
            spoken.push(format!("{} {}", from(), count(second)));
            has_year = true;
            place += 2;
            continue;
        }
        let year = is_year(digits) && slash_at(place) && slash_at(place + 1);
        has_year |= year;
        spoken.push(if year {
            from()
        } else if digits.len() <= LONGEST_COUNT && !digits.starts_with('0') {
            count(digits)
        } else {
            number::one_by_one(&scan.data.number, digits)
        });
        place += 1;
    }
    has_year.then_some(spoken)
}

/// Reads the code of `#AX-50921`: capitals, a hyphen and at least four digits, after a number sign or a keyword.
fn numbered_code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let letters = scan.latin(at).filter(|word| is_capitals(word) && word.len() <= LONGEST_SERIES)?;
    let number_at = after_hyphen(scan, at + 1);
    let digits =
        scan.number(number_at).filter(|digits| number_at > at + 1 && digits.len() >= SHORTEST_NUMBERED)?;
    let hash = at > 0 && scan.is_sign(at - 1, '#');
    let named = hash || scan.spaced(at) && scan.names_before(at, Kinds::NUMBER.and(Kinds::REFERENCE));
    let goes_on = scan.joined(number_at + 1)
        && matches!(scan.sign(number_at + 1), Some('-' | '/' | '.'))
        && scan.joined(number_at + 2);
    let words = format!("{} {}", spelt(scan, letters), number::one_by_one(&scan.data.number, digits));
    (named && !goes_on).then(|| Reading::new(words, number_at + 1 - at))
}

/// Reads `No. W4-21870`: after a keyword, capitals and digits in a short group, a hyphen, and at least four digits.
/// Without a keyword, the number may be a price: `PS5-54990`.
fn prefixed_code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mut end = at;
    while end < at + LONGEST_PREFIX && (end == at || scan.joined(end)) {
        let lettered = scan.latin(end).is_some_and(is_capitals);
        if !(lettered || scan.number(end).is_some()) {
            break;
        }
        end += 1;
    }
    let short = scan.raw(at, end).len() <= LONGEST_PREFIX && end - at > 1;
    if !short
        || at > 0 && scan.joined(at)
        || scan.data.tokens.contains_key(&scan.raw(at, end).to_ascii_lowercase())
    {
        return None;
    }
    let number_at = after_hyphen(scan, end);
    let digits =
        scan.number(number_at).filter(|digits| number_at > end && digits.len() >= SHORTEST_NUMBERED)?;
    let names = Kinds::NUMBER.and(Kinds::COUNT).and(Kinds::REFERENCE).and(Kinds::CODE);
    let named = scan.names_before(at, names);
    let goes_on = scan.joined(number_at + 1)
        && matches!(scan.sign(number_at + 1), Some('-' | '/' | '.' | ','))
        && scan.joined(number_at + 2);
    if goes_on || !named {
        return None;
    }
    let prefix = mixed(scan, at).filter(|prefix| at + prefix.items == end)?;
    let words = format!("{} {}", prefix.words, number::one_by_one(&scan.data.number, digits));
    Some(Reading::new(words, number_at + 1 - at))
}

/// Reads a flight number: `6E-2341`, `AI 764`.
fn flight(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(airline) = scan.latin(at).filter(|word| word.len() == 2 && is_capitals(word)) {
        let number_at = after_hyphen(scan, at + 1);
        let digits = scan.number(number_at).filter(|digits| (3..=4).contains(&digits.len()))?;
        let spoken = number::one_by_one(&scan.data.number, digits);
        let words = format!("{} {spoken}", spelt(scan, airline));
        return name::is_train(scan, at).then(|| Reading::new(words, number_at + 1 - at));
    }
    let first = scan.number(at).filter(|digits| digits.len() == 1)?;
    let letter =
        scan.latin(at + 1).filter(|word| word.len() == 1 && is_capitals(word) && scan.joined(at + 1))?;
    let number_at = after_hyphen(scan, at + 2);
    // a class and its fare are not a flight number: 3A 710 रुपये
    let is_amount = scan.spaced(number_at) && quantity::counts(scan, number_at);
    let last = scan.number(number_at).filter(|digits| (3..=4).contains(&digits.len()) && !is_amount)?;
    let digits = |digits: &str| number::one_by_one(&scan.data.number, digits);
    let words = format!("{} {} {}", digits(first), spelt(scan, letter), digits(last));
    Some(Reading::new(words, number_at + 1 - at))
}

/// Reads a masked number together with its mask letters: `XX1234`, `XXXX-5678`, `X5334`.
pub(crate) fn masked(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mask = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'x' | 'X')))?;
    let number_at = if mask.len() > 2 { after_hyphen(scan, at + 1) } else { at + 1 };
    let digits = scan.number(number_at).filter(|_| scan.joined(number_at))?;
    // a single mask letter needs four digits: X5334, but not the model X12
    if mask.len() == 1 && (digits.len() != 4 || scan.joined(at) && at > 0) {
        return None;
    }
    let hidden = vec![spelt(scan, &mask[..1]); mask.len()].join(" ");
    let shown = number::one_by_one(&scan.data.number, digits);
    Some(Reading::new(format!("{hidden} {shown}"), number_at + 1 - at))
}

/// Reads `B12`, `4G` or `MH12AB1234`: spells letters, and reads a single digit by its English name, other short numbers
/// as numbers, and long ones digit by digit.
pub(crate) fn mixed(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // a function word without a space after it does not start a code: on2025-06-22
    if scan.latin(at).is_some_and(|word| word.len() > 1 && scan.is_function(word)) {
        return None;
    }
    let mut end = at;
    let mut letters = 0;
    let mut numbers = 0;
    while end < scan.items.len() && (end == at || scan.joined(end)) {
        match scan.latin(end) {
            Some(word) if word.len() <= 4 || word.chars().all(|c| c.is_ascii_uppercase()) || end == at => {
                letters += 1;
            }
            None if scan.number(end).is_some() => numbers += 1,
            _ => break,
        }
        end += 1;
    }
    let decimals =
        scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) && scan.number(end + 1).is_some();
    if letters == 0 || numbers == 0 || decimals || (at > 0 && scan.joined(at) && scan.sign(at - 1).is_none())
    {
        return None;
    }
    let length: usize = scan.items[at..end].iter().map(|item| item.text.len()).sum();
    let named = name::is_code_near(scan, at, end);
    let code = end - at > 2 || length > 7 || named;
    let single = numbers == 1;
    let numbered = is_numbered(scan, at);
    let english = |digits: &str| {
        let digit = digits.parse::<usize>().ok().filter(|_| single && digits.len() == 1)?;
        scan.data.latin.digits.get(digit).cloned()
    };
    if let Some(coupon) = coupon(scan, at..end) {
        return Some(coupon);
    }
    let mut spoken = Vec::new();
    for place in at..end {
        if let Some(digit) = scan.number(place).and_then(english) {
            spoken.push(digit);
        } else if let Some(digits) = scan.number(place) {
            let one_by_one = digits.len() > 4
                || (code && digits.len() > 2)
                || (digits.len() == 4 && numbered && !digits.starts_with("20"))
                || digits.starts_with('0');
            spoken.push(if one_by_one {
                number::one_by_one(&scan.data.number, digits)
            } else {
                number::cardinal(&scan.data.number, digits, System::Indian)
            });
        } else if let Some(word) = scan.latin(place) {
            let capitals = word.chars().all(|c| c.is_ascii_uppercase());
            let vowel = word.chars().any(|c| "aeiouyAEIOUY".contains(c));
            let spell = named
                || capitals && word.len() <= 5 && !english::is_spoken_in_capitals(word)
                || word.len() <= 2
                || !vowel;
            spoken.push(if is_of_letters(word) {
                apart(scan, word)
            } else if named || spell && scan.script() != Script::Latin {
                spelt(scan, word)
            } else {
                word.to_owned()
            });
        }
    }
    // the number of an account may follow its code after a hyphen: N4EH-20871
    let last = end + 1;
    let long = scan.number(last).filter(|digits| digits.len() >= SHORTEST_NUMBERED && !is_year(digits));
    let joined = after_hyphen(scan, end) == last
        && (scan.spaced(last + 1) || scan.sign(last + 1).is_some_and(|c| c != '-' && c != '/'));
    if let Some(digits) = long.filter(|_| end - at > 2 && joined) {
        spoken.push(number::one_by_one(&scan.data.number, digits));
        end = last + 1;
    }
    Some(Reading::new(spoken.join(" "), end - at))
}

/// Returns whether a number sign, the word for "number" or a word for something with a reference number precedes a
/// code: #AZ4471, order no. OD4471, order OD4471.
fn is_numbered(scan: &Scan<'_>, at: usize) -> bool {
    let hash = at > 0 && scan.is_sign(at - 1, '#') && scan.joined(at);
    hash || scan.names_before(at, Kinds::NUMBER.and(Kinds::REFERENCE))
}

/// Reads a coupon code that consists of a known word in capitals and a number: `DIWALI300`.
fn coupon(scan: &Scan<'_>, items: std::ops::Range<usize>) -> Option<Reading> {
    let length = items.len();
    let word = scan
        .latin(items.start)
        .filter(|word| length == 2 && word.len() >= SHORTEST_COUPON && is_capitals(word))?;
    let digits = scan.number(items.start + 1).filter(|digits| digits.len() <= LONGEST_DISCOUNT)?;
    let lower = word.to_ascii_lowercase();
    let known = english::is_word(&lower) || english::is_indian_word(&lower);
    let number = number::cardinal(&scan.data.number, digits, System::Indian);
    (known && !english::is_spelt(word) && !digits.starts_with('0'))
        .then(|| Reading::new(format!("{lower} {number}"), length))
}

/// Returns whether a word contains several capitals and single lower-case letters, but no two adjacent lower-case
/// letters. Such a word is spelled out: the letters of `HbA1c` and `IKEv2`.
fn is_of_letters(word: &str) -> bool {
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let small_pair = word.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_lowercase));
    capitals > 1 && capitals < word.len() && !small_pair
}
