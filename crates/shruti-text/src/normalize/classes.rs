//! The classes of written forms, in the order in which they are tried.

use super::number;
use super::numeral::{self, Numeral};
use super::scan::{Reading, Scan};
use super::{
    abbreviation, date, electronic, fraction, letters, measure, money, ordinal, range, signs, telephone,
    tokens,
};
use crate::chars::is_mark;
use crate::class::Class;
use crate::foreign::{self, Foreign};
use crate::item::Kind;
use crate::script::Script;
use shruti_protocol::Language;

/// What begins at `at`, in words; `None` for a sign that says nothing.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let listed = || tokens::read(scan, at).map(|token| with_ending(scan, at, token.of(Class::Code)));
    let abbreviation = || abbreviation::read(scan, at).map(|said| said.of(Class::Abbreviation));
    if let Some(special) = electronic::read(scan, at).or_else(listed).or_else(abbreviation) {
        return Some(special);
    }
    if let Some(number) = number_class(scan, at) {
        return Some(with_ending(scan, at, number));
    }
    if let Some(spelt) = letters::read(scan, at) {
        return Some(with_ending(scan, at, spelt));
    }
    match scan.item(at)?.kind {
        Kind::Word(Some(_)) => Some(Reading::new(scan.item(at)?.text.clone(), 1)),
        Kind::Word(None) => foreign_word(scan, at),
        Kind::Power => signs::power(scan, at).map(|power| power.of(Class::Sign)),
        // an ending may follow the sign as it follows a number: 50%க்கு
        Kind::Sign('%') => sign(scan, at, '%').map(|percent| with_ending(scan, at, percent)),
        Kind::Sign(c) => sign(scan, at, c),
        // a number that no class took: digits that a longer form ended in
        Kind::Number => {
            Some(Reading::new(number::one_by_one(&scan.data.number, scan.number(at)?), 1).of(Class::Digits))
        }
    }
}

fn sign(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    signs::read(scan, at, c).map(|name| name.of(Class::Sign))
}

/// A word in letters of none of the languages; one letter may stand for a sign: π.
fn foreign_word(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Some(name) = scan.data.symbols.get(&letter)
    {
        return Some(Reading::new(name.clone(), 1).of(Class::Sign));
    }
    let (words, language) = match foreign::read(word)? {
        Foreign::English(words) => (words, Language::English),
        Foreign::Romanised(words) => (words, scan.language),
    };
    Some(Reading { language: Some(language), ..Reading::new(words, 1).of(Class::Foreign) })
}

/// The classes that begin with a number or with a sign that belongs to one.
fn number_class(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let of = |class: Class| move |reading: Reading| reading.of(class);
    letters::code(scan, at)
        .map(of(Class::Code))
        .or_else(|| telephone::unmistakable(scan, at).map(of(Class::Telephone)))
        .or_else(|| date::read(scan, at).map(of(Class::Date)))
        .or_else(|| range::of_times(scan, at).map(of(Class::Time)))
        .or_else(|| range::ratio(scan, at).map(of(Class::Ratio)))
        .or_else(|| telephone::read(scan, at))
        .or_else(|| money::read(scan, at).map(of(Class::Money)))
        .or_else(|| range::of_fractions(scan, at))
        .or_else(|| version(scan, at).map(of(Class::Version)))
        .or_else(|| range::read(scan, at).map(of(Class::Range)))
        .or_else(|| dimensions(scan, at).map(of(Class::Dimensions)))
        .or_else(|| numeric(scan, at))
        .or_else(|| number_sign(scan, at).map(of(Class::Cardinal)))
}

/// The classes that may follow a minus.
pub(super) fn numeric(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mixed = scan.number(at + 1).is_some() && scan.is_sign(at + 2, '/');
    let vulgar = matches!(scan.sign(at + 1), Some('½' | '¼' | '¾'));
    let fractional = mixed || vulgar || scan.is_sign(at + 1, '/');
    let fraction = fractional.then(|| fraction(scan, at)).flatten();
    fraction
        .or_else(|| ordinal::read(scan, at).map(|ordinal| ordinal.of(Class::Ordinal)))
        .or_else(|| measure::read(scan, at).map(|measured| measured.of(Class::Measure)))
        .or_else(|| plain_number(scan, at))
}

pub(super) fn fraction(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    fraction::read(scan, at).map(|fraction| fraction.of(Class::Fraction))
}

fn plain_number(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let said = numeral::read(scan, at)?;
    // what follows a minus has its class already
    if said.class != Class::Word {
        return Some(said);
    }
    let decimals = Numeral::read(scan, at).is_some_and(|numeral| numeral.decimals.is_some());
    Some(said.of(if decimals { Class::Decimal } else { Class::Cardinal }))
}

/// `200x10`, `2 × 3`.
fn dimensions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    let times = at + first.items;
    let cross = scan.latin(times).is_some_and(|word| matches!(word, "x" | "X")) || scan.is_sign(times, '×');
    if !cross || scan.spaced(times) != scan.spaced(times + 1) || is_product(scan, times) {
        return None;
    }
    let rest = dimensions(scan, times + 1).or_else(|| numeric(scan, times + 1))?;
    let words = format!("{} {} {}", first.words(scan), scan.data.number.by, rest.words);
    Some(Reading::new(words, first.items + 1 + rest.items))
}

/// Whether a cross multiplies: an equation stands around it, or a power behind it, 3 × 10⁸.
fn is_product(scan: &Scan<'_>, times: usize) -> bool {
    let near = times.saturating_sub(4)..times + 5;
    let equation = near.into_iter().any(|place| scan.is_sign(place, '='));
    scan.is_sign(times, '×') && (equation || scan.power(times + 2).is_some())
}

/// `1.2.3`.
fn version(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mut said = vec![number::plain_cardinal(&scan.data.number, scan.number(at)?, number::System::Indian)];
    let mut end = at + 1;
    while scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) {
        let Some(digits) = scan.number(end + 1) else { break };
        said.push(number::plain_cardinal(&scan.data.number, digits, number::System::Indian));
        end += 2;
    }
    (said.len() > 2).then(|| Reading::new(said.join(&format!(" {} ", scan.data.electronic.dot)), end - at))
}

/// `#5`.
fn number_sign(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let sign = matches!(scan.sign(at), Some('#' | '№')) && scan.joined(at + 1);
    let digits = || telephone::read(scan, at + 1).filter(|_| sign);
    let number = || Numeral::read(scan, at + 1).filter(|_| sign);
    let (words, items) = digits()
        .map(|said| (said.words, said.items))
        .or_else(|| number().map(|n| (n.words(scan), n.items)))?;
    Some(Reading::new(format!("{} {words}", scan.data.number.number_sign), items + 1))
}

/// A case ending of the language directly behind digits or letters: `10ರಂದು`, `3 PM-க்கு`, `৫টি`.
pub(super) fn with_ending(scan: &Scan<'_>, at: usize, reading: Reading) -> Reading {
    let mut next = at + reading.items;
    let hyphen = matches!(scan.sign(next), Some('-' | '–')) && scan.joined(next) && scan.joined(next + 1);
    next += usize::from(hyphen);
    let apart = scan.spaced(next) && !hyphen;
    if apart && !is_ending_apart(scan, next) || scan.spaced(next) && hyphen || next >= scan.items.len() {
        return reading;
    }
    let own = scan.script();
    if scan.data.number.endings.apart {
        return reading;
    }
    let Some(item) = scan.item(next) else { return reading };
    let native = own != Script::Latin && item.kind == Kind::Word(Some(own));
    let last = reading.words.chars().next_back();
    let same_script = last.is_some_and(|c| Script::of(c) == Some(own));
    // a hyphen joins whole words too, and those are longer than endings
    let ending = native
        && same_script
        && (!hyphen || item.text.chars().count() <= 5)
        && !is_whole_word(scan, &item.text);
    if !ending {
        return reading;
    }
    let begins_with_vowel = item.text.chars().next().is_some_and(is_mark);
    let drop: &[String] = if begins_with_vowel { &scan.data.number.endings.drop } else { &[] };
    let words = number::with_ending(&scan.data.number, &reading.words, &item.text, drop);
    Reading { words, items: next + 1 - at, ..reading }
}

/// Endings that may stand apart from their number, since they are no words: `3 ಕ್ಕೆ`, `24 ന്`.
fn is_ending_apart(scan: &Scan<'_>, at: usize) -> bool {
    let joints = &scan.data.number.endings.joints;
    scan.word(at).is_some_and(|word| joints.iter().any(|(_, start, _)| start == word))
}

/// Words that follow a number without a space but are no endings: `5लाख`, `10बजे`.
fn is_whole_word(scan: &Scan<'_>, word: &str) -> bool {
    let data = scan.data;
    // the টা of দশটা is joined to the hour
    let joins_hour = data.time.oclock.split_once("{hour}").is_some_and(|(_, suffix)| {
        !suffix.is_empty() && !suffix.starts_with(' ') && word.starts_with(suffix)
    });
    data.number.multipliers.contains_key(word)
        || data.units.words.contains_key(word)
        || !joins_hour && data.time.oclock_words.iter().any(|known| known == word)
        || word.chars().count() > 6
}
