//! Notation of the espeak-ng voice `hi`.
//!
//! Stress is on the heaviest syllable. A written syllable counts even if its inherent vowel is not pronounced. A
//! stressed schwa is written `ʌ`. Long vowels are shortened if they are nasal, or if they are close and word-final.

use shruti_text::akshara::Vowel;
use shruti_text::phone::{Manner, Phone, Symbol};
use shruti_text::utterance::Stress;

use super::{Unit, alternating, consonant, mark};

/// Context that determines how a vowel is written.
struct VowelContext {
    stress: Stress,
    is_first: bool,
    is_last: bool,
    before_h: bool,
}

/// Unstressed words: case markers, forms of the copula, "I" and "and". All other words are stressed.
const UNSTRESSED: [&str; 14] = ["का", "की", "के", "को", "से", "में", "मैं", "और", "है", "हैं", "हूँ", "था", "थी", "थे"];

pub(super) fn ipa(units: &[Unit], text: &str) -> String {
    let stresses = if UNSTRESSED.contains(&text) { vec![Stress::None; units.len()] } else { stresses(units) };
    let mut out = String::with_capacity(4 * units.len());
    let mut before_h = false;
    for (at, unit) in units.iter().enumerate() {
        onset(&mut out, &unit.onset);
        let is_last = units[at + 1..].iter().all(|unit| unit.vowel.is_none() && unit.onset.is_empty());
        let is_first = at == 0 && unit.onset.is_empty();
        let next = units.get(at + 1);
        let is_h = |unit: &Unit| unit.onset.first().is_some_and(|phone| phone.symbol == Symbol::H);
        let place =
            VowelContext { stress: stresses[at], is_first, is_last, before_h: next.is_some_and(is_h) };
        let Some(vowel) = unit.vowel else {
            // if the schwa before an h was raised to ɛ, eSpeak writes a schwa after the h
            if before_h && next.is_some() {
                out.push_str(mark(place.stress));
                out.push('ə');
            }
            before_h = false;
            continue;
        };
        let is_inherent = unit.akshara.is_some() && unit.written_vowel().is_none();
        let is_raised = vowel.symbol == Symbol::OpenE && is_inherent;
        before_h = is_raised && place.before_h;
        if let Some(glide) = glide(units, at) {
            out.push_str(glide);
            continue;
        }
        let ends_in_y = vowel.symbol == Symbol::Schwa
            && at + 2 == units.len()
            && next.is_some_and(|next| {
                next.vowel.is_none() && matches!(next.onset[..], [only] if only.symbol == Symbol::Y)
            });
        if ends_in_y {
            out.push_str(if place.stress == Stress::Primary { "ˈɛ" } else { "ˌɛ" });
            continue;
        }
        out.push_str(mark(place.stress));
        rime(&mut out, unit, if is_raised { Phone::new(Symbol::Schwa) } else { vowel }, next, &place);
    }
    out
}

/// Writes the consonants before a vowel.
fn onset(out: &mut String, phones: &[Phone]) {
    let mut previous = None;
    for (at, phone) in phones.iter().enumerate() {
        let next = phones.get(at + 1).map(|next| next.symbol);
        let is_double = previous == Some(phone.symbol);
        previous = Some(phone.symbol);
        match phone.symbol {
            symbol if is_double && is_lengthened(symbol) => {
                out.push('ː');
                previous = None;
            }
            // the first half of a geminate is not aspirated
            Symbol::Kh if next == Some(Symbol::Kh) => out.push('k'),
            Symbol::Gh if next == Some(Symbol::Gh) => out.push('ɡ'),
            Symbol::R if next.is_some_and(|next| !is_stop(next)) => out.push('r'),
            Symbol::Ss if at > 0 && phones[at - 1].symbol == Symbol::K => out.push('ʃ'),
            symbol => {
                out.push_str(consonant(symbol));
                let is_plain = matches!(symbol, Symbol::K | Symbol::T | Symbol::C | Symbol::P);
                if is_plain && next == Some(Symbol::Y) && !is_double {
                    out.push('ː');
                }
            }
        }
    }
}

/// Returns whether the geminate of a consonant is written with a length mark. Other geminates are written as two
/// consonants.
const fn is_lengthened(symbol: Symbol) -> bool {
    use Symbol as S;
    matches!(symbol, S::K | S::T | S::C | S::P | S::G | S::D | S::J | S::Th | S::Dh)
}

fn is_stop(symbol: Symbol) -> bool {
    matches!(symbol.manner(), Manner::Stop | Manner::Affricate)
}

/// Returns the glide that replaces a word-final nasal ओ or ए after a long vowel, as in ओं and एँ.
fn glide(units: &[Unit], at: usize) -> Option<&'static str> {
    let unit = &units[at];
    let is_behind_vowel =
        at > 0 && unit.onset.is_empty() && units[at - 1].vowel.is_some_and(|vowel| vowel.long);
    if !is_behind_vowel || at + 1 < units.len() || !is_nasal(unit) {
        return None;
    }
    match unit.written_vowel()? {
        Vowel::O => Some("w"),
        Vowel::E => Some("j"),
        _ => None,
    }
}

fn is_nasal(unit: &Unit) -> bool {
    unit.has_anusvara() || unit.has_candrabindu() || unit.vowel.is_some_and(|vowel| vowel.nasal)
}

/// Writes a vowel and the nasal that belongs to it.
fn rime(out: &mut String, unit: &Unit, vowel: Phone, next: Option<&Unit>, place: &VowelContext) {
    let quality = quality(unit, vowel, place);
    let is_schwa = matches!(quality, "ə" | "ʌ");
    let follows = next.and_then(|next| next.onset.first());
    // the independent letters ऊँ, आँ and ईं are pronounced as an oral vowel and a nasal consonant
    let is_letter = unit.onset.is_empty() && unit.akshara.is_some();
    let is_oral = match vowel.symbol {
        Symbol::U | Symbol::A => is_letter && unit.has_candrabindu() && follows.is_some(),
        Symbol::I => is_letter && unit.has_anusvara() && follows.is_none(),
        _ => false,
    };
    match () {
        () if !is_nasal(unit) || unit.akshara.is_none() && !vowel.nasal => {
            out.push_str(quality);
            for phone in unit.coda.iter().filter(|phone| !is_end_of_diphthong(unit, **phone)) {
                out.push_str(consonant(phone.symbol));
            }
        }
        // the anusvara becomes a nasal with the place of articulation of the following consonant
        () if is_schwa && unit.has_anusvara() => {
            out.push_str(quality);
            let nasal = unit.coda.first().map_or(Symbol::N, |phone| phone.symbol);
            out.push_str(match (nasal, follows.map(|phone| phone.symbol)) {
                (Symbol::N, Some(Symbol::Y | Symbol::C | Symbol::Ch | Symbol::J | Symbol::Jh)) => "ɲ",
                (Symbol::M, Some(Symbol::V)) => "n",
                _ => consonant(nasal),
            });
        }
        () if is_oral => {
            out.push_str(match quality {
                "i" => "iː",
                "uː" => "u",
                other => other,
            });
            out.push('n');
        }
        () => {
            let (quality, is_long) = match quality {
                "ɪ" => ("i", false),
                "ʊ" => ("u", false),
                other => other.strip_suffix('ː').map_or((other, false), |short| (short, true)),
            };
            out.push_str(quality);
            let is_followed = unit.has_candrabindu() && follows.is_some();
            if !(is_followed && is_schwa) {
                out.push('\u{303}');
            }
            if is_long && quality == "e" {
                out.push('ː');
            }
            if is_followed {
                out.push('n');
            }
        }
    }
}

/// Returns whether a phone is the end of a diphthong. ऐ and औ are written as single vowels, even if they are pronounced
/// as diphthongs.
fn is_end_of_diphthong(unit: &Unit, phone: Phone) -> bool {
    matches!(unit.written_vowel(), Some(Vowel::Ai | Vowel::Au)) && phone.symbol.manner() != Manner::Nasal
}

fn quality(unit: &Unit, vowel: Phone, place: &VowelContext) -> &'static str {
    let written = unit.written_vowel();
    match vowel.symbol {
        _ if written == Some(Vowel::Ai) => "ɛː",
        _ if written == Some(Vowel::Au) => "ɔː",
        Symbol::Schwa if place.is_first && place.before_h => "ɛ",
        Symbol::Schwa if place.stress == Stress::Primary || place.is_first => "ʌ",
        Symbol::CentralA | Symbol::Caret | Symbol::ErLong => "ʌ",
        Symbol::A | Symbol::BackA => "aː",
        Symbol::I if vowel.long && place.is_last && written == Some(Vowel::I) => "ɪ",
        Symbol::I if vowel.long && (place.is_last || place.stress == Stress::None) => "i",
        Symbol::I if vowel.long => "iː",
        Symbol::I | Symbol::IShort | Symbol::Ii => "ɪ",
        Symbol::U if vowel.long && place.is_first => "u",
        Symbol::U if vowel.long && written != Some(Vowel::U) => "uː",
        Symbol::U | Symbol::UShort => "ʊ",
        Symbol::E => "eː",
        Symbol::OpenE | Symbol::Ae if written == Some(Vowel::CandraE) => "ɛ",
        Symbol::OpenE | Symbol::Ae => "ɛː",
        Symbol::O => "oː",
        Symbol::OpenO | Symbol::RoundA if written == Some(Vowel::CandraO) => "ɔ",
        Symbol::OpenO | Symbol::RoundA => "ɔː",
        other => other.ipa(),
    }
}

/// Returns the stress of each unit. The heaviest syllable has the primary stress. If several syllables are equally
/// heavy, the last of them has it, or the first if all syllables are light. The last syllable of a word counts as
/// lighter.
///
/// A written syllable counts even if its inherent vowel is not pronounced.
fn stresses(units: &[Unit]) -> Vec<Stress> {
    // consonants after the last vowel belong to its syllable
    let count = units.len() - units.iter().rev().take_while(|unit| unit.vowel.is_none()).count();
    let coda: usize = units[count..].iter().map(|unit| unit.onset.len()).sum();
    let weight = |at: usize| {
        let unit = &units[at];
        let vowel = match unit.vowel {
            Some(vowel) if vowel.long || vowel.nasal => 2,
            Some(vowel) if vowel.symbol != Symbol::Schwa && is_nasal(unit) => 2,
            _ => 1,
        };
        let is_last = at + 1 == count;
        let closed = match units.get(at + 1) {
            _ if is_last => coda + usize::from(vowel == 1 && unit.has_anusvara()),
            Some(next) if next.onset.is_empty() => 0,
            Some(_) if unit.has_candrabindu() => 1,
            Some(next) if unit.has_anusvara() => usize::from(vowel == 1 || next.onset.len() > 1),
            Some(next) => usize::from(next.onset.len() > 1),
            None => 0,
        };
        let weight: usize = (vowel + closed).min(3);
        weight - usize::from(is_last && weight > 1)
    };
    let weights: Vec<usize> = (0..count).map(weight).collect();
    let heaviest = weights.iter().copied().max().unwrap_or(0);
    let primary = match heaviest {
        0 | 1 => 0,
        _ => weights.iter().rposition(|&weight| weight == heaviest).unwrap_or(0),
    };
    let mut stresses = alternating(count, primary);
    stresses.resize(units.len(), Stress::None);
    stresses
}
