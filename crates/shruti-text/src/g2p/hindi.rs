//! Hindi.
//!
//! Phonology after Ohala (1999). The inherent vowel falls by the shared engine; ऐ and औ are ɛː and ɔː, but
//! diphthongs before their glides (भैया); final short ि and ु are long; ज्ञ is ɡj.

use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::morphemes::Morphemes;
use super::{nasal, schwa};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/hi/exceptions.tsv");
const MORPHEMES_TOML: &str = include_str!("../../data/hi/morphemes.toml");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));
static MORPHEMES: LazyLock<Morphemes> = LazyLock::new(|| Morphemes::read(MORPHEMES_TOML));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_joint, falls };

/// The phones of a Hindi word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let morphemes = MORPHEMES.of(word, &aksharas);
    let silent = schwa::silent(&aksharas, &morphemes, &RULES);
    let mut phones = Vec::with_capacity(word.len() / 2);
    for (i, akshara) in aksharas.iter().enumerate() {
        let next = aksharas.get(i + 1);
        consonants(akshara, &mut phones);
        vowel(akshara, next, silent[i], &mut phones);
        nasals(akshara, next, i + 2 == aksharas.len() && silent[i + 1], &mut phones);
        visarga(akshara, next, &mut phones);
    }
    nasal::assimilate(&mut phones);
    phones
}

/// A glide after another consonant holds the last vowel: राज्य, तत्त्व.
fn keeps_final(akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    use Consonant::{Va, Ya};
    matches!(akshara.consonants.as_slice(), [.., before, Ya | Va] if !matches!(before, Ya | Va))
}

/// At a seam r and nasals hold it too: मित्रगण, आत्मकथा; but not after r: धर्मभूमि.
fn keeps_joint(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{La, Ma, Na, Ra};
    let liquid = match akshara.consonants.as_slice() {
        [.., first, Ra] => *first != Ra,
        [.., first, La | Na | Ma] => !matches!(first, Ra | La | Na | Ma),
        _ => false,
    };
    liquid || keeps_final(akshara, before)
}

fn falls(joint: &schwa::Joint<'_>) -> bool {
    use Consonant::{Ga, Ra, Ta, Va, Ya};
    let after = joint.after.consonants.as_slice();
    // Sanskrit -ati: अनुमति, प्रगति
    let abstract_noun = joint.last && after == [Ta] && joint.after.nucleus == Nucleus::Vowel(Vowel::I);
    if abstract_noun {
        return false;
    }
    // nor -agi and -ati after a nasal and its stop: गंदगी, दंपती
    let short =
        matches!(joint.before.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::A | Vowel::I | Vowel::U));
    if joint.last && joint.before.anusvara && short && matches!(after, [Ga | Ta]) {
        return false;
    }
    match joint.own.consonants.as_slice() {
        // y holds its vowel after i and after a nasal: नियमित, संयमी
        [Ya] => !joint.before.anusvara && !is_i(joint.before) && after.len() == 1,
        [_] => after.len() == 1,
        // r and a stop can end a syllable: धर्मभूमि, वर्तमान
        [Ra, second] => !matches!(second, Ya | Va | Ra) && after.len() == 1 && !joint.last,
        _ => false,
    }
}

fn is_i(akshara: &Akshara) -> bool {
    matches!(akshara.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii))
}

fn consonants(akshara: &Akshara, phones: &mut Vec<Phone>) {
    let mut letters = akshara.consonants.as_slice();
    while let Some((&first, rest)) = letters.split_first() {
        if let (Consonant::Ja, [Consonant::Nya, after @ ..]) = (first, rest) {
            phones.extend([Phone::new(Symbol::G), Phone::new(Symbol::Y)]);
            letters = after;
            continue;
        }
        push(phones, sound(first));
        letters = rest;
    }
}

fn sound(letter: Consonant) -> Symbol {
    match letter {
        Consonant::Rra => Symbol::R,
        Consonant::Nya => Symbol::Ny,
        other => letters::consonant(other),
    }
}

fn vowel(akshara: &Akshara, next: Option<&Akshara>, silent: bool, phones: &mut Vec<Phone>) {
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent if silent => return,
        Nucleus::Inherent => Vowel::A,
        Nucleus::Vowel(vowel) => vowel,
    };
    let glide = next.and_then(|next| next.consonants.first());
    let is_final = next.is_none() && !akshara.visarga;
    match vowel {
        Vowel::A => phones.push(Phone::new(Symbol::Schwa)),
        Vowel::Aa => phones.push(Phone::new(Symbol::A).long()),
        Vowel::I if is_final && phones.len() > 1 => phones.push(Phone::new(Symbol::I).long()),
        Vowel::I => phones.push(Phone::new(Symbol::IShort)),
        Vowel::Ii => phones.push(Phone::new(Symbol::I).long()),
        Vowel::U if is_final && phones.len() > 1 => phones.push(Phone::new(Symbol::U).long()),
        Vowel::U => phones.push(Phone::new(Symbol::UShort)),
        Vowel::Uu => phones.push(Phone::new(Symbol::U).long()),
        Vowel::VocalicR | Vowel::VocalicRr => {
            push(phones, Symbol::R);
            phones.push(Phone::new(Symbol::IShort));
        }
        Vowel::VocalicL => {
            push(phones, Symbol::L);
            phones.push(Phone::new(Symbol::IShort));
        }
        Vowel::CandraE => phones.push(Phone::new(Symbol::Ae)),
        Vowel::ShortE | Vowel::E => phones.push(Phone::new(Symbol::E).long()),
        Vowel::Ai if glide == Some(&Consonant::Ya) => {
            phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::I)]);
        }
        Vowel::Ai => phones.push(Phone::new(Symbol::OpenE).long()),
        Vowel::CandraO => phones.push(Phone::new(Symbol::OpenO)),
        Vowel::ShortO | Vowel::O => phones.push(Phone::new(Symbol::O).long()),
        Vowel::Au if glide == Some(&Consonant::Va) => {
            phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::U)]);
        }
        Vowel::Au => phones.push(Phone::new(Symbol::OpenO).long()),
    }
}

/// ँ makes the vowel nasal; ं is a nasal consonant after short vowels and आ, a nasal vowel after the others
/// before voiceless sounds.
fn nasals(akshara: &Akshara, next: Option<&Akshara>, is_last: bool, phones: &mut Vec<Phone>) {
    if !akshara.anusvara && !akshara.candrabindu {
        return;
    }
    let Some(next) = next.and_then(|next| next.consonants.first()).map(|&letter| sound(letter)) else {
        return nasal::nasalise_last(phones);
    };
    let Some(&vowel) = phones.last() else { return };
    if next == Symbol::H || akshara.candrabindu && !nasal::is_voiced_plosive(next) {
        return nasal::nasalise_last(phones);
    }
    let nasal_before_voiceless = vowel.long && !matches!(vowel.symbol, Symbol::A | Symbol::U);
    // English -ent: सेंट, कमेंट
    let english = vowel.symbol == Symbol::E && next == Symbol::Tt && is_last;
    if nasal_before_voiceless && !english && !nasal::is_voiced_plosive(next) && next != Symbol::S {
        return nasal::nasalise_last(phones);
    }
    let consonant = match next {
        Symbol::V | Symbol::F => Symbol::M,
        other => nasal::homorganic(other),
    };
    phones.push(Phone::new(consonant));
}

/// Final visarga is h; inside a word it lengthens what follows, or is h.
fn visarga(akshara: &Akshara, next: Option<&Akshara>, phones: &mut Vec<Phone>) {
    if !akshara.visarga {
        return;
    }
    match next.and_then(|next| next.consonants.first()).map(|&letter| sound(letter)) {
        Some(Symbol::Kh | Symbol::K | Symbol::P | Symbol::Ph) => {}
        _ => phones.push(Phone::new(Symbol::H)),
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
            ("लड़का", "l ə ɽ k aː", "VC_CV"),
            ("समझना", "s ə m ə dʒʱ n aː", "only every second one"),
            ("कमल", "k ə m ə l", "final"),
            ("भारतीय", "bʱ aː ɾ t̪ iː j", "final after a vowel"),
            ("भैया", "bʱ ə i j aː", "ai before y"),
            ("ज्ञान", "ɡ j aː n", "jñ"),
            ("शक्ति", "ʃ ə k t̪ iː", "final short i"),
            ("संवाद", "s ə m ʋ aː d̪", "anusvara before v"),
            ("पंजाब", "p ə ɲ dʒ aː b", "anusvara before a palatal"),
            ("दंपती", "d̪ ə m p ə t̪ iː", "a nasal and two stops do not meet"),
            ("पिंजरा", "p ɪ ɲ dʒ ɾ aː", "but a nasal, a stop and r do"),
            ("संकलन", "s ə ŋ k ə l ə n", "the prefix सं-"),
            ("संतरा", "s ə n t̪ ɾ aː", "no prefix"),
            ("जीवनस्तर", "dʒ iː ʋ ə n s t̪ ə ɾ", "a compound"),
            ("दख़लअंदाज़ी", "d̪ ə x ə l ə n d̪ aː z iː", "two of the inherent vowel do not meet"),
            ("हँसना", "ɦ ə\u{303} s n aː", "nasal vowel"),
            ("कृपा", "k ɾ ɪ p aː", "vocalic r"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
