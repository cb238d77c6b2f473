//! Classes of written forms, in the order in which they are tried.

use crate::class::Class;
use crate::foreign;
use crate::item::Kind;
use crate::normalize::abbreviation::address_label;
use crate::normalize::forms::{cricket, decision, file_number, match_minute, scripture, times};
use crate::normalize::letters::{blood, code, roman, tokens};
use crate::normalize::quantity::{measure, power};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::signs::electronic;
use crate::normalize::spelling::ending::{self, with_ending};
use crate::normalize::{abbreviation, chat, date, letters, number, signs, time};
use shruti_lang::Language;

/// Reads the written form at `at`. Returns `None` for a sign that is not spoken.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let listed = || tokens::read(scan, at).map(|token| with_ending(scan, at, token.of(Class::Code)));
    let per = || {
        let unit = measure::after_per(scan, at).or_else(|| measure::in_brackets(scan, at))?;
        Some(unit.of(Class::Measure))
    };
    let amount =
        || measure::after_amount(scan, at).map(|unit| with_ending(scan, at, unit.of(Class::Measure)));
    let hour = || time::before_hour(scan, at).map(|hour| hour.of(Class::Time));
    let label = || address_label::read(scan, at).map(|label| label.of(Class::Abbreviation));
    let roman = || roman::listed(scan, at).map(|item| item.of(Class::Roman));
    let dismissal = || cricket::read(scan, at).map(|words| words.of(Class::Abbreviation));
    let abbreviation = || {
        let said = abbreviation::read(scan, at)?;
        Some(ending::on_abbreviation(scan, at, said).of(Class::Abbreviation))
    };
    let calendar = || {
        let names = date::in_short(scan, at)?;
        Some(ending::on_abbreviation(scan, at, names).of(Class::Date))
    };
    let chat = || chat::read(scan, at);
    let dated = || scan.number(at).is_some() && date::is_dotted(scan, at);
    let address =
        || electronic::read(scan, at).filter(|_| !dated()).map(|address| with_ending(scan, at, address));
    if let Some(special) = address()
        .or_else(listed)
        .or_else(per)
        .or_else(amount)
        .or_else(hour)
        .or_else(label)
        .or_else(roman)
        .or_else(calendar)
        .or_else(dismissal)
        .or_else(abbreviation)
        .or_else(chat)
    {
        return Some(special);
    }
    if let Some(times) = times::read(scan, at) {
        return Some(times.of(Class::Sign));
    }
    if let Some(time) = time::before_minutes(scan, at) {
        return Some(time);
    }
    if let Some(number) = number_class(scan, at) {
        return Some(with_ending(scan, at, number));
    }
    if let Some(in_brackets) = ending::on_bracket(scan, at).or_else(|| time::after_hour(scan, at)) {
        return Some(in_brackets);
    }
    let blood = || blood::read(scan, at).map(|group| group.of(Class::Letters));
    if let Some(spelt) = blood().or_else(|| letters::read(scan, at)) {
        return Some(with_ending(scan, at, spelt));
    }
    match scan.item(at)?.kind {
        Kind::Word(Some(_)) => ending::on_latin_word(scan, at)
            .or_else(|| ending::on_own_word(scan, at))
            .or_else(|| Some(Reading::new(scan.item(at)?.text.clone(), 1))),
        Kind::Word(None) => foreign_word(scan, at),
        Kind::Power => power::read(scan, at).map(|power| power.of(Class::Sign)),
        // an ending may follow the sign, as it may follow a number: 50%க்கு
        Kind::Sign('%') => sign(scan, at, '%').map(|percent| with_ending(scan, at, percent)),
        Kind::Sign(c) => sign(scan, at, c),
        // no class accepted the number, because it is the end of a longer form: read its digits
        Kind::Number => {
            Some(Reading::new(number::one_by_one(&scan.data.number, scan.number(at)?), 1).of(Class::Digits))
        }
    }
}

fn sign(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    signs::read(scan, at, c).map(|name| name.of(Class::Sign))
}

/// Reads a word in a script that no supported language uses. A single letter may be a symbol with a name: π.
fn foreign_word(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Some(name) = scan.data.symbols.get(&letter)
    {
        return Some(Reading::new(name.clone(), 1).of(Class::Sign));
    }
    let words = foreign::read(word)?;
    Some(Reading { language: Some(Language::English), ..Reading::new(words, 1).of(Class::Foreign) })
}

/// Tries the classes that start with a number or with a sign that belongs to a number.
fn number_class(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    code::read(scan, at)
        .map(|code| code.of(Class::Code))
        .or_else(|| file_number::of_office(scan, at))
        .or_else(|| match_minute::read(scan, at).map(|minute| minute.of(Class::Ordinal)))
        .or_else(|| scripture::read(scan, at).map(|verse| verse.of(Class::Ratio)))
        .or_else(|| decision::best_reading(scan, at))
}
