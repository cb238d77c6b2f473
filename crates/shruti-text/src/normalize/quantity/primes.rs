//! Numbers with single and double prime marks: feet and inches (`5'4"`, `30'x40'`), minutes and seconds (`28°36'50"`,
//! `4'32"`), and the age and height of a person (`27/5'4"`).

use std::ops::RangeInclusive;

use super::equation::is_cross;
use super::measure::{before_measured, oblique};
use super::units::{self, Unit};
use crate::chars::lowercase;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};

/// Ages of people in matrimonial advertisements, in years.
const AGES: RangeInclusive<u32> = 18..=75;
/// Heights of people in matrimonial advertisements, in centimetres.
const HEIGHTS: RangeInclusive<u32> = 120..=220;
/// Number of items before a number that are searched for the start of a quotation.
const NEAR_QUOTE: usize = 16;

/// Reads a number with a prime mark.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    of_angle(scan, at).or_else(|| height(scan, at)).or_else(|| sides(scan, at)).or_else(|| feet(scan, at))
}

/// Reads feet and inches: `5'10"`, `5'-10"`, `5' 10"`, `5'10''`. The mark for inches may be missing if the numbers may
/// be the height of a person: `5'8`.
fn height(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let is_prime = |place: usize| matches!(scan.sign(place), Some('\'' | '’' | '′')) && scan.joined(place);
    let hyphen = scan.is_sign(at + 2, '-') && scan.joined(at + 2) && scan.joined(at + 3);
    let inches_at = at + 2 + usize::from(hyphen);
    if !is_prime(at + 1) || scan.number(inches_at).is_none() {
        return None;
    }
    let mark = inches_at + 1;
    let marks = if matches!(scan.sign(mark), Some('"' | '”' | '″')) && scan.joined(mark) {
        1
    } else if is_prime(mark) && is_prime(mark + 1) {
        2
    } else if scan.joined(inches_at) && is_of_person(scan, at, inches_at) {
        0
    } else {
        return None;
    };
    let units = &scan.data.units.words;
    let (feet, inches) = if in_minutes(scan, at, inches_at) {
        (units.get("min")?, units.get("s")?)
    } else {
        (units.get("ft")?, units.get("in")?)
    };
    let counted = |place: usize, unit| {
        let digits = scan.number(place)?;
        let (one, many) = units::names(unit);
        let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
        Some(units::count_of(&count, if digits == "1" { one } else { many }))
    };
    let words = format!("{} {}", oblique(scan, counted(at, feet)?), counted(inches_at, inches)?);
    let items = inches_at + 1 + marks - at;
    Some(Reading::new(before_measured(scan, words, at + items), items))
}

/// Returns whether two numbers with the marks of feet and inches are minutes and seconds: of an angle after its degrees
/// (28°36'50"), of a recording after a word for its length (duration 4'32"), or of a recording if there are too many inches for a foot.
fn in_minutes(scan: &Scan<'_>, at: usize, second: usize) -> bool {
    let below = |place: usize, limit: u32| {
        scan.number(place).and_then(|digits| digits.parse::<u32>().ok()).is_some_and(|number| number < limit)
    };
    let of_angle = at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some('°' | 'º'));
    let sign = usize::from(at > 1 && matches!(scan.sign(at - 1), Some(':' | '-' | '–' | '(')));
    let named = || at > sign && scan.is_one_of(&scan.data.time.lengths, at - 1 - sign);
    let of_recording =
        || (named() || !below(second, 12)) && scan.mentions(&scan.data.time.recordings, at..second);
    below(second, 60) && (of_angle || of_recording())
}

/// Reads the minutes of an angle after its degrees, and the direction after an angle: 28°36'N, 28°36'50"N.
fn of_angle(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let after_degrees = at > 1 && scan.joined(at) && matches!(scan.sign(at - 1), Some('°' | 'º'));
    let joined = |place: usize| scan.sign(place).filter(|_| scan.joined(place));
    if !after_degrees || !matches!(joined(at + 1), Some('\'' | '’' | '′')) {
        return None;
    }
    let angle = if let Some(angle) = height(scan, at) {
        angle
    } else {
        let minutes = units::of_sign(scan, "min", 1)?;
        let digits = scan.number(at)?;
        let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
        Reading::new(minutes.counted(&count, digits == "1"), 2)
    };
    let end = at + angle.items;
    let direction = || {
        let letter = scan.latin(end).filter(|letter| letter.len() == 1 && scan.joined(end))?;
        let (_, degrees) = units::names(scan.data.units.words.get("°")?);
        let (_, name) = units::names(scan.data.units.words.get(&format!("°{letter}"))?);
        name.strip_prefix(degrees).map(str::trim)
    };
    Some(match direction() {
        Some(direction) => Reading::new(format!("{} {direction}", angle.words), angle.items + 1),
        None => angle,
    })
}

/// Reads feet before a noun that they describe: 100' road, 40' wide.
fn feet(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let digits = scan.number(at)?;
    let mark = matches!(scan.sign(at + 1), Some('\'' | '’' | '′')) && scan.joined(at + 1);
    let noun = at + 2;
    let quoted = || {
        let near = at.saturating_sub(NEAR_QUOTE)..at;
        near.into_iter().any(|place| matches!(scan.sign(place), Some('\'' | '‘')) && !scan.joined(place))
    };
    if !mark || !scan.spaced(noun) || at > 0 && scan.joined(at) || quoted() {
        return None;
    }
    let units = &scan.data.units;
    let described = |word: &str| units.attributive.contains(lowercase(word).as_ref());
    // the noun may be abbreviated: 100' rd.
    let short = scan
        .data
        .abbreviation(scan.raw(noun, noun + 2))
        .or_else(|| scan.data.abbreviation(scan.raw(noun, noun + 1)));
    let named = scan.word(noun).is_some_and(described) || short.is_some_and(described);
    let sized = scan.is_one_of(&units.after_length, noun);
    if !named && !sized {
        return None;
    }
    let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let foot = units::of_sign(scan, "ft", 1)?;
    Some(Reading::new(foot.counted(&count, digits == "1" || named), 2))
}

/// Returns whether feet at `feet` and inches at `inches` may be the height of a person.
fn is_of_person(scan: &Scan<'_>, feet: usize, inches: usize) -> bool {
    let value = |place: usize| scan.number(place).and_then(|digits| digits.parse::<u32>().ok());
    let ends = scan.spaced(inches + 1) || scan.is_sign(inches + 1, ',');
    ends && value(feet).is_some_and(|feet| (4..=7).contains(&feet)) && value(inches).is_some_and(|n| n < 12)
}

/// Reads the side lengths of an object in feet or inches: `30'x40'`, `90" x 108"`.
fn sides(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mark = |place: usize| match scan.sign(place).filter(|_| scan.joined(place))? {
        '\'' | '’' | '′' => Some("ft"),
        '"' | '”' | '″' => Some("in"),
        _ => None,
    };
    let (first, second) = (scan.number(at)?, scan.number(at + 3)?);
    let sign = mark(at + 1)?;
    if !is_cross(scan, at + 2) || mark(at + 4)? != sign {
        return None;
    }
    let count = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let unit = units::of_sign(scan, sign, 1)?;
    let by = &scan.data.number.by;
    let words = unit.counted(&format!("{} {by} {}", count(first), count(second)), false);
    Some(Reading::new(words, 5))
}

/// Reads the age and height of a person: `27/5'4"`, `27/162 cm`.
pub(crate) fn age_and_height(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let age = scan.number(at)?;
    let joined = scan.is_sign(at + 1, '/') && scan.joined(at + 1) && scan.joined(at + 2);
    let in_centimetres = || {
        let is_of = |range: &RangeInclusive<u32>, place: usize| {
            scan.number(place).and_then(|digits| digits.parse().ok()).is_some_and(|n| range.contains(&n))
        };
        if !(is_of(&AGES, at) && is_of(&HEIGHTS, at + 2)) {
            return None;
        }
        let count = number::plain_cardinal(&scan.data.number, scan.number(at + 2)?, System::Indian);
        match units::at(scan, at + 3) {
            Some(unit) => {
                is_centimetre(scan, &unit).then(|| Reading::new(unit.counted(&count, false), 1 + unit.items))
            }
            // in a matrimonial advertisement, the height may lack its unit: மணமகன்: 30/175
            None => scan.mentions(&scan.data.context.matrimony, at..at + 3).then(|| Reading::new(count, 1)),
        }
    };
    let height = height(scan, at + 2).or_else(in_centimetres).filter(|_| joined)?;
    let age = number::plain_cardinal(&scan.data.number, age, System::Indian);
    Some(Reading::new(format!("{age} {}", height.words), 2 + height.items))
}

/// Returns whether the unit is centimetres.
fn is_centimetre(scan: &Scan<'_>, unit: &Unit) -> bool {
    scan.data.units.words.get("cm").is_some_and(|word| units::names(word).1 == unit.name(false))
}
