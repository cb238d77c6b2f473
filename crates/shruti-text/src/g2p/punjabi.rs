//! Punjabi.
//!
//! Phonology after Bhatia (1993) and Bowden (2012). The voiced aspirates have become plain stops with a tone:
//! voiceless at the beginning of a word, voiced elsewhere. h is spoken at the beginning only; after a vowel it
//! too is a tone. [`tones`] gives them, the phones do not carry them.

use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::morphemes::Morphemes;
use super::{nasal, schwa};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};
use crate::utterance::Tone;

const EXCEPTIONS_TSV: &str = include_str!("../../data/pa/exceptions.tsv");
const MORPHEMES_TOML: &str = include_str!("../../data/pa/morphemes.toml");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));
static MORPHEMES: LazyLock<Morphemes> = LazyLock::new(|| Morphemes::read(MORPHEMES_TOML));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_joint, falls };

/// The phones of a Punjabi word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let morphemes = MORPHEMES.of(word, &aksharas);
    let mut silent = schwa::silent(&aksharas, &morphemes, &RULES);
    if begins_tr(&aksharas) {
        silent[0] = true;
    }
    for i in 1..aksharas.len().saturating_sub(1) {
        silent[i] |= is_toned_h(&aksharas[i - 1..], i + 2 == aksharas.len());
    }
    let mut phones = Vec::with_capacity(word.len() / 2);
    for (i, akshara) in aksharas.iter().enumerate() {
        let next = aksharas.get(i + 1);
        let addak = i.checked_sub(1).is_some_and(|before| aksharas[before].addak);
        let spoken = !silent[i] && akshara.nucleus != Nucleus::None;
        if is_merged(i, &aksharas) {
            nasals(akshara, next, &mut phones);
            continue;
        }
        consonants(akshara, addak, spoken, &mut phones);
        let h_after = next.is_some_and(|next| next.consonants[..] == [Consonant::Ha]);
        let h_falls = h_after && (silent[i + 1] || is_merged(i + 1, &aksharas));
        vowel(akshara, h_falls, silent[i], &mut phones);
        nasals(akshara, next, &mut phones);
        if akshara.visarga {
            phones.push(Phone::new(Symbol::H));
        }
    }
    nasal::assimilate(&mut phones);
    phones
}

/// The tone of each vowel of a word, in order, by the letters beside it: low after ਘ ਝ ਢ ਧ ਭ at the beginning
/// of a word or before a stressed long vowel, high where they or ਹ stand after the vowel.
pub fn tones(word: &str) -> Vec<Option<Tone>> {
    let aksharas = akshara::parse(word);
    let morphemes = MORPHEMES.of(word, &aksharas);
    let silent = schwa::silent(&aksharas, &morphemes, &RULES);
    let mut tones: Vec<Option<Tone>> = Vec::new();
    for (i, akshara) in aksharas.iter().enumerate() {
        let spoken = akshara.nucleus != Nucleus::None && !silent[i] && !is_merged(i, &aksharas);
        let voiced_aspirate = akshara.consonants.iter().any(|&letter| plain_voiced(letter).is_some());
        let h = i > 0 && akshara.consonants.contains(&Consonant::Ha) || has_subscript_h(akshara);
        // before a long vowel of its own the lost breath lowers that vowel; else it raises the one before
        let own_long =
            matches!(akshara.nucleus, Nucleus::Vowel(vowel) if !matches!(vowel, Vowel::I | Vowel::U));
        let initial = i == 0;
        let lowers = voiced_aspirate && initial
            || (voiced_aspirate || h) && own_long && spoken && is_last_long(&aksharas, i);
        let raises = (voiced_aspirate || h) && !lowers && !tones.iter().any(Option::is_some);
        if let Some(before) = tones.last_mut().filter(|_| raises) {
            *before = Some(Tone::High);
        }
        if spoken {
            let low = lowers && !tones.iter().any(Option::is_some);
            tones.push(low.then_some(Tone::Low));
        }
    }
    tones
}

/// Whether the vowels before this one are all short, so that the stress falls here.
fn is_last_long(aksharas: &[Akshara], i: usize) -> bool {
    aksharas[..i].iter().all(|akshara| {
        !akshara.addak
            && matches!(akshara.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::A | Vowel::I | Vowel::U))
    })
}

/// Whether the word begins with the ʈɾ of English, written with two whole letters: ਟਰੱਕ, ਟਰਾਂਸਫਰ.
fn begins_tr(aksharas: &[Akshara]) -> bool {
    let [first, second, ..] = aksharas else { return false };
    let tr = first.consonants[..] == [Consonant::Tta] && second.consonants[..] == [Consonant::Ra];
    tr && first.nucleus == Nucleus::Inherent && (second.addak || second.nucleus != Nucleus::Inherent)
}

/// Whether the second of these aksharas is a ਹ that has become the tone of a long vowel within a word: ਸਾਹਮਣੇ; but ਸਾਹਸ.
fn is_toned_h(aksharas: &[Akshara], last_follows: bool) -> bool {
    let [before, own, after, ..] = aksharas else { return false };
    let short = |vowel| matches!(vowel, Vowel::A | Vowel::I | Vowel::U);
    let after_long = matches!(before.nucleus, Nucleus::Vowel(vowel) if !short(vowel));
    let h = own.consonants[..] == [Consonant::Ha]
        && own.nucleus == Nucleus::Inherent
        && !own.anusvara
        && !own.addak;
    after_long && h && !after.consonants.is_empty() && !(last_follows && after.nucleus == Nucleus::Inherent)
}

/// Whether an akshara is the ਹਿ that has merged with the a before it: ਕਹਿਣਾ, ਸ਼ਹਿਰ.
fn is_merged(i: usize, aksharas: &[Akshara]) -> bool {
    let own = &aksharas[i];
    let after_a = i.checked_sub(1).is_some_and(|before| {
        aksharas[before].nucleus == Nucleus::Inherent && !aksharas[before].consonants.is_empty()
    });
    after_a
        && own.consonants[..] == [Consonant::Ha]
        && own.nucleus == Nucleus::Vowel(Vowel::I)
        && aksharas.get(i + 1).is_some_and(|next| !next.consonants.is_empty())
}

fn has_subscript_h(akshara: &Akshara) -> bool {
    matches!(akshara.consonants.as_slice(), [_, .., Consonant::Ha])
}

fn keeps_final(_akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    false
}

fn keeps_joint(_akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    false
}

fn falls(joint: &schwa::Joint<'_>) -> bool {
    joint.is_simple()
}

/// The voiced stop that a voiced aspirate has become.
fn plain_voiced(letter: Consonant) -> Option<Symbol> {
    Some(match letter {
        Consonant::Gha => Symbol::G,
        Consonant::Jha => Symbol::J,
        Consonant::Ddha => Symbol::Dd,
        Consonant::Dha => Symbol::D,
        Consonant::Bha => Symbol::B,
        _ => return None,
    })
}

/// The voiceless stop that a voiced aspirate has become at the beginning of a word.
fn plain_voiceless(letter: Consonant) -> Option<Symbol> {
    Some(match letter {
        Consonant::Gha => Symbol::K,
        Consonant::Jha => Symbol::C,
        Consonant::Ddha => Symbol::Tt,
        Consonant::Dha => Symbol::T,
        Consonant::Bha => Symbol::P,
        _ => return None,
    })
}

fn consonants(akshara: &Akshara, addak: bool, spoken: bool, phones: &mut Vec<Phone>) {
    for (i, &letter) in akshara.consonants.iter().enumerate() {
        let initial = phones.is_empty();
        let symbol = match letter {
            // h is a tone below a consonant and at the end of a syllable
            Consonant::Ha if i > 0 || !initial && !spoken => continue,
            Consonant::Rdha => Symbol::Rd,
            Consonant::Rra => Symbol::R,
            Consonant::Ssa => Symbol::Sh,
            Consonant::Khha => Symbol::X,
            _ => {
                let changed = if initial { plain_voiceless(letter) } else { plain_voiced(letter) };
                changed.unwrap_or_else(|| letters::consonant(letter))
            }
        };
        if addak && i == 0 {
            phones.push(Phone::new(symbol).long());
        } else {
            push(phones, symbol);
        }
    }
}

/// Short vowels before an h that has fallen are open and long: ਕਹਿਣਾ ɛː, ਕਿਹੜਾ eː, ਉਹ oː.
fn vowel(akshara: &Akshara, h_falls: bool, silent: bool, phones: &mut Vec<Phone>) {
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent if silent => return,
        Nucleus::Inherent => Vowel::A,
        Nucleus::Vowel(vowel) => vowel,
    };
    let phone = match vowel {
        Vowel::A if h_falls => Phone::new(Symbol::OpenE).long(),
        Vowel::I if h_falls => Phone::new(Symbol::E).long(),
        Vowel::U if h_falls => Phone::new(Symbol::O).long(),
        Vowel::A => Phone::new(Symbol::Schwa),
        Vowel::Aa => Phone::new(Symbol::A).long(),
        Vowel::I => Phone::new(Symbol::IShort),
        Vowel::Ii => Phone::new(Symbol::I).long(),
        Vowel::U => Phone::new(Symbol::UShort),
        Vowel::Uu => Phone::new(Symbol::U).long(),
        Vowel::VocalicR | Vowel::VocalicRr | Vowel::VocalicL => {
            push(phones, Symbol::R);
            Phone::new(Symbol::IShort)
        }
        Vowel::CandraE | Vowel::Ai => Phone::new(Symbol::OpenE).long(),
        Vowel::ShortE | Vowel::E => Phone::new(Symbol::E).long(),
        Vowel::CandraO | Vowel::Au => Phone::new(Symbol::OpenO).long(),
        Vowel::ShortO | Vowel::O => Phone::new(Symbol::O).long(),
    };
    phones.push(phone);
}

/// Tippi is the nasal of what follows; bindi makes its long vowel nasal.
fn nasals(akshara: &Akshara, next: Option<&Akshara>, phones: &mut Vec<Phone>) {
    if !akshara.anusvara && !akshara.candrabindu {
        return;
    }
    let Some(&letter) = next.and_then(|next| next.consonants.first()) else {
        return nasal::nasalise_last(phones);
    };
    let symbol = letters::consonant(letter);
    let short = phones.last().is_some_and(|last| !last.long);
    if symbol == Symbol::H || !nasal::is_plosive(symbol) && !short {
        return nasal::nasalise_last(phones);
    }
    if matches!(symbol, Symbol::M | Symbol::N) {
        return push(phones, symbol);
    }
    if short || nasal::is_voiced_plosive(symbol) {
        phones.push(Phone::new(nasal::homorganic(symbol)));
    } else {
        nasal::nasalise_last(phones);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn tables_read() {
        super::super::exceptions::check(EXCEPTIONS_TSV);
        super::super::morphemes::check(MORPHEMES_TOML);
    }

    #[test]
    fn words_sound_as_spoken() {
        let cases = [
            ("ਘੋੜਾ", "k oː ɽ aː", "initial voiced aspirate"),
            ("ਬਾਘ", "b aː ɡ", "final voiced aspirate"),
            ("ਕੁੱਤਾ", "k ʊ t̪ː aː", "addak"),
            ("ਕੰਮ", "k ə mː", "tippi before m"),
            ("ਪੰਜਾਬ", "p ə ɲ dʒ aː b", "tippi"),
            ("ਮਾਂ", "m a\u{303}ː", "bindi"),
            ("ਕਰਨਾ", "k ə ɾ n aː", "VC_CV"),
            ("ਨਾਲ਼", "n aː ɭ", "retroflex l"),
            ("ਕਾਹਦਾ", "k aː d̪ aː", "h after a vowel"),
            ("ਸਾਹਮਣੇ", "s aː m ɳ eː", "h within a word"),
            ("ਸਾਹਸ", "s aː ɦ ə s", "h before the last consonant"),
            ("ਗਿ੍ਰਫਤਾਰ", "ɡ ɾ ɪ pʰ t̪ aː ɾ", "i typed before the virama"),
            ("ਟਰੱਕ", "ʈ ɾ ə kː", "English tr"),
            ("ਪੁਰਅਮਨ", "p ʊ ɾ ə m ə n", "two of the inherent vowel do not meet"),
            ("ਜਿ਼ੰਮੇਵਾਰੀ", "z ɪ mː eː ʋ aː ɾ iː", "the nukta typed behind the sign"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }

    #[test]
    fn every_vowel_has_its_place_among_the_tones() {
        for word in ["ਕਹਿਣਾ", "ਸ਼ਹਿਰ", "ਕਿਹੜਾ", "ਨਹੀਂ", "ਸਾਹਿਬ", "ਪੜ੍ਹਾਈ", "ਭਰਾ", "ਹੱਥ", "ਉਹ", "ਮੀਂਹ"]
        {
            let vowels = pronounce(word).iter().filter(|phone| phone.is_vowel()).count();
            assert_eq!(tones(word).len(), vowels, "{word}");
        }
    }

    #[test]
    fn lost_breath_is_tone() {
        use Tone::{High, Low};
        let cases: [(&str, &[Option<Tone>], &str); 6] = [
            ("ਕਹਿਣਾ", &[Some(High), None], "h merged with the vowel"),
            ("ਘਰ", &[Some(Low)], "initial"),
            ("ਬਾਘ", &[Some(High)], "final"),
            ("ਕਿਹੜਾ", &[Some(High), None], "h after a vowel"),
            ("ਪੜ੍ਹਾਈ", &[None, Some(Low), None], "before the stressed vowel"),
            ("ਕਰਨਾ", &[None, None], "none"),
        ];
        for (word, expected, why) in cases {
            assert_eq!(tones(word), expected, "{word}: {why}");
        }
    }
}
