//! A slash between numbers that are no fraction: `287/6` of cricket, `487/500` marks, the house `42/3`, the blood
//! pressure `120/80`.

use std::ops::Range;

use super::equation::in_equation;
use super::number::{self, System};
use super::numeral::Numeral;
use super::scan::{Reading, Scan};
use super::units;
use crate::table::Set;

/// How many items before and after are looked at for a word that says what the numbers are.
const NEAR: usize = 8;
/// A score has lost no more wickets than this.
const MOST_WICKETS: u32 = 10;
/// A side seldom makes more runs.
const MOST_RUNS: u32 = 450;
/// A number of runs from which on a score needs no word beside it.
const TELLING_RUNS: u32 = 60;

/// A fraction has seldom larger numbers.
const MOST_PARTS: u32 = 100;

/// What two numbers with a slash between them are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pair {
    /// Runs and wickets.
    Score,
    /// Marks out of so many.
    OutOf,
    /// Blood pressure.
    Pressure,
    /// A house and its part.
    House,
}

/// What is said for the numbers and the slash between them; a score may have a dash: `180-5`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    let sign = at + first.items;
    let slash = scan.is_sign(sign, '/');
    let dash = matches!(scan.sign(sign), Some('-' | '–'));
    if !(slash || dash) || scan.spaced(sign) || scan.spaced(sign + 1) {
        return None;
    }
    let second = scan.number(sign + 1)?;
    let end = sign + 2;
    let more =
        scan.joined(end) && matches!(scan.sign(end), Some('/' | '-' | '.')) && scan.number(end + 1).is_some();
    let behind = at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some('/' | '-' | '.' | '₹' | '$'));
    let dated = scan.number(at).is_some_and(|digits| digits.starts_with('0')) || second.starts_with('0');
    if more || behind || dated || second.len() > 4 {
        return None;
    }
    let pair = pair(scan, at..end, &first, second, slash)?;
    let say = |digits: &str| {
        if pair == Pair::House && scan.data.number.house_digits {
            number::one_by_one(&scan.data.number, digits)
        } else {
            number::plain_cardinal(&scan.data.number, digits, System::Indian)
        }
    };
    let from = if first.decimals.is_some() { first.words(scan) } else { say(&first.whole) };
    let patterns = &scan.data.slash;
    let pattern = match pair {
        Pair::Score => &patterns.score,
        Pair::OutOf => &patterns.out_of,
        Pair::Pressure => &patterns.pressure,
        Pair::House => &patterns.house,
    };
    let words = number::between(&scan.data.number, pattern, &from, &say(second));
    // 120/80 mmHg
    let unit = if pair == Pair::Pressure { units::at(scan, end) } else { None };
    // 140/90 in the last months
    let unit = unit.filter(|unit| unit.sign.len() > 2);
    let items = end - at + unit.as_ref().map_or(0, |unit| unit.items);
    let words = unit.map_or_else(|| words.clone(), |unit| unit.counted(&words, false));
    Some(Reading::new(words, items))
}

/// What the numbers are, by their size and the words beside them.
fn pair(scan: &Scan<'_>, place: Range<usize>, first: &Numeral, second: &str, slash: bool) -> Option<Pair> {
    let Range { start: at, end } = place;
    let context = &scan.data.context;
    let over: u32 = first.whole.parse().ok()?;
    let under: u32 = second.parse().ok()?;
    let whole = first.decimals.is_none();
    let score = is_near(scan, at, &context.score);
    let bowled = over <= MOST_WICKETS && under > over && score;
    let batted = under <= MOST_WICKETS && over > under && over > MOST_WICKETS;
    if !slash {
        let telling = (TELLING_RUNS..=MOST_RUNS).contains(&over) && scan.words > 0 && !scan.names_address;
        let closed = end >= scan.items.len() || scan.sign(end).is_some();
        let scored = batted && (score || telling && closed) || bowled && under > MOST_WICKETS;
        return (whole && scored).then_some(Pair::Score);
    }
    if !whole {
        return (over < under && matches!(under, 5 | 10 | 20 | 50 | 100)).then_some(Pair::OutOf);
    }
    let marks = is_near(scan, at, &context.marks);
    if over <= under && under >= 5 && marks && !scan.names_address {
        return Some(Pair::OutOf);
    }
    if (80..=250).contains(&over) && (40..=150).contains(&under) && over > under {
        return Some(Pair::Pressure);
    }
    let fraction = over < under && under <= 8;
    // 154/423 is no fraction that anybody says
    let parts = scan.data.number.slash_between_words && scan.words > 0;
    let parts = parts && over > MOST_PARTS && under > MOST_PARTS && !under.is_multiple_of(10);
    let house = parts || scan.names_address || (at.saturating_sub(4)..at).any(|place| is_label(scan, place));
    if house && !fraction && !score {
        return Some(Pair::House);
    }
    let telling = over >= TELLING_RUNS && scan.words > 0 && !in_equation(scan, at);
    if bowled || batted && (score || telling) {
        return Some(Pair::Score);
    }
    if scan.words > 0
        && over <= under
        && over > MOST_WICKETS
        && under >= 20
        && (under.is_multiple_of(10) || under.is_multiple_of(25))
    {
        return Some(Pair::OutOf);
    }
    None
}

fn is_label(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_one_of(&scan.data.context.labels, at)
}

fn is_near(scan: &Scan<'_>, at: usize, list: &Set<String>) -> bool {
    let near = at.saturating_sub(NEAR)..(at + NEAR).min(scan.items.len());
    near.into_iter().any(|place| scan.is_one_of(list, place))
}
