//! Notation of the espeak-ng voice `te`. The first syllable has the primary stress. Every second syllable after it,
//! except the last syllable, has a secondary stress. Geminates are written as two consonants.

use shruti_text::akshara::Consonant;
use shruti_text::phone::{Manner, Phone, Symbol};

use super::{Unit, consonant, falling, is_stop, mark, next_consonant};

pub(super) fn ipa(units: &[Unit]) -> String {
    let count = units.iter().filter(|unit| unit.vowel.is_some()).count();
    let mut out = String::with_capacity(4 * units.len());
    let mut syllable = 0;
    for (at, unit) in units.iter().enumerate() {
        for (place, &phone) in unit.onset.iter().enumerate() {
            let next = unit.onset.get(place + 1).copied();
            let text = written(phone, next, false);
            // the first half of a geminate is not aspirated
            let is_first_half = next == Some(phone);
            out.push_str(text.strip_suffix('ʰ').filter(|_| is_first_half).unwrap_or(text));
        }
        if writes_double_r(unit) {
            out.push('r');
        }
        let Some(vowel) = unit.vowel else { continue };
        if at == 0 && unit.onset.is_empty() && vowel.symbol == Symbol::E && !vowel.long {
            out.push('ʲ');
        }
        out.push_str(mark(falling(syllable, 0, count)));
        syllable += 1;
        let glide = match unit.coda.first() {
            Some(end) if matches!(end.symbol, Symbol::Y | Symbol::W) => Some(end.symbol),
            _ => None,
        };
        match glide {
            Some(Symbol::Y) => out.push_str("aɪ"),
            Some(_) => out.push_str("aʊ"),
            None => vowel_of(&mut out, vowel),
        }
        for &phone in unit.coda.iter().skip(usize::from(glide.is_some())) {
            // an anusvara is written as n before any consonant
            out.push_str(written(phone, next_consonant(units, at), unit.has_anusvara()));
        }
    }
    out
}

/// Returns whether a unit contains ర్ర with a single phone. This trill is written as two symbols.
fn writes_double_r(unit: &Unit) -> bool {
    let letters = unit.akshara.as_ref().map(|akshara| akshara.consonants.as_slice());
    matches!(letters, Some([.., Consonant::Ra, Consonant::Ra]))
        && matches!(unit.onset[..], [only] if only.symbol.manner() != Manner::Vowel)
}

fn vowel_of(out: &mut String, vowel: Phone) {
    out.push_str(match vowel.symbol {
        Symbol::CentralA | Symbol::Schwa | Symbol::Caret | Symbol::BackA | Symbol::ErLong => "a",
        Symbol::IShort | Symbol::Ii => "i",
        Symbol::UShort => "u",
        Symbol::OpenE => "e",
        Symbol::OpenO | Symbol::RoundA => "o",
        Symbol::Ae => "eː",
        other => other.ipa(),
    });
    if vowel.long && vowel.symbol != Symbol::Ae {
        out.push('ː');
    }
}

fn written(phone: Phone, next: Option<Phone>, is_anusvara: bool) -> &'static str {
    match phone.symbol {
        Symbol::Sh => "ɕ",
        Symbol::R | Symbol::Rr | Symbol::Ar => "r",
        _ if is_anusvara => "n",
        Symbol::Ng | Symbol::Ny if next.is_none_or(is_stop) => "n",
        symbol => consonant(symbol),
    }
}
