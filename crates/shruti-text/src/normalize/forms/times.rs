//! Multiplication signs: `×` and the letter x. Between spaces, the sign multiplies (`Milk 500 ml x 4`, `Pen x 10`) or
//! introduces the duration of a medication (`x 10 days`). Between the side lengths of an object, it is read as "by" and
//! is handled by the dimensions class.

use super::cricket;
use crate::chars::lowercase;
use crate::data::keywords::Kinds;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::equation::{in_equation, is_cross};
use crate::normalize::quantity::measure;
use crate::normalize::quantity::units;
use crate::normalize::scan::{Reading, Scan};

/// Units of length. Their products are dimensions: 10 ft x 12.
const LENGTHS: [&str; 8] = ["m", "cm", "mm", "ft", "in", "yd", "mtr", "mtrs"];

/// Reads the multiplication sign at `at`, which may be silent, or the number of fours or sixes hit by a batter.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(compared) = times_as(scan, at) {
        return Some(compared);
    }
    if let Some(hits) = boundaries(scan, at) {
        return Some(hits);
    }
    // in an equation, a sign without spaces around it multiplies: 5x2=10
    let product =
        is_cross(scan, at) && at > 0 && scan.number(at - 1).is_some() && scan.number(at + 1).is_some();
    if product && scan.joined(at) && scan.joined(at + 1) && in_equation(scan, at) {
        return scan.data.symbols.get(&'×').map(|times| Reading::new(times.clone(), 1));
    }
    if !is_cross(scan, at) || !scan.spaced(at) || !scan.spaced(at + 1) || scan.latin(at) == Some("X") {
        return None;
    }
    let times = scan.data.symbols.get(&'×')?;
    let Some(count) = Numeral::read(scan, at + 1) else {
        // a number may count objects: 2 x Coffee
        let noun = scan.word(at + 1).is_some_and(|word| word.chars().count() > 1 && !scan.is_function(word));
        let counted = at > 0 && scan.number(at - 1).is_some() && noun && !in_equation(scan, at);
        return counted.then(|| Reading::new(times.clone(), 1));
    };
    let after = at + 1 + count.items;
    if lasts(scan, after) {
        return Some(Reading::new(scan.data.number.lasting.clone(), 1));
    }
    // the sign is silent if the word for "times" follows: 1 tablet x 3 times a day
    if scan.word(after) == Some(times) {
        return Some(Reading::new("", 1));
    }
    let before = at.checked_sub(1)?;
    let named = scan.word(before).is_some_and(|word| word.chars().count() > 1 && !scan.is_function(word));
    // a product name may end in a joined letter: Parle-G x 2
    let joined = scan.is_word(before) && scan.joined(before);
    let following = named || joined || scan.number(before).is_some() || scan.is_sign(before, ')');
    following.then(|| Reading::new(times.clone(), 1))
}

/// Reads the multiplication sign of `3x faster`, after a number and before a comparative.
fn times_as(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let times = scan.data.number.times_as.as_ref()?;
    let follows_number = is_cross(scan, at) && at > 0 && scan.joined(at) && scan.number(at - 1).is_some();
    if !follows_number || !scan.spaced(at + 1) {
        return None;
    }
    let is_compared = |word: &str| {
        let mut listed = scan.data.number.compared.iter();
        listed.any(|other| match other.strip_suffix('-') {
            Some(stem) => word.starts_with(stem),
            None => lowercase(word) == other.as_str(),
        })
    };
    scan.word(at + 1).is_some_and(is_compared).then(|| Reading::new(times.clone(), 1))
}

/// Reads the number of fours or sixes that a batter hit: `13×4, 3×6`.
fn boundaries(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (fours, sixes) = scan.data.slash.boundaries.as_ref()?;
    let runs = |digits: &str| match digits {
        "4" => Some(fours),
        "6" => Some(sixes),
        _ => None,
    };
    let hits = |at: usize| {
        let joined = is_cross(scan, at + 1) && scan.joined(at + 1) && scan.joined(at + 2);
        let count = scan.number(at).filter(|digits| joined && digits.len() <= 2)?;
        let other = scan.number(at + 2)?;
        // in the brackets after the runs of a batter, the four or the six may precede the number of hits: (61ಎ, 4x10)
        let reversed = || runs(count).filter(|_| other.len() <= 2 && cricket::is_in_figures(scan, at));
        runs(other).map(|name| (count, name)).or_else(|| Some((other, reversed()?)))
    };
    let (count, name) = hits(at)?;
    // fours and sixes in one segment, or a word about cricket in the sentence, indicate hits
    let pair = || (0..scan.items.len()).any(|other| hits(other).is_some_and(|(_, other)| other != name));
    let cricket = pair() || cricket::follows_balls(scan) || cricket::is_mentioned(scan, at..at + 3);
    let number = number::plain_cardinal(&scan.data.number, count, System::Indian);
    let single = scan.data.slash.boundary.as_ref().filter(|_| count == "1");
    let name = single.map_or(name, |(four, six)| if name == fours { four } else { six });
    cricket.then(|| Reading::new(format!("{number} {name}"), 3))
}

/// Returns whether the multiplication sign at `times`, with spaces around it, multiplies instead of separating the side
/// lengths of an object. The expression before the sign starts at `at`.
pub(crate) fn multiplies(scan: &Scan<'_>, at: usize, times: usize) -> bool {
    let Some(count) = Numeral::read(scan, times + 1) else { return false };
    let after = times + 1 + count.items;
    // before a duration, the sign multiplies: 500 mg x 5 days
    if lasts(scan, after) {
        return true;
    }
    let bare = units::at(scan, after).is_none();
    let measured = measure::read(scan, at).is_some_and(|measured| at + measured.items == times);
    let length = scan.latin(times - 1).is_some_and(|unit| LENGTHS.contains(&unit));
    // in a question, the sign multiplies: what is 7 x 8?
    let is_question = at > 0 && scan.names(at - 1).has(Kinds::LINK) && scan.is_sign(after, '?');
    let equals = scan.is_sign(after, '=');
    bare && (measured && !length || is_question || equals)
}

/// Returns whether the word at `at` is a unit of time that can form a duration, such as days or months.
fn lasts(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_one_of(&scan.data.context.durations, at)
}
