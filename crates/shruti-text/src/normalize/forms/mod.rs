//! Reading of a number by its form alone, without its context.

pub(crate) mod address;
pub(crate) mod colon;
pub(crate) mod cricket;
pub(crate) mod decision;
pub(crate) mod file_number;
pub(crate) mod match_minute;
pub(crate) mod numeric;
pub(crate) mod range;
pub(crate) mod scripture;
pub(crate) mod slash;
pub(crate) mod time_range;
pub(crate) mod times;

use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::equation::is_cross;
use crate::normalize::quantity::{measure, money, primes};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::{date, identifier};

/// Number of items before and after a fertiliser grade that are searched for a word about fertilisers.
const NEAR_FERTILIZER: usize = 4;
/// Number of items before and after an asterisk that are searched for a word for an object with side lengths.
const NEAR_SIDES: usize = 4;

/// Tries the classes that start with a number or with a sign that belongs to a number, except for digit-by-digit
/// readings.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let of = |class: Class| move |reading: Reading| reading.of(class);
    slash::not_out(scan, at)
        .map(of(Class::Cardinal))
        .or_else(|| primes::age_and_height(scan, at).map(of(Class::Measure)))
        .or_else(|| file_number::of_parts(scan, at).map(of(Class::Code)))
        .or_else(|| address::of_parts(scan, at).map(of(Class::Ratio)))
        .or_else(|| slash::read(scan, at).map(of(Class::Ratio)))
        .or_else(|| grade(scan, at).map(of(Class::Cardinal)))
        .or_else(|| range::of_dates(scan, at).map(of(Class::Date)))
        .or_else(|| date::read(scan, at).map(of(Class::Date)))
        .or_else(|| colon::race(scan, at))
        .or_else(|| colon::length(scan, at))
        .or_else(|| time_range::read(scan, at).map(of(Class::Time)))
        .or_else(|| colon::read(scan, at))
        .or_else(|| address::read(scan, at).map(of(Class::Digits)))
        .or_else(|| amount(scan, at).map(of(Class::Money)))
        .or_else(|| range::of_fractions(scan, at))
        .or_else(|| version(scan, at).map(of(Class::Version)))
        .or_else(|| range::read(scan, at).map(of(Class::Range)))
        .or_else(|| dimensions(scan, at).map(of(Class::Dimensions)))
        .or_else(|| numeric::read(scan, at))
        .or_else(|| number_sign(scan, at).map(of(Class::Cardinal)))
}

/// Reads an amount of money. Before a noun that the amount measures, the currency name takes another form: రూ.300
/// టికెట్.
fn amount(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let Reading { words, items, .. } = money::read(scan, at)?;
    Some(Reading::new(measure::before_measured(scan, words, at + items), items))
}

/// Reads the grade of a fertiliser: `NPK 12:32:16`, `19-19-19`, and with sulphur `20:20:0:13`.
fn grade(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let separator = scan.sign(at + 1).filter(|sign| matches!(sign, ':' | '-'))?;
    let share = |place: usize| scan.number(place).filter(|digits| digits.len() <= 2);
    let joins = |place: usize| scan.is_sign(place, separator) && scan.joined(place) && scan.joined(place + 1);
    let mut shares = vec![share(at)?, share(at + 2)?, share(at + 4)?];
    shares.extend(share(at + 6).filter(|_| joins(at + 5)));
    let items = 2 * shares.len() - 1;
    let near = at.saturating_sub(NEAR_FERTILIZER)..at + items + NEAR_FERTILIZER;
    let is_grade = joins(at + 1)
        && joins(at + 3)
        && near.into_iter().any(|place| scan.names(place).has(Kinds::FERTILIZER));
    let words = shares.iter().map(|digits| number::plain_cardinal(&scan.data.number, digits, System::Indian));
    is_grade.then(|| Reading::new(words.collect::<Vec<_>>().join(" "), items))
}

/// Reads dimensions: `200x10`, `2 × 3`, `88mm x 58mm`.
fn dimensions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    let is_cross = |place: usize| is_cross(scan, place) || is_of_sides(scan, place);
    if !(at + 1..scan.items.len()).any(is_cross) {
        return None;
    }
    let measured = || measure::read(scan, at).filter(|measured| is_cross(at + measured.items));
    let from =
        if is_cross(at + first.items) { Reading::new(first.words(scan), first.items) } else { measured()? };
    let times = at + from.items;
    let product = is_product(scan, times) || scan.spaced(times) && times::multiplies(scan, at, times);
    if scan.spaced(times) != scan.spaced(times + 1) || product {
        return None;
    }
    let rest = dimensions(scan, times + 1).or_else(|| numeric::read(scan, times + 1))?;
    let words = format!("{} {} {}", from.words, scan.data.number.by, rest.words);
    Some(Reading::new(words, from.items + 1 + rest.items))
}

/// Returns whether an asterisk separates the side lengths of an object: ಸೈಟ್ 30*40.
fn is_of_sides(scan: &Scan<'_>, times: usize) -> bool {
    let sides = &scan.data.number.with_sides;
    let near = times.saturating_sub(NEAR_SIDES)..(times + NEAR_SIDES).min(scan.items.len());
    scan.is_sign(times, '*')
        && scan.joined(times)
        && scan.joined(times + 1)
        && near.into_iter().any(|place| scan.is_one_of(sides, place))
}

/// Returns whether the multiplication sign at `times` denotes a product, because it is part of an equation or a power
/// follows: 3 × 10⁸.
fn is_product(scan: &Scan<'_>, times: usize) -> bool {
    let near = times.saturating_sub(4)..times + 5;
    let equation = near.into_iter().any(|place| matches!(scan.sign(place), Some('=' | '+')));
    equation || scan.is_sign(times, '×') && scan.power(times + 2).is_some()
}

/// Reads a version with a dot between its numbers: `1.2.3`.
fn version(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mut parts = vec![scan.number(at)?];
    let mut end = at + 1;
    while scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) {
        let Some(digits) = scan.number(end + 1) else { break };
        parts.push(digits);
        end += 2;
    }
    (parts.len() > 2).then(|| Reading::new(number::version(scan.data, &parts), end - at))
}

/// Reads a number after a number sign: `#5`.
fn number_sign(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let sign = matches!(scan.sign(at), Some('#' | '№')) && scan.joined(at + 1);
    // only the sign is read here; letters and digits after it are read as a code: order #7A2093, order #MX58214
    let lettered = |place: usize| scan.joined(place) && scan.latin(place).is_some();
    let is_code = scan.number(at + 1).is_some() && lettered(at + 2)
        || lettered(at + 1) && scan.joined(at + 2) && scan.number(at + 2).is_some();
    if sign && is_code {
        return Some(Reading::new(scan.data.number.number_sign.clone(), 1));
    }
    let digits = || identifier::read(scan, at + 1).filter(|_| sign).map(|candidate| candidate.reading);
    let number = || Numeral::read(scan, at + 1).filter(|_| sign);
    let (words, items) = digits()
        .map(|said| (said.words, said.items))
        .or_else(|| number().map(|n| (n.words(scan), n.items)))?;
    Some(Reading::new(format!("{} {words}", scan.data.number.number_sign), items + 1))
}
