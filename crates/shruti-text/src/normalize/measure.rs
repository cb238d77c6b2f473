//! Numbers with units: `5 kg`, `60 km/h`, `30°C`.

use super::data::UnitWord;
use super::item::{Kind, Reading, Scan};
use super::number::{self, System};
use super::numeral::{self, Numeral};
use crate::script::Script;
use shruti_protocol::Language;

/// `5'10"`: feet and inches.
fn height(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let units = &scan.data.units.words;
    let (feet, inches) = (units.get("ft")?, units.get("in")?);
    let signs = matches!(scan.sign(at + 1), Some('\'' | '’' | '′'))
        && matches!(scan.sign(at + 3), Some('"' | '”' | '″'));
    let joined = (at + 1..=at + 3).all(|place| scan.joined(place));
    let count = |place: usize| {
        scan.number(place).map(|digits| number::plain_cardinal(&scan.data.number, digits, System::Indian))
    };
    let (high, more) = (count(at)?, count(at + 2)?);
    let one = |place: usize| scan.number(place) == Some("1");
    let words =
        format!("{} {}", count_of(&high, name(feet, one(at))), count_of(&more, name(inches, one(at + 2))));
    (signs && joined).then(|| Reading::new(words, 4))
}

/// A number and its unit.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(height) = height(scan, at) {
        return Some(height);
    }
    let numeral = Numeral::read(scan, at)?;
    let mut after = at + numeral.items;
    let multiplied = numeral::with_multiplier(scan, &numeral, after, numeral.system());
    after += usize::from(multiplied.is_some());
    let hyphen = usize::from(scan.is_sign(after, '-') && scan.joined(after) && scan.joined(after + 1));
    let spaced = scan.spaced(after);
    let (word, sign, items) = unit(scan, after + hyphen)?;
    if spaced && is_doubtful(scan, &sign, after + items) {
        return None;
    }
    let halved = multiplied.is_none().then(|| scan.data.units.after_half.get(&sign)).flatten();
    if let (Some(unit), Some(half)) = (halved, numeral::half(scan, &numeral)) {
        return Some(Reading::new(format!("{half} {unit}"), numeral.items + hyphen + items));
    }
    let one = numeral.is_one() && multiplied.is_none();
    let count = match &multiplied {
        Some(counted) => counted.words.clone(),
        None => numeral.counting(scan, numeral.system()),
    };
    let mut total = after + hyphen + items - at;
    let mut said = count_of(&count, name(word, one || hyphen > 0));
    if let Some((per, more)) = per(scan, at + total) {
        said = scan.data.units.per.replace("{a}", &said).replace("{b}", &per);
        total += more;
    }
    Some(Reading::new(said, total))
}

/// The unit behind a fraction: `4 1/2 lbs`.
pub(super) fn of_fraction(scan: &Scan<'_>, at: usize, fraction: Reading) -> Reading {
    let after = at + fraction.items;
    let found = unit(scan, after)
        .filter(|(_, sign, items)| !(scan.spaced(after) && is_doubtful(scan, sign, after + items)));
    let Some((word, _, items)) = found else { return fraction };
    Reading::new(count_of(&fraction.words, name(word, false)), fraction.items + items)
}

fn count_of(count: &str, unit: &str) -> String {
    if unit.contains("{n}") { unit.replace("{n}", count) } else { format!("{count} {unit}") }
}

fn name(word: &UnitWord, one: bool) -> &str {
    match word {
        UnitWord::Same(name) => name,
        UnitWord::Both(single, many) => {
            if one {
                single
            } else {
                many
            }
        }
    }
}

/// `/hr` behind a unit.
fn per(scan: &Scan<'_>, at: usize) -> Option<(String, usize)> {
    if !scan.is_sign(at, '/') || scan.spaced(at) || scan.spaced(at + 1) {
        return None;
    }
    let (unit, items) = unit_name(scan, at + 1, true)?;
    Some((unit, items + 1))
}

/// The name of the unit written at `at`, and over how many items.
pub(super) fn unit_name(scan: &Scan<'_>, at: usize, one: bool) -> Option<(String, usize)> {
    let (word, _, items) = unit(scan, at)?;
    Some((name(word, one).replace("{n}", "").trim().to_owned(), items))
}

/// The unit written at `at`: its word, its sign, and over how many items it is written.
fn unit<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a UnitWord, String, usize)> {
    let units = &scan.data.units.words;
    for items in (1..=6).rev() {
        let end = at + items;
        if end > scan.items.len() {
            continue;
        }
        // a unit ends where its token ends, or at a sign
        let last_is_sign = scan.sign(end - 1).is_some();
        let open = scan.joined(end) && !last_is_sign && scan.sign(end).is_none() && !is_ending(scan, end);
        let several_tokens = (at + 1..end).any(|next| scan.spaced(next));
        if open || (several_tokens && items > 4) {
            continue;
        }
        let raw = scan.raw(at, end);
        if let Some(word) = units.get(&raw) {
            return Some((word, raw, items));
        }
        if raw.is_ascii() && raw.len() > 1 {
            let lower = raw.to_lowercase();
            if let Some(word) = units.get(&lower) {
                return Some((word, lower, items));
            }
        }
    }
    None
}

/// A case ending of an Indian language behind a Latin unit: `5 kgಗೆ`.
fn is_ending(scan: &Scan<'_>, at: usize) -> bool {
    scan.item(at).is_some_and(|item| matches!(item.kind, Kind::Word(Some(script)) if script != Script::Latin))
}

/// Whether a sign behind a space may be a word of an English sentence: `5 in the morning`, `5 a day`.
fn is_doubtful(scan: &Scan<'_>, sign: &str, after: usize) -> bool {
    let short = matches!(
        sign,
        "in" | "a"
            | "A"
            | "s"
            | "d"
            | "h"
            | "min"
            | "day"
            | "month"
            | "week"
            | "year"
            | "t"
            | "K"
            | "V"
            | "W"
            | "J"
    );
    let latin_follows = scan.latin(after).is_some();
    short && (scan.language == Language::English && sign.len() <= 2 || latin_follows)
}
