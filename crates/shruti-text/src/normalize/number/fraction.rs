//! Fractions (`1/2`, `3 1/2`, `२२ ३१/१७`, `2½`), and numbers that are expressed with halves and quarters.

use super::System;
use super::numeral::Numeral;
use super::ordinal;
use crate::normalize::number;
use crate::normalize::scan::{Reading, Scan};
use crate::table::Table;

/// Exclusive upper limit of the whole part of numbers that are read with counting words for halves and quarters (साढ़े
/// तीन).
const MAX_WITH_QUARTERS: u128 = 99;

/// Maximum number of digits of the shorter part of a fraction. Two longer numbers are telephone numbers: 94340 22658 /
/// 94340 22659.
const LONGEST_SHORT_PART: usize = 4;

/// Minimum length of a word that may repeat the end of a fraction, in characters.
const SHORTEST_REPEATED: usize = 4;

/// Maximum number of digits of the longer part of a fraction.
const LONGEST_PART: usize = 7;

/// Reads a fraction, including a preceding whole number.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some((over, under)) = parts(scan, at) {
        let items = 3 + usize::from(scan.joined(at + 3) && is_suffix(scan, at + 3));
        return Some(without_repeated(scan, Reading::new(alone(scan, at, over, under), items), at));
    }
    if let Some((over, under)) = vulgar(scan, at) {
        let words = match stars_before(scan, at) {
            0 => proper(scan, at + 1, over, under),
            stars => mixed(scan, at + 1, &stars.to_string(), over, under),
        };
        return Some(Reading::new(words, 1));
    }
    let integer = scan.number(at).filter(|digits| digits.len() <= 6)?;
    if let Some((over, under)) = vulgar(scan, at + 1) {
        return Some(Reading::new(mixed(scan, at + 2, integer, over, under), 2));
    }
    let (over, under) = part_after(scan, at + 1)?;
    Some(Reading::new(mixed(scan, at + 4, integer, over, under), 4))
}

/// Removes the repetition if the last word of a named fraction and the next word of the text start with the same
/// characters: 2/3 వంతు is read as మూడింట రెండు వంతులు. The longer word is kept, because it has an ending.
fn without_repeated(scan: &Scan<'_>, fraction: Reading, at: usize) -> Reading {
    let named = scan.data.fraction.named.values().any(|name| *name == fraction.words);
    let next = scan.word(at + fraction.items).filter(|_| named);
    let (Some((before, last)), Some(next)) = (fraction.words.rsplit_once(' '), next) else { return fraction };
    let shared = last.chars().zip(next.chars()).take_while(|(own, other)| own == other).count();
    if shared < SHORTEST_REPEATED {
        return fraction;
    }
    if next.len() > last.len() {
        return Reading { words: before.to_owned(), ..fraction };
    }
    Reading { items: fraction.items + 1, ..fraction }
}

/// Reads the fraction at `after` together with the whole number before it: `3½`, `3 1/2`. The item count of the result
/// excludes the whole number.
pub(crate) fn after_whole(scan: &Scan<'_>, numeral: &Numeral, after: usize) -> Option<Reading> {
    let integer =
        Some(numeral.whole.as_str()).filter(|digits| numeral.decimals.is_none() && digits.len() <= 6)?;
    if let Some((over, under)) = vulgar(scan, after) {
        return Some(Reading::new(mixed(scan, after + 1, integer, over, under), 1));
    }
    let (over, under) = part_after(scan, after)?;
    Some(Reading::new(mixed(scan, after + 3, integer, over, under), 3))
}

/// Returns the parts of the fraction of a mixed number, which is at `at` after a space. The last group of a telephone
/// number is not such a part: 98300 12345 / 46.
fn part_after<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    parts(scan, at).filter(|(over, _)| scan.spaced(at) && over.len() <= LONGEST_SHORT_PART)
}

/// Returns whether a number and the sign of a fraction are at `at`: `5½`.
pub(crate) fn is_mixed(scan: &Scan<'_>, at: usize) -> bool {
    scan.number(at).is_some() && scan.joined(at + 1) && vulgar(scan, at + 1).is_some()
}

/// Returns the number of stars of a rating that ends in the fraction at `at`: ★★★½ is read as three and a half.
fn stars_before(scan: &Scan<'_>, at: usize) -> usize {
    let is_star = |place: &usize| scan.is_sign(*place, '★') && scan.joined(place + 1);
    (0..at).rev().take_while(is_star).count()
}

/// Returns whether the word at `at` is an ordinal suffix: the `th` of `1/4th` or the `ths` of `2/5ths`.
fn is_suffix(scan: &Scan<'_>, at: usize) -> bool {
    let singular = |word: &str| ordinal::is_suffix(scan, word);
    scan.word(at).is_some_and(|word| singular(word) || word.strip_suffix('s').is_some_and(singular))
}

/// Returns the parts of a fraction `a/b` at `at` that is not part of a date or an address.
fn parts<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let over = scan.number(at)?;
    let under = scan
        .number(at + 2)
        .filter(|_| scan.is_sign(at + 1, '/') && scan.spaced(at + 1) == scan.spaced(at + 2))?;
    let longer =
        matches!(scan.sign(at + 3), Some('/')) && scan.joined(at + 3) && scan.number(at + 4).is_some();
    let following = at > 0 && scan.joined(at) && scan.is_sign(at - 1, '/');
    // a year next to a hyphen is part of a file number: F. No. 12-7/2025-Estt.
    let hyphen = |place: usize| scan.is_sign(place, '-') && scan.joined(place) && scan.joined(place + 1);
    let is_year = under.len() == 4 && (under.starts_with("19") || under.starts_with("20"));
    let filed = is_year && (at > 0 && hyphen(at - 1) || hyphen(at + 3));
    // two telephone numbers are not a fraction: 1912 / 080-22954417
    let called = under.starts_with('0')
        || over.len().max(under.len()) > LONGEST_PART
        || over.len().min(under.len()) > LONGEST_SHORT_PART;
    (!longer && !following && !filed && !called).then_some((over, under))
}

fn vulgar(scan: &Scan<'_>, at: usize) -> Option<(&'static str, &'static str)> {
    match scan.sign(at)? {
        '½' => Some(("1", "2")),
        '¼' => Some(("1", "4")),
        '¾' => Some(("3", "4")),
        '⅓' => Some(("1", "3")),
        '⅔' => Some(("2", "3")),
        '⅕' => Some(("1", "5")),
        '⅛' => Some(("1", "8")),
        '⅜' => Some(("3", "8")),
        '⅝' => Some(("5", "8")),
        '⅞' => Some(("7", "8")),
        _ => None,
    }
}

/// Returns the words of a fraction without a whole number. The numbers may also be a serial number with a year, a
/// division or a ratio.
fn alone(scan: &Scan<'_>, at: usize, over: &str, under: &str) -> String {
    let number = &scan.data.number;
    let words = |digits: &str| number::plain_cardinal(number, digits, System::Indian);
    let values = over.parse::<u128>().ok().zip(under.parse::<u128>().ok());
    let joined_by = |sign: char, last: String| {
        let sign = scan.data.symbols.get(&sign).map_or("", String::as_str);
        format!("{} {sign} {last}", words(over))
    };
    // a serial number has its year after the slash: `No. 123/2023`
    let numbered = at > 0 && (scan.is_word(at - 1) || scan.is_sign(at - 1, '.'));
    if numbered && under.len() == 4 && values.is_some_and(|(_, under)| (1950..2100).contains(&under)) {
        return joined_by('/', number::year(scan.data, under));
    }
    let divides = values.is_some_and(|(over, under)| under > 1 && over > under && over % under == 0);
    if divides && (at..at + 6).any(|place| scan.is_sign(place, '=')) {
        return joined_by('÷', words(under));
    }
    // 120/80 and 80/20 are not fractions
    if let (Some((over_value, under_value)), true) = (values, !scan.data.fraction.denominators.is_empty())
        && under_value >= 10
        && over_value >= under_value
    {
        return if over_value + under_value == 100 {
            format!("{} {}", words(over), words(under))
        } else {
            format!("{} {} {}", words(over), scan.data.fraction.over, words(under))
        };
    }
    proper(scan, at + 3, over, under)
}

/// Returns the words of a fraction that ends before `end`. One half has a separate form if no noun follows.
fn proper(scan: &Scan<'_>, end: usize, over: &str, under: &str) -> String {
    let before_noun = scan.spaced(end) && scan.is_word(end);
    let forms = match (over, under) {
        ("1", "2") => Some(&scan.data.fraction.half_of),
        ("1", "4") => Some(&scan.data.fraction.quarter_of),
        ("3", "4") => Some(&scan.data.fraction.three_quarters_of),
        _ => None,
    };
    if let Some(form) = forms.filter(|_| before_noun).and_then(|forms| form_of(scan, end, forms)) {
        return form;
    }
    match &scan.data.fraction.half_alone {
        Some(half) if (over, under) == ("1", "2") && !before_noun => half.clone(),
        _ => simple(scan, over, under),
    }
}

/// Returns the form of a fraction before the noun at `at`, if the form depends on the noun: અડધી ચમચી.
fn form_of(scan: &Scan<'_>, at: usize, forms: &Table<String, Vec<String>>) -> Option<String> {
    let noun = scan.word(at)?;
    let begins = |stems: &Vec<String>| stems.iter().any(|stem| noun.starts_with(stem.as_str()));
    forms.iter().find(|(_, stems)| begins(stems)).map(|(form, _)| form.clone())
}

fn simple(scan: &Scan<'_>, over: &str, under: &str) -> String {
    let fraction = &scan.data.fraction;
    if let Some(name) = fraction.named.get(&format!("{over}/{under}")) {
        return name.clone();
    }
    let number = &scan.data.number;
    let above = number::plain_cardinal(number, over, System::Indian);
    let one = over == "1";
    if let Some((single, many)) = fraction.denominators.get(under) {
        return format!("{above} {}", if one { single } else { many });
    }
    // a language with names for some denominators derives the others from ordinals
    if !fraction.denominators.is_empty() && !matches!(under, "0" | "1") && !under.starts_with('0') {
        return format!("{above} {}{}", ordinal::plain(scan, under), if one { "" } else { "s" });
    }
    format!("{above} {} {}", fraction.over, number::plain_cardinal(number, under, System::Indian))
}

/// Returns the words of a whole number and a fraction that end before `end`.
fn mixed(scan: &Scan<'_>, end: usize, integer: &str, over: &str, under: &str) -> String {
    let fraction = &scan.data.fraction;
    let number = &scan.data.number;
    let value: u128 = integer.parse().unwrap_or(0);
    let quarters = match (over, under) {
        ("1", "4") => 1,
        ("1", "2") => 2,
        ("3", "4") => 3,
        _ => 0,
    };
    let and = |part: &str| {
        format!("{} {} {part}", number::plain_cardinal(number, integer, System::Indian), fraction.and)
    };
    // before a noun, one and a quarter is read as सवा without a number (सवा कप), and otherwise as सवा एक
    let counting = scan.spaced(end) && scan.word(end).is_some_and(|noun| !scan.is_function(noun));
    in_quarters(scan, value, quarters, counting && value > 0).unwrap_or_else(|| match &fraction.half_after {
        Some(half) if quarters == 2 => and(half),
        _ => and(&simple(scan, over, under)),
    })
}

/// Returns a whole number plus a number of quarters in counting words: डेढ़, साढ़े तीन, सवा दो, पौने चार. Returns
/// `None` if the language has no such words. If `counting` is true, a noun follows, and one and a quarter is सवा
/// without a number.
pub(crate) fn in_quarters(scan: &Scan<'_>, integer: u128, quarters: u8, counting: bool) -> Option<String> {
    let fraction = &scan.data.fraction;
    if integer >= MAX_WITH_QUARTERS {
        return None;
    }
    let (own, before) = match quarters {
        1 => (&fraction.quarters, &fraction.quarter_before),
        2 => (&fraction.halves, &fraction.half_before),
        3 => (&fraction.three_quarters, &fraction.three_quarters_before),
        _ => return None,
    };
    // whole numbers below one hundred fit any integer type
    if let Some(word) = own.get(integer as usize).filter(|_| integer > 0) {
        return Some(word.clone());
    }
    let before = before.as_ref()?;
    let counted = if quarters == 3 { integer + 1 } else { integer };
    match (counting, integer, quarters) {
        (true, 1, 1) => Some(before.clone()),
        (true, 0, 2) => fraction.halves.first().cloned(),
        (true, 0, _) | (_, 0, 1 | 2) => None,
        _ => Some(format!("{before} {}", number::words(&scan.data.number, counted, System::Indian))),
    }
}

/// Returns the number of quarters in the decimals of a number: 2 for `3.5` and `3.50`.
pub(crate) fn quarters(numeral: &Numeral) -> Option<u8> {
    match numeral.decimals.as_deref()? {
        "25" => Some(1),
        "5" | "50" => Some(2),
        "75" => Some(3),
        _ => None,
    }
}

/// Returns a decimal number in the form used before a noun: डेढ़ for 1.5, पौने तीन for 2.75.
pub(crate) fn counted(scan: &Scan<'_>, numeral: &Numeral) -> Option<String> {
    in_quarters(scan, numeral.whole.parse().ok()?, quarters(numeral)?, true)
}

/// Returns the result of [`counted`] for 1.5 and 2.5, and `None` otherwise.
pub(crate) fn counted_half(scan: &Scan<'_>, numeral: &Numeral) -> Option<String> {
    let small = matches!(numeral.whole.as_str(), "1" | "2");
    let half = quarters(numeral) == Some(2) && numeral.decimals.as_deref() == Some("5");
    (small && half).then(|| counted(scan, numeral)).flatten()
}
