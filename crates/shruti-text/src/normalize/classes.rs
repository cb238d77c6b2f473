//! The classes of written forms, in the order in which they are tried.

use super::ending::with_ending;
use super::number;
use super::numeral::Numeral;
use super::scan::{Reading, Scan};
use super::{
    abbreviation, blood, chat, date, electronic, letters, money, numeric, power, range, scripture, signs,
    slash, telephone, tokens,
};
use crate::class::Class;
use crate::foreign::{self, Foreign};
use crate::item::Kind;
use shruti_protocol::Language;

/// What begins at `at`, in words; `None` for a sign that says nothing.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let listed = || tokens::read(scan, at).map(|token| with_ending(scan, at, token.of(Class::Code)));
    let abbreviation = || abbreviation::read(scan, at).map(|said| said.of(Class::Abbreviation));
    let chat = || chat::read(scan, at);
    let address = || electronic::read(scan, at).map(|address| with_ending(scan, at, address));
    if let Some(special) = address().or_else(listed).or_else(abbreviation).or_else(chat) {
        return Some(special);
    }
    if let Some(number) = number_class(scan, at) {
        return Some(with_ending(scan, at, number));
    }
    let blood = || blood::read(scan, at).map(|group| group.of(Class::Letters));
    if let Some(spelt) = blood().or_else(|| letters::read(scan, at)) {
        return Some(with_ending(scan, at, spelt));
    }
    match scan.item(at)?.kind {
        Kind::Word(Some(_)) => Some(Reading::new(scan.item(at)?.text.clone(), 1)),
        Kind::Word(None) => foreign_word(scan, at),
        Kind::Power => power::read(scan, at).map(|power| power.of(Class::Sign)),
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
        .or_else(|| scripture::read(scan, at).map(of(Class::Ratio)))
        .or_else(|| slash::read(scan, at).map(of(Class::Ratio)))
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
        .or_else(|| numeric::read(scan, at))
        .or_else(|| number_sign(scan, at).map(of(Class::Cardinal)))
}

/// `200x10`, `2 × 3`.
fn dimensions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    let times = at + first.items;
    let cross = scan.latin(times).is_some_and(|word| matches!(word, "x" | "X")) || scan.is_sign(times, '×');
    if !cross || scan.spaced(times) != scan.spaced(times + 1) || is_product(scan, times) {
        return None;
    }
    let rest = dimensions(scan, times + 1).or_else(|| numeric::read(scan, times + 1))?;
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
