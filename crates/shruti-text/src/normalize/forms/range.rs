//! Ranges (`10-15 kg`, `10%–15%`, `5वीं-8वीं`, `28 नवंबर - 3 दिसंबर`) and scores (`5-3`).

use super::numeric;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::normalize::date::{self, pairs, year};
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::ordinal;
use crate::normalize::number::span::{between, is_dash, is_repeated_after};
use crate::normalize::quantity::equation::in_equation;
use crate::normalize::quantity::{measure, money, multiplier, units};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending;
use crate::normalize::time;

/// Reads a fraction or a range of fractions: `1/2`, `4 1/2 lbs`, `1/2-3/4`.
pub(crate) fn of_fractions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let read = |at: usize| Some(measure::of_fraction(scan, at, numeric::fraction(scan, at)?));
    let from = read(at)?;
    let dash = at + from.items;
    // the second number of a score may be an integer: 38½-35
    let whole = || {
        let numeral = Numeral::read(scan, dash + 1).filter(|_| scan.joined(dash))?;
        Some(Reading::new(numeral.words(scan), numeral.items))
    };
    let to = read(dash + 1);
    let is_score = to.is_none();
    match to.or_else(whole).filter(|_| is_dash(scan, dash)) {
        Some(to) if is_score => {
            Some(Reading::new(format!("{} {}", from.words, to.words), from.items + 1 + to.items))
        }
        Some(to) => Some(Reading::new(between(scan, &from.words, &to.words), from.items + 1 + to.items)),
        None => Some(from),
    }
}

/// Reads a range of numbers: `10-15` or `10–15 kg`, but not `10-5=5`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    // check for a dash first, because this is cheaper than reading forms with units and endings
    if !(at + 1..scan.items.len()).any(|place| is_dash(scan, place)) {
        return None;
    }
    let named =
        ordinal::read(scan, at).or_else(|| measure::read(scan, at)).or_else(|| with_ending(scan, at, &first));
    // the first number may have a k for thousands: 25k-35k
    let thousands = || {
        scan.latin(at + first.items).filter(|letter| matches!(*letter, "k" | "K"))?;
        let read = multiplier::with_multiplier(scan, &first, at + first.items, first.system())?;
        Some(Reading::new(read.words, first.items + read.items))
    };
    let named = named.or_else(thousands);
    let named = named.filter(|named| is_dash(scan, at + named.items));
    let plain = named.is_none();
    let (from, items) =
        named.map_or_else(|| (first.words(scan), first.items), |named| (named.words, named.items));
    let dash = at + items;
    if !is_dash(scan, dash) || in_equation(scan, at) {
        return None;
    }
    let second = Numeral::read(scan, dash + 1)?;
    // three numbers in a row are not a range
    let after = dash + 1 + second.items;
    if matches!(scan.sign(after), Some('-' | '–')) && scan.joined(after) && scan.number(after + 1).is_some()
    {
        return None;
    }
    // an abbreviated currency may follow the range: 10-90 ರೂ.
    let priced = money::read(scan, dash + 1).filter(|amount| plain && amount.items > second.items);
    let to = priced.or_else(|| numeric::read(scan, dash + 1))?;
    // a measure and its price are not a range: 100 ਗ੍ਰਾ. – 58/-
    if !plain && (to.class == Class::Money || money::read(scan, dash + 1).is_some()) {
        return None;
    }
    if !plain && scan.spaced(dash) && is_of_another_kind(scan, dash, to.items) {
        return None;
    }
    let end = dash + 1 + to.items;
    let to_items = to.items;
    // the parts of a code are not a range: 1-413-te-b
    if is_in_code(scan, at) || is_in_code(scan, end) {
        return None;
    }
    let is_score = !(rises(&first, &second) || plain && is_of_hours(scan, at, &first, &second))
        || plain && pairs::are_scores(scan, at, |first, second| value(first) > value(second))
        || plain && scan.is_one_of(&scan.data.context.after_score, end);
    // years before an era may descend: 297-272 BC
    let before_era = first.whole.len() > 2 && year::is_named(scan, end);
    let falls = plain && to_items == second.items && is_score && !before_era;
    // words before the second number apply to both numbers: ಗಂಟೆಗೆ ಐವತ್ತು ಕಿಲೋಮೀಟರ್
    let (before, to) = match to.words.find(&second.words(scan)) {
        Some(start) if plain => to.words.split_at(start),
        _ => ("", to.words.as_str()),
    };
    // two equal numbers are the same amount for each of several things or people: 25-25 हजार
    let same = first.whole == second.whole && first.decimals == second.decimals;
    // in a language other than English, a year and the next one have no range word between them: 2025-26-ம் கல்வியாண்டு
    let is_next_year = year::is_followed_by(&first.whole, &second.whole) && !scan.has_case();
    let is_pair = is_next_year || plain && are_grades(scan, at, &first, &second);
    let words = if falls || same || is_pair || is_repeated_after(scan, end) {
        format!("{before}{from} {to}")
    } else {
        format!("{before}{}", between(scan, &from, to))
    };
    Some(Reading::new(words, end - at))
}

/// Returns whether two consecutive integers after a word such as "class" name two grades, and not hours: વર્ગ 1-2, but
/// not ક્લાસ 7-8 વાગ્યે.
fn are_grades(scan: &Scan<'_>, at: usize, first: &Numeral, second: &Numeral) -> bool {
    let named = at > 0 && scan.is_one_of(&scan.data.context.pairs_after, at - 1);
    let integers = first.decimals.is_none() && second.decimals.is_none();
    named
        && integers
        && !time::is_hour_word(scan, at + 3)
        && value(&first.whole).checked_add(1) == Some(value(&second.whole))
}

/// Returns whether the number after the dash at `dash` counts something other than the measure before the dash: 650 mg
/// – 1 tablet, 250 mg - 5 days. The number has `items` items.
fn is_of_another_kind(scan: &Scan<'_>, dash: usize, items: usize) -> bool {
    let named = |sign: &str| units::of_sign(scan, sign, 1);
    let times = ["h", "min", "s"].map(named);
    let is_time = |place: usize| {
        let unit = units::at(scan, place);
        unit.is_some_and(|unit| times.iter().flatten().any(|time| time.name(false) == unit.name(false)))
    };
    let is_duration = |place: usize| scan.is_one_of(&scan.data.context.durations, place) || is_time(place);
    let end = dash + 1 + items;
    match measure::read(scan, dash + 1) {
        Some(_) => is_duration(dash - 1) != is_duration(end - 1),
        None => scan.word(end).is_some_and(|word| !scan.is_function(word)),
    }
}

/// Returns whether two numbers are opening and closing hours: Timings: 10-9.
fn is_of_hours(scan: &Scan<'_>, at: usize, first: &Numeral, second: &Numeral) -> bool {
    let is_hour = |numeral: &Numeral| numeral.decimals.is_none() && (1..=12).contains(&value(&numeral.whole));
    let opens = scan.names_before(at, Kinds::HOUR) || at == 0 && scan.sentence_context.names_hour;
    is_hour(first)
        && is_hour(second)
        && opens
        && scan.has_case()
        && !scan.is_one_of(&scan.data.context.score, at.saturating_sub(1))
}

/// Returns whether a hyphen joins the item at `at` to the preceding text, or joins the text before `at` to following
/// letters.
fn is_in_code(scan: &Scan<'_>, at: usize) -> bool {
    let joins = |place: usize| scan.is_sign(place, '-') && scan.joined(place) && scan.joined(place + 1);
    at >= 2 && joins(at - 1) || joins(at) && scan.latin(at + 1).is_some()
}

/// Reads a number with its joined ending, if the number after the dash has the same ending: ৯টা-৫টা.
fn with_ending(scan: &Scan<'_>, at: usize, first: &Numeral) -> Option<Reading> {
    let ending = at + first.items;
    let second = Numeral::read(scan, ending + 2)?;
    let again = ending + 2 + second.items;
    let same = scan.word(ending)? == scan.word(again)? && scan.joined(ending) && scan.joined(again);
    let joined = ending::with_ending(scan, at, Reading::new(first.words(scan), first.items));
    (same && joined.items > first.items).then_some(joined)
}

/// Returns whether the second number is larger. Otherwise the numbers are a score or a pair, not a range.
fn rises(first: &Numeral, second: &Numeral) -> bool {
    let value = |numeral: &Numeral| {
        let decimals = numeral.decimals.as_deref().unwrap_or_default();
        format!("{}.{decimals}", numeral.whole).parse::<f64>().unwrap_or(f64::MAX)
    };
    value(first) < value(second)
}

/// Reads a range of dates with a dash: `01.09.25-30.09.25`, `28 नवंबर - 3 दिसंबर`.
pub(crate) fn of_dates(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // check for a dash first, because this is cheaper than reading dates
    if !(at + 1..scan.items.len()).any(|place| is_dash(scan, place)) {
        return None;
    }
    let from = date::with_day(scan, at)?;
    let dash = at + from.items;
    let to = date::with_day(scan, dash + 1).filter(|_| is_dash(scan, dash))?;
    let end = dash + 1 + to.items;
    let words = if is_repeated_after(scan, end) {
        format!("{} {}", from.words, to.words)
    } else {
        between(scan, &from.words, &to.words)
    };
    Some(Reading::new(words, end - at))
}
