//! Malayalam.
//!
//! The phonology follows Asher & Kumari (1997). A plain stop is voiced between vowels and after nasals. ന is dental at
//! the beginning of a word, next to dentals and in ന്ന, and otherwise alveolar. റ്റ is the alveolar stop, and ന്റ is the
//! same stop after its nasal. ര is a trill next to consonants. A final virama is the samvruthokaram, a central vowel.
//!
//! In speech, as in news reading, പ stays p between vowels, അ after an initial voiced consonant is pronounced e (രണ്ട്,
//! ജനം), the t of ന്റെ is voiced, and the ക്ല of English words differs from the ക്ള of Sanskrit words, which
//! `stems.tsv` lists.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{self, Consonant, Vowel};
use crate::g2p::dravidian::{self, CLOSE_VOWELS, Letter};
use crate::g2p::letters::{self, push};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, long, short};
use crate::phone::PhoneticDetail;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Malayalam,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::FirstOrLongSecond },
    name_vowels: &dravidian::NAME_VOWELS,
    romanisation: Romanisation { short_e_and_o: true, final_schwa_falls: false, handicap: 2.0 },
    keywords: None,
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("ml/stems.tsv")));

/// Vowels within a word, where vocalic r is pronounced ri; at the beginning of a word it is pronounced ru.
const INNER_VOWELS: Vowels =
    Vowels { vocalic: short(Symbol::I), vocalic_long: long(Symbol::I), ..CLOSE_VOWELS };

/// Returns the phones of a word.
fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    // a final non-joiner only makes the virama visible, so ആണ്‌ is read like ആണ്
    let word = STEMS.respell(word.trim_end_matches('\u{200c}'));
    if !word.contains(SEAM) {
        return of_part(&word, detail);
    }
    let mut parts: Vec<String> = Vec::new();
    for part in word.split(SEAM).filter(|part| !part.is_empty()) {
        // a boundary mark after a virama or ം is ignored: a double consonant is not separated (തിരക്കഥ), and a nasal
        // assimilates to the next member (സുപ്രീംകോടതി)
        let is_closed = |last: char| akshara::is_virama(last) || last == 'ം';
        match parts.last_mut().filter(|before| before.chars().next_back().is_some_and(is_closed)) {
            Some(before) => before.push_str(part),
            None => parts.push(part.to_owned()),
        }
    }
    let mut parts = parts.iter();
    let first = parts.next().map_or_else(Vec::new, |part| of_part(part, detail));
    parts.fold(first, |phones, part| [phones, of_part(part, detail)].concat())
}

/// Mark in `stems.tsv` between the members of a compound. The second member is read like a separate word, with a
/// voiceless stop or a dental ന at its beginning: ലോക|കപ്പ്, സമ|നില.
const SEAM: char = '|';

/// Returns the phones of a word, or of a member of a compound.
fn of_part(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    let letters = dravidian::letters(word);
    // in respelled stems, the അ of English words is written as a vowel letter, and is not pronounced e: ബ്അസ്
    let fronts = detail == PhoneticDetail::Spoken && !word.contains("്അ");
    let samvruthokaram = word.chars().next_back().is_some_and(akshara::is_virama);
    let mut phones = Vec::with_capacity(letters.len() + 1);
    for i in 0..letters.len() {
        match letters[i] {
            Letter::Consonant(Consonant::Rra) if is_second_of_cluster(&letters, i) => {}
            // in speech, the ജ of an initial ജ്ഞ is silent: ജ്ഞാനം
            Letter::Consonant(Consonant::Ja)
                if i == 0
                    && detail == PhoneticDetail::Spoken
                    && consonant_at(&letters, 1) == Some(Consonant::Nya) => {}
            Letter::Consonant(letter) => {
                push(&mut phones, sound(&letters, i, letter, samvruthokaram, detail));
            }
            Letter::Vowel(vowel) => {
                let vowels = if i == 0 { &CLOSE_VOWELS } else { &INNER_VOWELS };
                let start = phones.len();
                let fronted = fronts && is_fronted(&letters, i);
                dravidian::push_vowel(&mut phones, vowels, if fronted { Vowel::ShortE } else { vowel });
                // the r of vocalic r is a trill, as after any consonant
                if let [first @ Phone { symbol: Symbol::R, .. }, _] = &mut phones[start..] {
                    first.symbol = Symbol::Rr;
                }
            }
            Letter::Anusvara => push(&mut phones, dravidian::homorganic(consonant_at(&letters, i + 1))),
            Letter::Visarga => match consonant_at(&letters, i + 1) {
                Some(next) if dravidian::is_doubled_by_visarga(next) => {
                    phones.push(Phone::new(letters::consonant(next)));
                }
                _ => push(&mut phones, Symbol::H),
            },
        }
    }
    let ends_in_consonant =
        letters.last().and_then(|last| last.consonant()).is_some_and(|last| last != Consonant::Ya);
    if samvruthokaram && ends_in_consonant {
        phones.push(Phone::new(Symbol::Schwa));
    }
    phones
}

/// Returns whether the letter at `i` is the second റ of a റ്റ after another consonant, where റ്റ is short: ലിസ്റ്റ്,
/// ഒക്റ്റോബർ.
fn is_second_of_cluster(letters: &[Letter], i: usize) -> bool {
    let [before, first] = [2, 1].map(|back| i.checked_sub(back).and_then(|i| consonant_at(letters, i)));
    first == Some(Consonant::Rra) && before.is_some()
}

fn consonant_at(letters: &[Letter], i: usize) -> Option<Consonant> {
    letters.get(i).and_then(|letter| letter.consonant())
}

fn sound(
    letters: &[Letter],
    i: usize,
    letter: Consonant,
    samvruthokaram: bool,
    detail: PhoneticDetail,
) -> Symbol {
    let before = i.checked_sub(1).map(|i| letters[i]);
    let last = before.and_then(Letter::consonant);
    let next = consonant_at(letters, i + 1);
    let spoken = detail == PhoneticDetail::Spoken;
    match letter {
        Consonant::Pa if spoken && !matches!(before, Some(Letter::Consonant(_))) => Symbol::P,
        // the stop is voiced in the genitive endings ന്റെ and ന്റേ; it is pronounced t in English words: ഇന്റർ, സിമന്റ്
        Consonant::Rra if spoken && last == Some(Consonant::Na) && is_genitive(letters, i) => Symbol::AlvD,
        // the t of a Sanskrit ts is l in speech, and often also in writing: മത്സരം, മൽസരം. A final ts is English: മാത്സ്
        Consonant::Ta if spoken && is_lateral(letters, i) => Symbol::L,
        Consonant::Ka | Consonant::Ca | Consonant::Tta | Consonant::Ta | Consonant::Pa => {
            let at_vowel = match letters.get(i + 1) {
                Some(after) => after.is_vowel() && *after != Letter::Vowel(Vowel::VocalicR),
                // the k of English words is not voiced before the half vowel: ട്രാഫിക്
                None => samvruthokaram && !(letter == Consonant::Ka && is_english(letters)),
            };
            plosive(letter, before, at_vowel)
        }
        Consonant::Na => nasal(before, last, next),
        Consonant::Nnna => Symbol::N,
        // റ is an alveolar stop in റ്റ, and after ന and സ
        Consonant::Rra if next == Some(Consonant::Rra) || last == Some(Consonant::Rra) => Symbol::AlvT,
        Consonant::Rra if matches!(last, Some(Consonant::Na | Consonant::Sa)) => Symbol::AlvT,
        Consonant::Rra => Symbol::Rr,
        Consonant::Ra if last == Some(Consonant::Ga) || next == Some(Consonant::Ya) => Symbol::R,
        Consonant::Ra if last.is_some() || next.is_some() => Symbol::Rr,
        // a final ർ is a trill, and a final ര് is not
        Consonant::Ra if i > 0 && i + 1 == letters.len() && !samvruthokaram => Symbol::Rr,
        // in dictionary notation, ക്ല and പ്ല have ɭ, because they were formerly written ക്ള and പ്ള; in speech, only
        // Sanskrit words have ɭ, which `stems.tsv` lists with ള
        Consonant::La
            if !spoken
                && matches!(last, Some(Consonant::Ka | Consonant::Ga | Consonant::Pa | Consonant::Ba)) =>
        {
            Symbol::Ll
        }
        // ഹ്ന and ഹ്മ are long nasals without h
        Consonant::Ha if next == Some(Consonant::Na) => Symbol::N,
        Consonant::Ha if next == Some(Consonant::Ma) => Symbol::M,
        Consonant::Pha => Symbol::F,
        other => letters::consonant(other),
    }
}

/// Returns whether the letters or clusters of a word indicate that it is English: ക്ലിനിക്, ട്രാഫിക്, ഫേസ്ബുക്.
fn is_english(letters: &[Letter]) -> bool {
    use Consonant::{Ba, Dda, Ga, Ka, La, Pa, Pha, Ra, Rra, Sa, Tta};
    let pair = |pair: &[Letter]| {
        matches!(
            (pair[0].consonant(), pair[1].consonant()),
            (Some(Ka | Ga | Pa | Ba | Tta | Dda), Some(La | Ra)) | (Some(Sa), Some(Rra | Tta))
        )
    };
    let begins = matches!(letters.first().and_then(|first| first.consonant()), Some(Tta | Dda | Ba));
    begins || letters.iter().any(|letter| letter.consonant() == Some(Pha)) || letters.windows(2).any(pair)
}

/// Returns the sound of a stop: voiced between vowels and between a nasal and a vowel.
fn plosive(letter: Consonant, before: Option<Letter>, at_vowel: bool) -> Symbol {
    let voiced = match before {
        Some(Letter::Vowel(_)) => at_vowel,
        // after ം, which is at the boundary of a compound, only p is voiced: ഇഷ്ടംപോലെ, but not വള്ളംകളി
        Some(Letter::Anusvara) => letter == Consonant::Pa,
        Some(Letter::Consonant(before)) => is_nasal_of(before, letter),
        _ => false,
    };
    match letter {
        Consonant::Ka if voiced => Symbol::G,
        Consonant::Ca if voiced => Symbol::J,
        Consonant::Tta if voiced => Symbol::Dd,
        Consonant::Ta if voiced => Symbol::D,
        Consonant::Pa if voiced => Symbol::B,
        other => letters::consonant(other),
    }
}

/// Returns whether a nasal has the same place of articulation as a stop.
fn is_nasal_of(nasal: Consonant, stop: Consonant) -> bool {
    use Consonant::{Ca, Ka, Ma, Na, Nga, Nna, Nya, Pa, Ta, Tta};
    matches!((nasal, stop), (Nga, Ka) | (Nya, Ca) | (Nna, Tta) | (Na, Ta) | (Ma, Pa))
}

fn nasal(before: Option<Letter>, last: Option<Consonant>, next: Option<Consonant>) -> Symbol {
    let dental = match (last, next) {
        (Some(Consonant::Na), _) | (_, Some(Consonant::Na)) => true,
        (_, Some(next)) if dravidian::is_dental(next) => true,
        (Some(last), _) if dravidian::is_dental(last) => true,
        (_, Some(_)) => false,
        _ => before.is_none(),
    };
    if dental { Symbol::DentN } else { Symbol::N }
}

/// Returns whether the ത at `i` is between a vowel and a സ that a vowel or another consonant follows.
fn is_lateral(letters: &[Letter], i: usize) -> bool {
    let follows_vowel = i.checked_sub(1).is_some_and(|i| letters[i].is_vowel());
    follows_vowel && consonant_at(letters, i + 1) == Some(Consonant::Sa) && letters.len() > i + 2
}

/// Returns whether a റ belongs to the genitive ending -ന്റെ.
fn is_genitive(letters: &[Letter], i: usize) -> bool {
    matches!(letters.get(i + 1), Some(Letter::Vowel(Vowel::ShortE | Vowel::E)))
}

/// Returns whether the inherent vowel at `i` is pronounced e in speech: after a voiced consonant at the beginning of
/// the word.
fn is_fronted(letters: &[Letter], i: usize) -> bool {
    use Consonant::{Ba, Da, Ga, Ja, Ra};
    let [Letter::Consonant(Ga | Ja | Da | Ba | Ra), Letter::Vowel(Vowel::A)] =
        letters[..2.min(letters.len())]
    else {
        return false;
    };
    i == 1 && letters.len() > 2
}
