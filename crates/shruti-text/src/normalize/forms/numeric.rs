//! Numbers with fractions, ordinal suffixes, units, multipliers and minus signs.

use crate::akshara::is_virama;
use crate::chars::lowercase;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::item::Kind;
use crate::latin;
use crate::normalize::number::fraction;
use crate::normalize::number::numeral::{Numeral, is_minus, only_sign};
use crate::normalize::number::{self, System};
use crate::normalize::number::{ordinal, span};
use crate::normalize::quantity::currency;
use crate::normalize::quantity::multiplier;
use crate::normalize::quantity::{measure, money, units};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::{self, ending::begins_word};
use crate::script::Script;

/// Reads a number as a fraction, an ordinal, a measure, a rate or a plain number. The number may follow a minus sign.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(hour) = one_oclock(scan, at) {
        return Some(Reading::new(hour, 1).of(Class::Time));
    }
    let mixed = scan.number(at + 1).is_some() && scan.is_sign(at + 2, '/');
    let vulgar = matches!(scan.sign(at + 1), Some('½' | '¼' | '¾'));
    let fractional = mixed || vulgar || scan.is_sign(at + 1, '/');
    let fraction = fractional.then(|| fraction(scan, at)).flatten();
    fraction
        .or_else(|| ordinal::read(scan, at).map(|ordinal| ordinal.of(Class::Ordinal)))
        .or_else(|| measure::read(scan, at).map(|measured| measured.of(Class::Measure)))
        .or_else(|| rate(scan, at))
        .or_else(|| plain_number(scan, at))
}

pub(crate) fn fraction(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // a number that directly follows a slash and a letter of the language is part of the section in a file number, not
    // a fraction: the ஆ2 of 3812/ஆ2/2026
    let in_section = at > 1
        && scan.joined(at)
        && scan.is_word(at - 1)
        && scan.latin(at - 1).is_none()
        && scan.is_sign(at - 2, '/');
    fraction::read(scan, at).filter(|_| !in_section).map(|fraction| fraction.of(Class::Fraction))
}

/// Reads a number per unit: `72/min`.
fn rate(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let numeral = Numeral::read(scan, at)?;
    let slash = at + numeral.items;
    let unit = units::at(scan, slash + 1).filter(|_| scan.is_sign(slash, '/') && scan.joined(slash))?;
    let in_code = measure::is_in_code(scan, slash + 1 + unit.items);
    let long = scan.joined(slash + 1) && !in_code && unit.sign.chars().count() > 1;
    let words = measure::with_per(scan, &numeral.words(scan), &unit.alone());
    long.then(|| Reading::new(words, numeral.items + 1 + unit.items).of(Class::Measure))
}

fn plain_number(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let spoken = plain(scan, at)?;
    // the number after a minus sign already has a class
    if spoken.class != Class::Word {
        return Some(spoken);
    }
    let decimals = Numeral::read(scan, at).is_some_and(|numeral| numeral.decimals.is_some());
    Some(spoken.of(if decimals { Class::Decimal } else { Class::Cardinal }))
}

/// Reads a plain number with a sign, decimals or a multiplier.
fn plain(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if is_minus(scan, at) {
        let positive = read(scan, at + 1)?;
        let words = format!("{} {}", scan.data.number.minus, positive.words);
        return Some(Reading { words, items: positive.items + 1, ..positive });
    }
    let numeral = Numeral::read(scan, at)?;
    let after = at + numeral.items;
    let own = scan.script();
    let counts_at = |place: usize| {
        let romanised =
            || scan.latin(place).is_some_and(|word| latin::is_listed(&lowercase(word), scan.language));
        let own_word = scan.item(place).is_some_and(|next| next.kind == Kind::Word(Some(own)));
        let apart = scan.spaced(place) || scan.word(place).is_some_and(|word| begins_word(scan, word));
        apart && (own_word || own != Script::Latin && romanised())
    };
    let precedes_noun = |place: usize| counts_at(place) && !is_not_counted(scan, place);
    if let Some(counted) = multiplier::with_multiplier(scan, &numeral, after, numeral.system()) {
        let end = after + counted.items;
        let words = if precedes_noun(end) {
            number::oblique(&scan.data.number, counted.words)
        } else {
            counted.words
        };
        return Some(Reading::new(words, end - at));
    }
    if let Some(word) = multiplier::letter(scan, &numeral, after) {
        let quarters = scan.latin(after).filter(|&letter| letter == "L");
        let count = quarters.and_then(|_| fraction::counted(scan, &numeral));
        let count = count.unwrap_or_else(|| numeral.counting(scan, System::Western));
        return Some(Reading::new(format!("{count} {word}"), numeral.items + 1));
    }
    let counts = counts_at(after);
    if let Some(people) = people(scan, &numeral, after).filter(|_| counts) {
        return Some(people);
    }
    if counts && is_currency_name(scan, after) && !currency::is_sign(scan, after) {
        let name = scan.word(after).unwrap_or_default();
        let words = format!("{} {name}", numeral.counting(scan, numeral.system()));
        return Some(Reading::new(words, numeral.items + 1));
    }
    if counts
        && scan.word(after).is_some_and(|word| is_quartered(scan, word))
        && let Some(words) = fraction::counted(scan, &numeral)
    {
        return Some(Reading::new(words, numeral.items));
    }
    // a number may count an English noun (1 tablet), but not after an English word ("Type 1 diabetes")
    let borrowed = own != Script::Latin
        && scan.spaced(after)
        && scan.latin(after).is_some_and(|word| word.len() > 2)
        && at.checked_sub(1).and_then(|before| scan.latin(before)).is_none();
    // before a counted noun, the word for "one" has another form: ஒரு புத்தகம், but not அத்தியாயம் ஒன்று
    if (counts || borrowed) && numeral.is_one() && is_counted(scan, at, after) {
        return Some(Reading::new(numeral.counting(scan, numeral.system()), numeral.items));
    }
    if numeral.decimals.is_none() && !numeral.grouped && is_padded_in_code(scan, at) {
        return Some(Reading::new(number::one_by_one(&scan.data.number, &numeral.whole), numeral.items));
    }
    let words = numeral.words(scan);
    let silent = only_sign(scan, after);
    // a silent /- marks an amount without its currency: 500/-
    if silent > 0 && !currency::is_named(scan, after + silent) {
        let words = money::rupees(scan, &numeral);
        return Some(Reading::new(words, numeral.items + silent).of(Class::Money));
    }
    if numeral.decimals.is_some() {
        return Some(Reading::new(words, numeral.items + silent));
    }
    let words = if precedes_noun(after) { number::oblique(&scan.data.number, words) } else { words };
    let words = if counts && is_counted(scan, at, after) { with_noun(scan, after, words) } else { words };
    Some(Reading::new(words, numeral.items + silent))
}

/// Returns whether the number at `at` starts with a zero and follows capitals and a slash: the 07 of `EE/07`.
fn is_padded_in_code(scan: &Scan<'_>, at: usize) -> bool {
    let padded = scan.number(at).is_some_and(|digits| digits.len() > 1 && digits.starts_with('0'));
    padded
        && at > 1
        && scan.is_sign(at - 1, '/')
        && scan.joined(at)
        && scan.joined(at - 1)
        && scan.latin(at - 2).is_some_and(spelling::is_capitals)
}

/// Final signs and letters of unit names that change before an ending: സെന്റ്, സെന്റിൽ; லிட்டர், லிட்டரில்; மாதம்,
/// மாதத்தில்; മണിക്കൂർ, മണിക്കൂറിൽ.
const CHANGE_BEFORE_ENDING: [char; 9] = ['ு', 'ు', 'ು', 'ം', 'ம', 'ർ', 'ൽ', 'ൺ', 'ൻ'];
/// Minimum length of the stem of a unit, in characters.
const SHORTEST_UNIT: usize = 3;
/// Maximum length of the ending of a unit, in characters.
const LONGEST_ENDING: usize = 12;

/// Returns whether a word is a unit that is counted in quarters. If the language joins endings to words, the word may
/// have an ending: സെന്റിൽ.
fn is_quartered(scan: &Scan<'_>, word: &str) -> bool {
    let inflected = |known: &str| {
        let stem = known.trim_end_matches(|c: char| is_virama(c) || CHANGE_BEFORE_ENDING.contains(&c));
        let ending = word.strip_prefix(stem).map_or(0, |ending| ending.chars().count());
        !known.is_ascii()
            && !known.contains('.')
            && stem.chars().count() >= SHORTEST_UNIT
            && (1..=LONGEST_ENDING).contains(&ending)
    };
    let joins_endings = !scan.data.number.endings.linked.is_empty() && !scan.has_case();
    let units = &scan.data.units.quartered;
    units.iter().any(|known| known == word) || joins_endings && units.iter().any(|known| inflected(known))
}

/// Returns whether the number at `at` is a count of the word at `after`, and is not a chapter number or the start of a
/// range.
fn is_counted(scan: &Scan<'_>, at: usize, after: usize) -> bool {
    let noun = !scan.word(after).is_some_and(|word| scan.is_function(word)) && !is_not_counted(scan, after);
    // a number that is joined to a preceding word, hyphen or plus sign is not a count of the next word: the dose 1-0-1,
    // the offer 2+1, ఎల్1
    let in_row =
        at > 0 && scan.joined(at) && (scan.is_word(at - 1) || matches!(scan.sign(at - 1), Some('-' | '+')));
    // a number after the word for "number" is not a count of the next word: నెం.1 స్థానం
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.'));
    let numbered = at > dot && scan.names(at - 1 - dot).has(Kinds::NUMBER);
    noun && !in_row && !numbered && !is_label(scan, at) && !span::is_repeated_after(scan, after)
}

/// Returns whether the word at `at` never forms a noun phrase with a preceding number, for example because it is a
/// verb: 1500 రాలేదు.
fn is_not_counted(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.number.not_counted.has(word))
}

/// Returns the form of the word for "one" before the word for the hour, if the two words are a time: ఒంటి గంటకు.
fn one_oclock<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let one = scan.number(at) == Some("1") && scan.spaced(at + 1) && is_hour(scan, at + 1);
    scan.data.time.hours.get("1").filter(|_| one).map(String::as_str)
}

/// Returns whether the word at `at` is the word for the hour, with an ending that only times take (1 గంటకు) or without
/// an ending before a range word.
fn is_hour(scan: &Scan<'_>, at: usize) -> bool {
    let time = &scan.data.time;
    let Some(word) = scan.word(at) else { return false };
    let ending = time.oclock_stems.iter().find_map(|stem| word.strip_prefix(stem.as_str()));
    ending.is_some_and(|ending| {
        time.dotted_endings.contains(ending) || ending.is_empty() && scan.is_one_of(&time.span_words, at + 1)
    })
}

/// Returns a number in the form used before a counted noun, if such a noun is at `after`. Before other words, such as
/// verbs, the number is unchanged: வயது 21 ஆகிறது.
fn with_noun(scan: &Scan<'_>, after: usize, words: String) -> String {
    let number = &scan.data.number;
    let noun = scan.word(after).is_some_and(|word| number.counted.iter().any(|part| is_part(word, part)));
    if noun { number::with_noun(number, words) } else { words }
}

/// Returns whether a word contains `part`, ends in it if `part` begins with a hyphen, or starts with it if `part` ends in
/// a hyphen.
fn is_part(word: &str, part: &str) -> bool {
    match (part.strip_prefix('-'), part.strip_suffix('-')) {
        (Some(ending), _) => word.ends_with(ending),
        (_, Some(start)) => word.starts_with(start),
        _ => word.contains(part),
    }
}

/// Reads a number of people, if the language has separate words for it: ఇద్దరు for 2 మంది.
fn people(scan: &Scan<'_>, numeral: &Numeral, after: usize) -> Option<Reading> {
    let people = scan.data.number.people.as_ref()?;
    let ending = scan.word(after)?.strip_prefix(people.noun.as_str())?;
    let form = people.forms.get(&numeral.whole).filter(|_| numeral.decimals.is_none())?;
    let (last, joining) = &people.before_ending;
    let words = match form.strip_suffix(last.as_str()) {
        Some(stem) if !ending.is_empty() => format!("{stem}{joining}{ending}"),
        _ => format!("{form}{ending}"),
    };
    Some(Reading::new(words, numeral.items + 1))
}

/// Returns whether the word before `at` is identified by the number after it, such as "chapter" or "part".
fn is_label(scan: &Scan<'_>, at: usize) -> bool {
    let labels = |word: &str| {
        let lower = word.to_lowercase();
        let context = &scan.data.context;
        context.roman.contains(&lower)
            || context.labels.contains(&lower)
            || scan.data.number.number_sign == lower
    };
    at > 0 && scan.word(at - 1).is_some_and(labels)
}

/// Returns whether a currency name is at `at`: 1 രൂപ.
fn is_currency_name(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.money.currency(word, false).is_some())
}
