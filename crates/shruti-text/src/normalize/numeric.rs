//! Numbers in words with what belongs to them: fractions, ordinals, units, multipliers, a minus before them.

use super::fraction;
use super::multiplier;
use super::number::{self, System};
use super::numeral::{Numeral, is_minus, only_sign};
use super::scan::{Reading, Scan};
use super::{measure, ordinal};
use crate::class::Class;
use crate::item::Kind;

/// The classes that may follow a minus.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    let said = plain(scan, at)?;
    // what follows a minus has its class already
    if said.class != Class::Word {
        return Some(said);
    }
    let decimals = Numeral::read(scan, at).is_some_and(|numeral| numeral.decimals.is_some());
    Some(said.of(if decimals { Class::Decimal } else { Class::Cardinal }))
}

/// A plain number, with a sign, decimals or a multiplier.
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
        scan.spaced(place) && scan.item(place).is_some_and(|next| next.kind == Kind::Word(Some(own)))
    };
    if let Some(counted) = multiplier::with_multiplier(scan, &numeral, after, numeral.system()) {
        let end = after + counted.items;
        let words =
            if counts_at(end) { number::oblique(&scan.data.number, counted.words) } else { counted.words };
        return Some(Reading::new(words, end - at));
    }
    if let Some(word) = multiplier::letter(scan, &numeral, after) {
        let words = format!("{} {word}", numeral.counting(scan, System::Western));
        return Some(Reading::new(words, numeral.items + 1));
    }
    let counts = counts_at(after);
    if counts && is_currency_name(scan, after) {
        let name = scan.word(after).unwrap_or_default();
        let words = format!("{} {name}", numeral.counting(scan, numeral.system()));
        return Some(Reading::new(words, numeral.items + 1));
    }
    let quartered = |word: &str| scan.data.units.quartered.iter().any(|known| known == word);
    if counts
        && scan.word(after).is_some_and(quartered)
        && let Some(words) = fraction::counted(scan, &numeral)
    {
        return Some(Reading::new(words, numeral.items));
    }
    // ஒரு புத்தகம், but அத்தியாயம் ஒன்று
    if counts
        && numeral.is_one()
        && !is_label(scan, at)
        && !scan.word(after).is_some_and(|word| scan.is_function(word))
    {
        return Some(Reading::new(numeral.counting(scan, numeral.system()), numeral.items));
    }
    let words = numeral.words(scan);
    let words = if counts { number::oblique(&scan.data.number, words) } else { words };
    Some(Reading::new(words, numeral.items + only_sign(scan, after)))
}

/// Whether the word before `at` is one that numbers label: chapter, part.
fn is_label(scan: &Scan<'_>, at: usize) -> bool {
    let labels = |word: &str| {
        let lower = word.to_lowercase();
        scan.data.context.roman.contains(&lower) || scan.data.number.number_sign == lower
    };
    at > 0 && scan.word(at - 1).is_some_and(labels)
}

/// Whether a currency's own name stands at `at`: 1 രൂപ.
fn is_currency_name(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.money.currency(word, false).is_some())
}
