//! Marathi.
//!
//! Phonology after Dhongde & Wali (2009). The inherent vowel falls as in Hindi, but is spoken after a final
//! cluster (पंख). Vowel length is not contrastive. च ज झ are ts dz dzʱ, and tʃ dʒ dʒʱ before front vowels and in
//! Sanskrit and English words; ं before fricatives and glides is a nasal glide, close to u.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::morphemes::Morphemes;
use super::{nasal, schwa};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/mr/exceptions.tsv");
const LEARNED_TXT: &str = include_str!("../../data/mr/learned.txt");
const MORPHEMES_TOML: &str = include_str!("../../data/mr/morphemes.toml");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));
static MORPHEMES: LazyLock<Morphemes> = LazyLock::new(|| Morphemes::read(MORPHEMES_TOML));

static LEARNED: LazyLock<Learned> = LazyLock::new(|| Learned::read(LEARNED_TXT));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_joint, falls };

/// The phones of a Marathi word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let morphemes = MORPHEMES.of(word, &aksharas);
    let silent = schwa::silent(&aksharas, &morphemes, &RULES);
    let word_learned = is_learned(&aksharas) || LEARNED.begins(word);
    let learned = |i: usize| word_learned && !(i > 1 && i + 1 == aksharas.len() && is_genitive(&aksharas[i]));
    let mut phones = Vec::with_capacity(word.len() / 2);
    for (i, akshara) in aksharas.iter().enumerate() {
        let next = aksharas.get(i + 1);
        consonants(akshara, learned(i), &mut phones);
        vowel(akshara, next, silent[i], &mut phones);
        nasals(akshara, next, learned(i + 1), &mut phones);
        if akshara.visarga {
            phones.push(Phone::new(Symbol::H));
        }
    }
    nasal::assimilate(&mut phones);
    phones
}

fn keeps_final(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{Ka, La, Ma, Na, Ra, Sa, Tta};
    // clusters in s are English: फ्रान्स, जेम्स
    if let [.., Ka | La | Ma | Na | Ra | Tta, Sa] = akshara.consonants.as_slice() {
        return false;
    }
    akshara.consonants.len() > 1 || before.is_some_and(|before| before.anusvara)
}

fn keeps_joint(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    keeps_final(akshara, before)
}

fn falls(joint: &schwa::Joint<'_>) -> bool {
    joint.is_simple() && !is_feminine(joint) && (!joint.before.anusvara || is_open_after_nasal(joint))
}

/// The ending -āvatī of names: अमरावती.
fn is_feminine(joint: &schwa::Joint<'_>) -> bool {
    use Consonant::{Ta, Va};
    let long_a = joint.before.nucleus == Nucleus::Vowel(Vowel::Aa);
    let ti = joint.after.consonants[..] == [Ta] && joint.after.nucleus == Nucleus::Vowel(Vowel::Ii);
    joint.last && long_a && joint.own.consonants[..] == [Va] && ti
}

/// A nasal, its stop and a liquid may meet: चांगला, पिंजरा.
fn is_open_after_nasal(joint: &schwa::Joint<'_>) -> bool {
    use Consonant::{Ga, Ka, Ma, Na, Nna};
    let is_nasal = |akshara: &Akshara| matches!(akshara.consonants.first(), Some(Na | Nna | Ma));
    // संमती
    if is_nasal(joint.own) {
        return false;
    }
    let not_nasal = !is_nasal(joint.after);
    // the verbs in -ंगणे keep it
    let first = joint.own.consonants.first();
    first == Some(&Ka) || not_nasal && (joint.last || first == Some(&Ga))
}

/// Beginnings of words whose palatals their letters do not show.
#[derive(Debug)]
struct Learned {
    /// Each with whether it is one; `false` for a longer one of native words.
    beginnings: HashMap<&'static str, bool>,
    /// Bytes of the longest one.
    longest: usize,
}

impl Learned {
    fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entries = lines.flat_map(str::split_whitespace);
        let beginnings: HashMap<_, _> = entries
            .map(|entry| entry.strip_prefix('-').map_or((entry, true), |native| (native, false)))
            .collect();
        let longest = beginnings.keys().map(|beginning| beginning.len()).max().unwrap_or(0);
        Self { beginnings, longest }
    }

    /// Whether a word begins with one; the longest that fits counts.
    fn begins(&self, word: &str) -> bool {
        let ends = word.char_indices().map(|(start, c)| start + c.len_utf8());
        let ends = ends.take_while(|&end| end <= self.longest);
        // a virama belongs to the letter before it: जल् is not जल
        let ends = ends.filter(|&end| !word[end..].starts_with(akshara::is_virama));
        ends.filter_map(|end| self.beginnings.get(&word[..end])).last().copied().unwrap_or(false)
    }
}

/// The ending -चा, which is native whatever it is attached to: राजाचा.
fn is_genitive(akshara: &Akshara) -> bool {
    akshara.consonants[..] == [Consonant::Ca] && akshara.nucleus == Nucleus::Vowel(Vowel::Aa)
}

/// Whether a word's letters show that it is Sanskrit, so that its च and ज are palatal before every vowel.
fn is_learned(aksharas: &[Akshara]) -> bool {
    use Consonant::{Ca, Cha, Ja, Nya, Ssa};
    aksharas.iter().any(|akshara| {
        let vocalic = matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR));
        let english = matches!(akshara.nucleus, Nucleus::Vowel(Vowel::CandraO | Vowel::CandraE));
        let letters = akshara.consonants.as_slice();
        let cluster = letters.len() > 1 && letters.iter().any(|letter| matches!(letter, Ca | Cha | Ja | Nya));
        vocalic || english || cluster || letters.contains(&Ssa)
    })
}

fn consonants(akshara: &Akshara, learned: bool, phones: &mut Vec<Phone>) {
    for place in 0..akshara.consonants.len() {
        push(phones, sound(akshara, place, learned));
    }
}

/// The sound of one consonant of an akshara.
fn sound(akshara: &Akshara, place: usize, learned: bool) -> Symbol {
    let front = matches!(
        akshara.nucleus,
        Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::E | Vowel::Ai | Vowel::VocalicR | Vowel::CandraE)
    );
    let after = akshara.consonants.get(place + 1);
    let palatal = learned || front || after == Some(&Consonant::Ya);
    match akshara.consonants[place] {
        Consonant::Ja if after == Some(&Consonant::Nya) => Symbol::J,
        Consonant::Nya if place > 0 => Symbol::N,
        Consonant::Ca if !palatal => Symbol::Ts,
        Consonant::Ja if !palatal => Symbol::Dz,
        Consonant::Jha if !palatal => Symbol::Dzh,
        Consonant::Fa => Symbol::Ph,
        Consonant::Rra => Symbol::R,
        letter => letters::consonant(letter),
    }
}

fn vowel(akshara: &Akshara, _next: Option<&Akshara>, silent: bool, phones: &mut Vec<Phone>) {
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent if silent => return,
        Nucleus::Inherent => Vowel::A,
        Nucleus::Vowel(vowel) => vowel,
    };
    match vowel {
        Vowel::A => phones.push(Phone::new(Symbol::Schwa)),
        Vowel::Aa => phones.push(Phone::new(Symbol::A).long()),
        Vowel::I => phones.push(Phone::new(Symbol::I)),
        Vowel::Ii => phones.push(Phone::new(Symbol::I).long()),
        Vowel::U => phones.push(Phone::new(Symbol::U)),
        Vowel::Uu => phones.push(Phone::new(Symbol::U).long()),
        Vowel::VocalicR | Vowel::VocalicRr => {
            push(phones, Symbol::R);
            phones.push(Phone::new(Symbol::U));
        }
        Vowel::VocalicL => {
            push(phones, Symbol::L);
            phones.push(Phone::new(Symbol::U));
        }
        Vowel::CandraE => phones.push(Phone::new(Symbol::Ae)),
        Vowel::ShortE | Vowel::E => phones.push(Phone::new(Symbol::E).long()),
        Vowel::Ai => phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::I)]),
        Vowel::CandraO => phones.push(Phone::new(Symbol::OpenO)),
        Vowel::ShortO | Vowel::O => phones.push(Phone::new(Symbol::O).long()),
        Vowel::Au => phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::U)]),
    }
}

/// ं is the nasal of the stop that follows, a nasal glide before other consonants, and silent at the end, where
/// it only marks what was once a nasal vowel (केलं).
fn nasals(akshara: &Akshara, next: Option<&Akshara>, learned: bool, phones: &mut Vec<Phone>) {
    if !akshara.anusvara && !akshara.candrabindu {
        return;
    }
    let Some(next) = next.filter(|next| !next.consonants.is_empty()) else { return };
    let symbol = sound(next, 0, learned);
    if nasal::is_plosive(symbol) {
        phones.push(Phone::new(nasal::homorganic(symbol)));
    } else if matches!(symbol, Symbol::M | Symbol::N) {
        phones.push(Phone::new(symbol));
    } else {
        phones.push(Phone::new(Symbol::U));
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
            ("पंख", "p ə ŋ kʰ ə", "the vowel after a final cluster"),
            ("गरज", "ɡ ə ɾ ə dz", "native j"),
            ("विंचू", "ʋ i n ts uː", "native c"),
            ("चिखल", "tʃ i kʰ ə l", "c before a front vowel"),
            ("मिळणे", "m i ɭ ɳ eː", "VC_CV"),
            ("सैल", "s ə i l", "diphthong"),
            ("उच्चार", "u tʃː aː ɾ", "Sanskrit c"),
            ("संवाद", "s ə u ʋ aː d̪", "nasal glide"),
            ("संमती", "s ə mː ə t̪ iː", "two nasals close no syllable"),
            ("जेम्स", "dʒ eː m s", "an English cluster"),
            ("टांगणे", "ʈ aː ŋ ɡ ə ɳ eː", "a nasal, a stop and a nasal do not meet"),
            ("चांगला", "ts aː ŋ ɡ l aː", "but a nasal, a stop and l do"),
            ("पद्मावती", "p ə d̪ m aː ʋ ə t̪ iː", "-āvatī"),
            ("चंद्राने", "tʃ ə n d̪ ɾ aː n eː", "a learned word with an ending"),
            ("राजाचा", "ɾ aː dʒ aː ts aː", "its native ending"),
            ("गोष्टींचा", "ɡ oː ʂ ʈ iː n ts aː", "the nasal before a native ending"),
            ("चारा", "ts aː ɾ aː", "a native word that begins like one"),
            ("मोठेपणा", "m oː ʈʰ eː p ə ɳ aː", "a suffix"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
