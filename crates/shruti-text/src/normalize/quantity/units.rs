//! Names of units: listed units, their multiples (`kPa`, `dL`), and their squares and cubes (`mm²`).

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

use crate::data::{UnitWord, Units, without_dots};
use crate::item::Kind;
use crate::normalize::number;
use crate::normalize::scan::{MAX_ABBREVIATION, Scan};
use crate::normalize::spelling::ending;
use crate::script::Script;

/// Maximum number of items of a unit: `ച.കി.മീ.`.
const MAX_ITEMS: usize = 6;

/// Maximum length of an ending that is joined to a unit, in characters.
const LONGEST_ENDING: usize = 4;

/// Unit that was found in the text.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Written form, as listed in the tables.
    pub(crate) sign: String,
    /// Singular name; `many` is the plural. `{n}` is the placeholder for the number.
    one: String,
    many: String,
    /// Number of items.
    pub(crate) items: usize,
}

impl Unit {
    /// Returns the same unit with another name.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { one: name.to_owned(), many: name.to_owned(), ..self }
    }

    /// Returns the singular or plural name.
    pub(crate) fn name(&self, one: bool) -> &str {
        if one { &self.one } else { &self.many }
    }

    /// Returns the name without a number.
    pub(crate) fn alone(&self) -> String {
        self.one.replace("{n}", "").trim().to_owned()
    }

    /// Returns the name with its number.
    pub(crate) fn counted(&self, count: &str, one: bool) -> String {
        count_of(count, self.name(one))
    }
}

/// Returns a number and the name of a unit, in the order of the language.
pub(crate) fn count_of(count: &str, name: &str) -> String {
    if name.contains("{n}") { name.replace("{n}", count) } else { format!("{count} {name}") }
}

/// Returns the singular and plural names of a listed unit.
pub(crate) fn names(word: &UnitWord) -> (&str, &str) {
    match word {
        UnitWord::Same(name) => (name, name),
        UnitWord::Both(one, many) => (one, many),
    }
}

/// Returns the unit at `at`. The word for "square" or "cubic" may precede it: `சதுர கி.மீ.`
pub(crate) fn at(scan: &Scan<'_>, at: usize) -> Option<Unit> {
    listed(scan, at).or_else(|| raised(scan, at)).or_else(|| compound(scan, at))
}

/// Returns a unit in one word with the word for "square" or "cubic": `বর্গসেমি`, `वर्गकिमी`.
fn compound(scan: &Scan<'_>, at: usize) -> Option<Unit> {
    let units = &scan.data.units;
    // ASCII words are not split: English writes the unit as a separate word, and "squared" is not a square day (d)
    let word = scan.word(at).filter(|word| !word.is_ascii())?;
    [&units.square, &units.cubic].into_iter().find_map(|pattern| {
        let base = word.strip_prefix(pattern.strip_suffix("{unit}")?.trim_end())?;
        let (one, many) = names(units.words.get(base).filter(|word| !names(word).1.contains("{n}"))?);
        let of = |name: &str| pattern.replace("{unit}", name);
        Some(Unit { sign: word.to_owned(), one: of(one), many: of(many), items: 1 })
    })
}

/// Returns a unit after the word for "square" or "cubic".
fn raised(scan: &Scan<'_>, at: usize) -> Option<Unit> {
    let units = &scan.data.units;
    let raises = |pattern: &&String| {
        let word = pattern.strip_suffix("{unit}").map(str::trim_end);
        word.is_some_and(|word| !word.is_empty() && scan.word(at) == Some(word))
    };
    // "square" and "cubic" may be abbreviated: sq. cm, cu mm
    let short = |word: &str| scan.latin(at).is_some_and(|latin| latin.eq_ignore_ascii_case(word));
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let (pattern, dot) = if short("sq") {
        (&units.square, dot)
    } else if short("cu") {
        (&units.cubic, dot)
    } else {
        ([&units.square, &units.cubic].into_iter().find(raises)?, 0)
    };
    let unit_at = at + 1 + dot;
    let unit = listed(scan, unit_at).filter(|unit| scan.spaced(unit_at) && !unit.many.contains("{n}"))?;
    let of = |name: &str| pattern.replace("{unit}", name);
    let (one, many) = (of(&unit.one), of(&unit.many));
    Some(Unit { one, many, items: unit.items + 1 + dot, ..unit })
}

/// Returns whether the items `at..end` are the start of an abbreviation of several words: the గ్రా. of గ్రా.పం.
fn begins_abbreviation(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let last = (at + MAX_ABBREVIATION).min(scan.items.len());
    let mut rest = (end..last).skip_while(|&place| !scan.is_word(place));
    rest.any(|place| scan.data.abbreviations.contains_key(scan.raw(at, place + 1)))
}

fn listed(scan: &Scan<'_>, at: usize) -> Option<Unit> {
    // two dotted capitals are initials, not a unit: 138 N.I. Act
    let is_letter = |at: usize| {
        scan.latin(at).is_some_and(|word| word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase())
    };
    let dotted = scan.is_sign(at + 1, '.') && scan.joined(at + 1) && scan.joined(at + 2);
    // AC in capitals does not mean acres: 2 AC rooms
    if dotted && is_letter(at) && is_letter(at + 2) || scan.latin(at) == Some("AC") {
        return None;
    }
    for items in (1..=MAX_ITEMS).rev() {
        let end = at + items;
        if end > scan.items.len() {
            continue;
        }
        // a unit ends at the end of its token or at a sign
        let last_is_sign = scan.sign(end - 1).is_some();
        let open = scan.joined(end) && !last_is_sign && scan.sign(end).is_none() && !is_ending(scan, end);
        let several_tokens = (at + 1..end).any(|next| scan.spaced(next));
        let raw = scan.raw(at, end);
        if open || several_tokens && items > 4 && !scan.data.units.words.contains_key(raw) {
            continue;
        }
        // a space may follow the degree sign: 10° C
        let sign = if raw.starts_with('°') { Cow::Owned(raw.replace(' ', "")) } else { Cow::Borrowed(raw) };
        if let Some((one, many)) = named(scan, &sign).or_else(|| undotted(scan, &sign)) {
            if begins_abbreviation(scan, at, end) {
                return None;
            }
            return Some(Unit { sign: sign.into_owned(), one, many, items });
        }
        if let Some((one, many)) = hyphened(scan, &sign, end) {
            return Some(Unit { sign: sign.into_owned(), one, many, items });
        }
        if items > 2
            && let Some(unit) = inflected(scan, &sign, items)
        {
            return Some(unit);
        }
        if sign.is_ascii() && sign.len() > 1 {
            let lower = sign.to_lowercase();
            if let Some(word) = scan.data.units.words.get(&lower) {
                let (one, many) = names(word);
                return Some(Unit { sign: lower, one: one.to_owned(), many: many.to_owned(), items });
            }
        }
    }
    None
}

/// Returns the unit with the symbol `sign`, which replaces the written symbol. `items` is the number of items of the
/// written symbol.
pub(crate) fn of_sign(scan: &Scan<'_>, sign: &str, items: usize) -> Option<Unit> {
    let (one, many) = named(scan, sign)?;
    Some(Unit { sign: sign.to_owned(), one, many, items })
}

/// Returns a unit with dots whose last part has an ending of the language: `ચો.ફૂટનું`.
fn inflected(scan: &Scan<'_>, written: &str, items: usize) -> Option<Unit> {
    if written.is_ascii() || !written.contains('.') || written.ends_with('.') {
        return None;
    }
    // ని.లో is the unit ని. with the ending లో, not the unit ని.ల with an ending
    let after_dot = written.rfind('.').map(|dot| written.split_at(dot + 1)).is_some_and(|(sign, ending)| {
        scan.data.units.words.contains_key(sign) && ending::is_listed(scan, ending)
    });
    if after_dot {
        return None;
    }
    let ending_of = |sign: &str| {
        let ending = written.strip_prefix(sign).filter(|_| sign.contains('.') && !sign.ends_with('.'))?;
        // an ending after a hyphen or the last dot is added to the whole measure: കി.മീ-ൽ, ಕಿ.ಮೀ.ಗೆ
        let joined = ending.chars().all(is_of_word) && (1..=LONGEST_ENDING).contains(&ending.chars().count());
        joined.then(|| ending.to_owned())
    };
    let stems = scan.data.units.words.keys().filter_map(|sign| Some((sign, ending_of(sign)?)));
    let (sign, ending) = stems.max_by_key(|(sign, _)| sign.len())?;
    let (one, many) = named(scan, sign)?;
    let inflect = |name: &str| number::with_ending(&scan.data.number, name, &ending, &[]);
    Some(Unit { sign: sign.clone(), one: inflect(&one), many: inflect(&many), items })
}

/// Returns whether an ending of an Indian language follows a Latin unit: `5 kgಗೆ`.
fn is_ending(scan: &Scan<'_>, at: usize) -> bool {
    scan.item(at).is_some_and(|item| matches!(item.kind, Kind::Word(Some(script)) if script != Script::Latin))
}

/// Returns the singular and plural names of the unit with the given symbol.
fn named(scan: &Scan<'_>, sign: &str) -> Option<(String, String)> {
    let units = &scan.data.units;
    let both = |word: &UnitWord| {
        let (one, many) = names(word);
        (one.to_owned(), many.to_owned())
    };
    // m/s2 and m/s^2 stand for m/s²
    let raised = || {
        let base = sign.strip_suffix('2').filter(|base| base.contains('/'))?;
        units.words.get(&format!("{}²", base.strip_suffix('^').unwrap_or(base)))
    };
    if let Some(word) = units.words.get(sign).or_else(raised) {
        return Some(both(word));
    }
    if matches!(sign, "%" | "‰") {
        let name = scan.data.symbols.get(&sign.chars().next()?)?;
        return Some((name.clone(), name.clone()));
    }
    power(units, sign).or_else(|| multiple(units, sign))
}

/// Returns the names of a unit whose dots and spaces differ from the listed form: `कि. मी.`, `மி.லி`, `k.m.`.
fn undotted(scan: &Scan<'_>, sign: &str) -> Option<(String, String)> {
    // a single dot at the end may end the sentence
    if !sign.trim_end_matches('.').contains(['.', ' ']) || !sign.contains('.') {
        return None;
    }
    let (one, many) = names(scan.data.units.undotted.get(&without_dots(sign))?);
    Some((one.to_owned(), many.to_owned()))
}

/// Returns the names of a unit that lacks its dot before a hyphen and an ending: `മീ-ൽ`.
fn hyphened(scan: &Scan<'_>, sign: &str, end: usize) -> Option<(String, String)> {
    let hyphen = scan.is_sign(end, '-') && scan.joined(end) && scan.joined(end + 1);
    let inflected = hyphen && !sign.is_ascii() && !sign.contains('.') && ending::is_dotted(scan, end + 1);
    inflected.then(|| named(scan, &format!("{sign}."))).flatten()
}

/// Returns the names of a square or cubic unit: `mm²`, `ft³`, `m2`, `cm^3`.
fn power(units: &Units, sign: &str) -> Option<(String, String)> {
    let (base, pattern) = if let Some(base) = sign.strip_suffix(['²', '2']) {
        (base, &units.square)
    } else {
        (sign.strip_suffix(['³', '3'])?, &units.cubic)
    };
    // the A3 of a file number has no exponent
    let is_plain = sign.ends_with(['2', '3']) && !base.ends_with('^');
    if is_plain && base.len() == 1 && base.as_bytes()[0].is_ascii_uppercase() {
        return None;
    }
    let base = base.strip_suffix('^').unwrap_or(base);
    // a capital and a digit denote the section of an office: 45/B2/2025
    if base.len() == 1 && base.as_bytes()[0].is_ascii_uppercase() && sign.is_ascii() {
        return None;
    }
    let (one, many) = match units.words.get(base) {
        Some(word) => {
            let (one, many) = names(word);
            (one.to_owned(), many.to_owned())
        }
        // a unit may be spelled out before a superscript digit: गज², but not the section ஆ2 of a file number
        None if !base.is_ascii() && sign.ends_with(['²', '³']) && base.chars().all(is_of_word) => {
            (base.to_owned(), base.to_owned())
        }
        None => multiple(units, base)?,
    };
    let raised = |name: &str| pattern.replace("{unit}", name);
    (!many.contains("{n}")).then(|| (raised(&one), raised(&many)))
}

/// Returns whether `c` is a letter or a mark. Some ancient numerals are letters as well and are excluded.
fn is_of_word(c: char) -> bool {
    is_combining_mark(c) || c.is_alphabetic() && !c.is_numeric()
}

/// Returns the names of a unit with a metric prefix: `kPa`, `dL`, `MΩ`.
fn multiple(units: &Units, sign: &str) -> Option<(String, String)> {
    let base =
        units.prefixed.iter().filter(|base| sign.ends_with(base.as_str())).max_by_key(|base| base.len())?;
    let prefix = units.prefixes.get(sign.strip_suffix(base.as_str())?)?;
    let (one, many) = names(units.words.get(base)?);
    Some((format!("{prefix}{one}"), format!("{prefix}{many}")))
}
