//! Readings and languages that markup prescribes.

use std::ops::Range;
use std::sync::Arc;

use shruti_lang::Language;

use crate::class::Class;
use crate::language;
use crate::latin;
use crate::lexicon::Lexicon;
use crate::normalize::forms::numeric;
use crate::normalize::identifier::telephone;
use crate::normalize::number::numeral::{Numeral, is_minus};
use crate::normalize::number::{self, System};
use crate::normalize::number::{ordinal, roman};
use crate::normalize::quantity::{measure, money};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::time::Clock;
use crate::normalize::{SpokenWord, date, normalize_scan, spelling, spoken};
use crate::script::Script;
use crate::segment::Segment;
use crate::ssml::{self, DateOrder, SayAs};

/// Returns the words of the element that starts with the item at `at`, and its number of items.
pub(crate) fn words(
    segment: &Segment,
    scan: &Scan<'_>,
    at: usize,
    lexicon: &Lexicon,
) -> Option<(Vec<SpokenWord>, usize)> {
    if segment.text.marked.is_empty() {
        return None;
    }
    let reading = reading_at(segment, scan, at)?;
    let is_same =
        |&next: &usize| reading_at(segment, scan, next).is_some_and(|other| Arc::ptr_eq(other, reading));
    let count = 1 + (at + 1..scan.items.len()).take_while(is_same).count();
    let words = match reading.as_ref() {
        ssml::Reading::Phones(phones) => {
            let written = scan.raw(at, at + count);
            vec![SpokenWord {
                phones: Some(phones.clone()),
                ..SpokenWord::new(written, Class::Lexicon, None)
            }]
        }
        ssml::Reading::As(say_as) => {
            let part = part(segment, scan.items[at].start..scan.items[at + count - 1].end);
            let alone = Scan::new(&part, scan.language);
            match read(&alone, *say_as) {
                Some(reading) => spoken(&reading, scan.language, lexicon),
                None => normalize_scan(&part, &alone, lexicon),
            }
        }
    };
    Some((words, count))
}

/// Returns the reading of the element that contains an item.
fn reading_at<'a>(segment: &'a Segment, scan: &Scan<'_>, at: usize) -> Option<&'a Arc<ssml::Reading>> {
    let place = *segment.text.offsets.get(scan.item(at)?.start)?;
    segment.text.marked_at(place)?.reading.as_ref()
}

/// Returns a part of a segment as a segment without markup. The range is in characters.
fn part(segment: &Segment, chars: Range<usize>) -> Segment {
    Segment { text: segment.text.slice(chars), sentence_context: String::new(), ..*segment }
}

/// Reads the text as the type that `say_as` specifies. Returns `None` if the text does not have that form.
fn read(scan: &Scan<'_>, say_as: SayAs) -> Option<Reading> {
    let if_complete = |reading: Reading| Some(reading).filter(|reading| reading.items >= scan.items.len());
    match say_as {
        SayAs::Characters => spelling::one_by_one(scan),
        SayAs::Digits => digits(scan),
        SayAs::Cardinal => cardinal(scan).and_then(if_complete),
        SayAs::Ordinal => nth(scan).and_then(if_complete),
        SayAs::Fraction => fraction(scan),
        SayAs::Unit => {
            measure::read(scan, 0).map(|measured| measured.of(Class::Measure)).and_then(if_complete)
        }
        SayAs::Currency => money::read(scan, 0).map(|amount| amount.of(Class::Money)).and_then(if_complete),
        SayAs::Telephone => telephone::declared(scan),
        SayAs::Date(order) => {
            let as_declared = order.and_then(|order| date::declared(scan, order));
            let as_it_looks = || date::read(scan, 0).and_then(if_complete);
            let usual = || date::declared(scan, DateOrder::DayMonthYear);
            as_declared.or_else(as_it_looks).or_else(usual).map(|date| date.of(Class::Date))
        }
        SayAs::Time => {
            Clock::read(scan, 0).map(|clock| clock.reading(scan, 0).of(Class::Time)).and_then(if_complete)
        }
    }
}

/// Reads numbers digit by digit and keeps words unchanged.
fn digits(scan: &Scan<'_>) -> Option<Reading> {
    let spoken = (0..scan.items.len()).filter_map(|at| {
        let digits = scan.number(at).map(|digits| number::one_by_one(&scan.data.number, digits));
        digits.or_else(|| scan.word(at).map(str::to_owned))
    });
    let words = spoken.collect::<Vec<_>>().join(" ");
    (scan.numbers > 0).then(|| Reading::new(words, scan.items.len()).of(Class::Digits))
}

/// Reads a number as a cardinal, even if it would otherwise be a year or a code. Accepts Roman numerals.
fn cardinal(scan: &Scan<'_>) -> Option<Reading> {
    if is_minus(scan, 0) {
        let numeral = Numeral::read(scan, 1)?;
        let words = format!("{} {}", scan.data.number.minus, value_of(scan, &numeral));
        return Some(Reading::new(words, numeral.items + 1).of(Class::Cardinal));
    }
    if let Some(value) = scan.latin(0).and_then(|word| roman::value_of(&word.to_uppercase())) {
        return Some(
            Reading::new(number::words(&scan.data.number, value, System::Indian), 1).of(Class::Roman),
        );
    }
    let numeral = Numeral::read(scan, 0)?;
    Some(Reading::new(value_of(scan, &numeral), numeral.items).of(Class::Cardinal))
}

fn value_of(scan: &Scan<'_>, numeral: &Numeral) -> String {
    match &numeral.decimals {
        Some(_) => numeral.words(scan),
        None => number::plain_cardinal(&scan.data.number, &numeral.whole, numeral.system()),
    }
}

/// Reads a number, with or without an ordinal suffix, as an ordinal.
fn nth(scan: &Scan<'_>) -> Option<Reading> {
    let suffixed = || ordinal::read(scan, 0);
    let roman = || scan.latin(0).and_then(|word| roman::value_of(&word.to_uppercase()));
    let digits = scan.number(0).map(str::to_owned).or_else(|| Some(roman()?.to_string()));
    let plain = || digits.map(|digits| Reading::new(ordinal::plain(scan, &digits), 1));
    suffixed().or_else(plain).map(|ordinal| ordinal.of(Class::Ordinal))
}

/// Reads a fraction, or a mixed number with a plus sign: `3+1/2`.
fn fraction(scan: &Scan<'_>) -> Option<Reading> {
    let count = scan.items.len();
    let reading = match (scan.number(0), scan.is_sign(1, '+')) {
        (Some(integer), true) => {
            let part = numeric::fraction(scan, 2).filter(|part| part.items + 2 >= count)?;
            let integer = number::plain_cardinal(&scan.data.number, integer, System::Indian);
            let and = scan.data.number.and.as_deref().map(|and| format!(" {and}")).unwrap_or_default();
            Reading { words: format!("{integer}{and} {}", part.words), ..part }
        }
        _ => numeric::fraction(scan, 0).filter(|part| part.items >= count)?,
    };
    Some(Reading { items: count, ..reading })
}

/// Splits a segment into the parts for which markup declares another language and the parts between them. Returns
/// `None` if markup declares no other language.
pub(crate) fn by_language(segment: &Segment, language: Language) -> Option<Vec<(Segment, Option<Language>)>> {
    let text = &segment.text;
    let own = |place: u32| {
        text.marked_at(place).and_then(|marked| marked.style.language).filter(|&own| own != language)
    };
    text.marked.iter().any(|marked| marked.style.language.is_some_and(|own| own != language)).then_some(())?;
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(&first) = text.offsets.get(start) {
        let other = |&place: &u32| own(place) != own(first);
        let end = text.offsets[start..].iter().position(other).map_or(text.offsets.len(), |at| start + at);
        let mut part = part(segment, start..end);
        part.text.marked = text.marked_within(first, text.offsets.get(end).copied());
        parts.push((part, own(first)));
        start = end;
    }
    Some(parts)
}

/// Sets the language of words that markup declares to be in `own`, in a turn whose language is `turn`. English words
/// stay English. Words in a script of `turn` that `own` does not use get the language `turn`.
pub(crate) fn declared(mut words: Vec<SpokenWord>, own: Language, turn: Language) -> Vec<SpokenWord> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let found = latin::identify(&texts, own);
    let script = |language| language::spec(language).script;
    for (word, found) in words.iter_mut().zip(found) {
        let written = word.text.chars().find_map(Script::of).filter(|&written| written != Script::Latin);
        let turns = written.is_some_and(|written| written == script(turn) && written != script(own));
        word.language.get_or_insert(if turns { turn } else { found });
    }
    words
}
