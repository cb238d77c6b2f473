//! Notation of the espeak-ng voice `ml`. A single stop is voiced inside a word, and at the beginning of a word that
//! begins a clause. The vowel a is written `ə` unless it is stressed, in the first syllable or word-final. Stress is on
//! the first syllable, or on the second syllable if the first is short and the second is long.

use shruti_text::akshara::{Consonant, Nucleus, Vowel};
use shruti_text::phone::{Phone, Symbol};
use shruti_text::utterance::Stress;

use super::{Unit, consonant, falling, mark};

/// The geminate ല്ല. A short i before this geminate is written `ɪ`.
const DOUBLE_L: [Consonant; 2] = [Consonant::La, Consonant::La];

/// Returns the IPA of a word. `before` is the last phone of the preceding word in the clause. A word-initial stop is
/// voiced if the word begins a clause. An initial e has no glide after a word that ends in i.
pub(super) fn ipa(units: &[Unit], before: Option<Phone>) -> String {
    let syllables: Vec<&Unit> = units.iter().filter(|unit| is_syllable(unit)).collect();
    let is_long = |unit: &&Unit| unit.vowel.is_some_and(|vowel| vowel.long) || diphthong(unit).is_some();
    let primary = match syllables[..] {
        [first, second, ..] if !is_long(&first) && is_long(&second) => 1,
        _ => 0,
    };
    // a written half vowel counts as the last syllable
    let has_half =
        units.last().is_some_and(|unit| unit.vowel.is_some() && !is_syllable(unit) && has_half_vowel(unit));
    let count = syllables.len() + usize::from(has_half);
    let mut out = String::with_capacity(4 * units.len());
    let mut syllable = 0;
    let is_behind_i = before.is_some_and(|phone| phone.symbol == Symbol::I);
    for (at, unit) in units.iter().enumerate() {
        match &unit.akshara {
            Some(akshara) => {
                let is_voiced = at > 0 || before.is_none();
                letters(&mut out, units, at, &akshara.consonants, is_voiced);
            }
            None => unit.onset.iter().for_each(|phone| out.push_str(sound(*phone))),
        }
        let Some(vowel) = unit.vowel else { continue };
        if at == 0 && unit.onset.is_empty() && vowel.symbol == Symbol::E && !is_behind_i {
            out.push('ʲ');
        }
        if !is_syllable(unit) {
            if has_half_vowel(unit) {
                out.push('ɨ');
            }
            continue;
        }
        if unit.written_vowel() == Some(Vowel::VocalicR) {
            let stress = falling(syllable, primary, count);
            syllable += 1;
            if unit.onset.len() > 1 {
                out.push_str(mark(stress).trim_matches('ˌ'));
                out.push_str("r\u{329}");
            } else {
                out.push('r');
                out.push_str(mark(stress));
                out.push('ɨ');
            }
            coda(&mut out, unit);
            continue;
        }
        let stress = falling(syllable, primary, count);
        syllable += 1;
        let is_open_end = at + 1 == units.len() && unit.coda.is_empty();
        let is_inherent = unit.akshara.as_ref().is_none_or(|akshara| akshara.nucleus == Nucleus::Inherent);
        // the inherent vowel of an unstressed റ്റ is not written
        if is_inherent && is_alveolar_double(unit) && stress == Stress::None {
            coda(&mut out, unit);
            continue;
        }
        out.push_str(mark(stress));
        if let Some(text) = diphthong(unit) {
            out.push_str(text);
        } else {
            let is_reduced = stress == Stress::None && syllable > 1 && !is_open_end;
            // രതി is pronounced with e, but its inherent a is written
            let is_a = is_inherent && unit.akshara.is_some();
            let vowel = if is_a { Phone::new(Symbol::CentralA) } else { vowel };
            let next = units.get(at + 1).and_then(|next| next.akshara.as_ref());
            let is_before_ll = next.is_some_and(|next| next.consonants.starts_with(&DOUBLE_L));
            if vowel.symbol == Symbol::I && !vowel.long && is_before_ll {
                out.push('ɪ');
            } else {
                vowel_of(&mut out, vowel, is_reduced);
            }
        }
        coda(&mut out, unit);
    }
    out
}

fn is_syllable(unit: &Unit) -> bool {
    let is_half = unit.akshara.as_ref().is_some_and(|akshara| akshara.nucleus == Nucleus::None);
    unit.vowel.is_some() && !is_half
}

fn diphthong(unit: &Unit) -> Option<&'static str> {
    match unit.written_vowel()? {
        Vowel::Ai => Some("aɪ"),
        Vowel::Au => Some("aʊ"),
        _ => None,
    }
}

fn coda(out: &mut String, unit: &Unit) {
    let glides = usize::from(diphthong(unit).is_some());
    for phone in unit.coda.iter().skip(glides) {
        out.push_str(if unit.has_anusvara() { "m" } else { sound(*phone) });
    }
    if unit.akshara.as_ref().is_some_and(|akshara| akshara.visarga) {
        out.push('h');
    }
}

/// Returns whether the half vowel after a final consonant is written. The half vowel is not written after a single stop
/// or after a nasal and a stop.
fn has_half_vowel(unit: &Unit) -> bool {
    use Consonant as C;
    let letters = unit.akshara.as_ref().map_or(&[][..], |akshara| &akshara.consonants);
    let is_stop = |letter: &C| matches!(letter, C::Ka | C::Ta | C::Pa | C::Tta | C::Ca);
    match letters {
        [.., before, last] if is_stop(last) => !is_nasal(*before),
        [.., last] => !is_stop(last),
        [] => true,
    }
}

const fn is_nasal(letter: Consonant) -> bool {
    use Consonant as C;
    matches!(letter, C::Nga | C::Nya | C::Nna | C::Na | C::Ma)
}

fn is_alveolar_double(unit: &Unit) -> bool {
    let letters = unit.akshara.as_ref().map(|akshara| akshara.consonants.as_slice());
    matches!(letters, Some([.., Consonant::Rra, Consonant::Rra]))
}

/// Writes consonants by their letters, not by their phones, because espeak-ng does not voice all stops that this
/// project voices between vowels.
fn letters(out: &mut String, units: &[Unit], at: usize, letters: &[Consonant], voices: bool) {
    use Consonant as C;
    let unit = &units[at];
    let mut place = 0;
    while let Some(&letter) = letters.get(place) {
        let before = place.checked_sub(1).and_then(|before| letters.get(before)).copied();
        let next = letters.get(place + 1).copied();
        let is_double = next == Some(letter);
        let is_half = unit.akshara.as_ref().is_some_and(|akshara| akshara.nucleus == Nucleus::None);
        // the final stop of a word of one syllable is voiceless
        let is_short_word = is_half
            && at + 1 == units.len()
            && units[..at].iter().filter(|unit| is_syllable(unit)).count() < 2;
        let is_voiced = voices && next.is_none() && before.is_none_or(is_soft) && !is_short_word;
        let text = match letter {
            C::Ka if is_double => "kː",
            C::Ta if is_double => "tː",
            C::Pa if is_double => "pː",
            C::Rra if is_double => "ʈʈ",
            C::Rra if before == Some(C::Na) => "d",
            C::Ka if is_voiced => "ɡ",
            C::Ta if is_voiced => "d",
            C::Pa if is_voiced => "b",
            C::Tta if is_voiced && !is_half => "ɖ",
            C::Ka => "k",
            C::Ta => "t",
            C::Pa => "p",
            C::Tta if is_double => "ʈʈ",
            C::Tta => "ʈ",
            C::Rra => "r",
            C::Ra => "ɾ",
            C::Llla => "r.",
            C::Va | C::Wa => "v",
            C::Sha => "ɕ",
            C::Na | C::Nnna => "n",
            C::Nga => "ŋ",
            C::Nya => "ɲ",
            C::Nna => "ɳ",
            C::Ma => "m",
            C::Ca => "c",
            C::Cha => "cʰ",
            C::Ja => "ɟ",
            C::Jha => "ɟʰ",
            C::Ttha | C::Ddha => "ʈʰ",
            C::Dda => "ɖ",
            C::Tha => "tʰ",
            C::Da => "d",
            C::Dha => "dʰ",
            C::Kha => "kʰ",
            C::Ga => "ɡ",
            C::Gha => "ɡʰ",
            C::Pha => "pʰ",
            C::Ba => "b",
            C::Bha => "bʰ",
            C::Ya => "j",
            C::La => "l",
            C::Lla => "ɭ",
            C::Ssa => "ʂ",
            C::Sa => "s",
            C::Ha => "h",
            _ => unit.onset.get(place).map_or("", |phone| sound(*phone)),
        };
        out.push_str(text);
        let takes_both = is_double && matches!(letter, C::Ka | C::Ta | C::Pa | C::Rra | C::Tta);
        place += 1 + usize::from(takes_both);
    }
}

/// Returns whether a stop is voiced after a consonant. Stops are voiced after nasals, sibilants, r, l and y, but not
/// after other stops.
const fn is_soft(letter: Consonant) -> bool {
    use Consonant as C;
    matches!(
        letter,
        C::Nga | C::Nya | C::Nna | C::Na | C::Ma | C::Sa | C::Sha | C::Ssa | C::Ra | C::La | C::Lla | C::Ya
    )
}

fn vowel_of(out: &mut String, vowel: Phone, is_reduced: bool) {
    out.push_str(match vowel.symbol {
        Symbol::CentralA | Symbol::Schwa | Symbol::Caret | Symbol::ErLong if is_reduced => "ə",
        Symbol::CentralA | Symbol::Schwa | Symbol::Caret | Symbol::ErLong => "ɐ",
        Symbol::BackA => "a",
        Symbol::IShort => "i",
        Symbol::UShort => "u",
        Symbol::OpenE | Symbol::Ae => "e",
        Symbol::OpenO | Symbol::RoundA => "o",
        other => other.ipa(),
    });
    if vowel.long {
        out.push('ː');
    }
}

/// Returns the IPA of a consonant that is not written by its letter.
fn sound(phone: Phone) -> &'static str {
    match phone.symbol {
        Symbol::V | Symbol::W => "v",
        Symbol::Sh => "ɕ",
        Symbol::Rr => "r",
        Symbol::Zr => "r.",
        symbol => consonant(symbol),
    }
}
