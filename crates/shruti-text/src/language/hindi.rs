//! Hindi.
//!
//! The phonology follows Ohala (1999). Schwa deletion uses the shared rules. ऐ and औ are pronounced ɛː and ɔː, but as
//! diphthongs before य and व respectively (भैया). Final short ि and ु are pronounced long. ज्ञ is pronounced ɡj.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa::{self, SchwaContext};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::short;
use crate::phone::PhoneticDetail;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Devanagari,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    keywords: None,
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("hi/morphemes.toml")));

pub(super) static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("hi/stems.tsv")));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_inner, deletes, ..schwa::Rules::PLAIN };

/// Returns the phones of a word.
pub(super) fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    let word = Word::parse(&STEMS.respell(word), &MORPHEMES, &RULES);
    let mut phones = indo_aryan::phones(&word, &Hindi);
    // the h of a visarga does not open the vowel: पूर्णतः
    if detail == PhoneticDetail::Spoken && !word.aksharas.iter().any(|akshara| akshara.visarga) {
        realise(&mut phones);
    }
    phones
}

/// Returns whether the final vowel is kept: after a glide that follows another consonant, and after ज्ञ: राज्य, काव्य,
/// तत्त्व, यज्ञ.
fn keeps_final(akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    use Consonant::{Ja, Nya, Va, Ya};
    match akshara.consonants.as_slice() {
        [.., Ja, Nya] => true,
        [.., before, glide @ (Ya | Va)] => before != glide,
        _ => false,
    }
}

/// Returns whether the vowel is kept at a morpheme boundary: in the contexts of [`keeps_final`], and after r, l, n or m
/// that follows another consonant (मित्रगण, आत्मकथा), but not if that consonant is r (धर्मभूमि).
fn keeps_inner(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{La, Ma, Na, Ra};
    let liquid = match akshara.consonants.as_slice() {
        [.., first, Ra] => *first != Ra,
        [.., first, La | Na | Ma] => !matches!(first, Ra | La | Na | Ma),
        _ => false,
    };
    liquid || keeps_final(akshara, before)
}

fn deletes(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Dda, Fa, Ga, Ja, Ka, La, Pa, Pha, Ra, Sa, Ta, Tta, Va, Ya, Za};
    let after = context.after.consonants.as_slice();
    // the vowel is kept before Sanskrit -ति: अनुमति, प्रगति
    let abstract_noun = context.last && after == [Ta] && context.after.nucleus == Nucleus::Vowel(Vowel::I);
    if abstract_noun {
        return false;
    }
    // the vowel is kept before a last akshara with g or t, after a short vowel with ं: गंदगी, दंपती
    let short =
        matches!(context.before.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::A | Vowel::I | Vowel::U));
    if context.last && context.before.anusvara && short && matches!(after, [Ga | Ta]) {
        return false;
    }
    // the vowel is kept between z and a preceding cluster of a nasal and a stop: इंतज़ार
    if context.before.anusvara && matches!(after, [Ja | Za]) {
        return false;
    }
    match context.own.consonants.as_slice() {
        // the vowel is deleted before the second member of a compound: हेडक्लार्क, ड्रायक्लीन
        [_] if context.begins_member() => true,
        // the vowel is deleted after x in English words: टेक्सटाइल, but not नक्सली
        [Ka, Sa] => after.len() == 1 && !matches!(after, [Ra | La | Va | Ya]) || context.begins_member(),
        // y keeps its vowel after i and after a nasal: नियमित, संयमी
        [Ya] => !context.before.anusvara && !is_i(context.before) && after.len() == 1,
        // the vowel is deleted after a single consonant, and after English clusters: सॉफ़्टवेयर, डिपार्टमेंट
        [_] | [Ra | Sa | Pha | Fa | Ka | Pa | La, Tta | Dda] => after.len() == 1,
        // r and a stop can end a syllable: धर्मभूमि, वर्तमान
        [Ra, second] => !matches!(second, Ya | Va | Ra) && after.len() == 1 && !context.last,
        _ => false,
    }
}

fn is_i(akshara: &Akshara) -> bool {
    matches!(akshara.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii))
}

struct Hindi;

impl Sounds for Hindi {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        indo_aryan::push_consonants(phones, &word.aksharas[i].consonants, [Symbol::G, Symbol::Y]);
    }

    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        let is_final = word.next(i).is_none() && !word.aksharas[i].visarga && phones.len() > 1;
        match (vowel, word.next_consonant(i)) {
            (Vowel::I, _) if is_final => phones.push(indo_aryan::VOWELS.ii),
            (Vowel::U, _) if is_final => phones.push(indo_aryan::VOWELS.uu),
            (Vowel::Ai, Some(Consonant::Ya)) => phones.extend([short(Symbol::Schwa), short(Symbol::I)]),
            (Vowel::Au, Some(Consonant::Va)) => phones.extend([short(Symbol::Schwa), short(Symbol::U)]),
            _ => indo_aryan::push_vowel(phones, &indo_aryan::VOWELS, vowel),
        }
    }

    /// Applies a nasal sign. ँ nasalises the vowel unless a voiced stop or affricate follows. ं nasalises the vowel
    /// before h, before v except in Sanskrit prefixes, and after long vowels other than आ and ऊ if neither s nor a
    /// voiced stop or affricate follows. In all other contexts, the sign represents a nasal consonant.
    fn nasal_before(&self, next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let Some(&vowel) = phones.last() else { return };
        if next == Symbol::H || word.aksharas[i].candrabindu && !nasal::is_voiced_plosive(next) {
            return nasal::nasalise_last(phones);
        }
        if next == Symbol::V && (vowel.long || !is_sanskrit_prefix(&word.aksharas[i])) {
            return nasal::nasalise_last(phones);
        }
        let nasal_before_voiceless = vowel.long && !matches!(vowel.symbol, Symbol::A | Symbol::U);
        // ं is a nasal consonant in English -ent- (सेंट, सेंट्रल); `stems.tsv` respells similar native words with ँ
        let english = vowel.symbol == Symbol::E && next == Symbol::Tt;
        if nasal_before_voiceless && !english && !nasal::is_voiced_plosive(next) && next != Symbol::S {
            return nasal::nasalise_last(phones);
        }
        let consonant = match next {
            Symbol::V | Symbol::F => Symbol::M,
            other => nasal::homorganic(other),
        };
        phones.push(Phone::new(consonant));
    }

    /// Appends h for a visarga, which is silent before k, kʰ, p and pʰ.
    fn visarga(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        match word.next_consonant(i).map(indo_aryan::consonant) {
            Some(Symbol::Kh | Symbol::K | Symbol::P | Symbol::Ph) => {}
            _ => phones.push(Phone::new(Symbol::H)),
        }
    }
}

/// Returns whether a nasal before v is the m of Sanskrit सम्-, -यम् and किम् (संवाद, स्वयंवर, किंवदंती); in other
/// words, ं is written instead of ँ (गांव, कुंवर).
fn is_sanskrit_prefix(akshara: &Akshara) -> bool {
    match akshara.nucleus {
        Nucleus::Inherent => matches!(akshara.consonants.last(), Some(Consonant::Sa | Consonant::Ya)),
        Nucleus::Vowel(Vowel::I) => akshara.consonants[..] == [Consonant::Ka],
        _ => false,
    }
}

/// Replaces ə next to h in the same syllable with ɛ (शहर, पहला, but not कहा), and inserts a glide between ə and eː, so
/// that रुपए sounds like रुपये.
pub(super) fn realise(phones: &mut Vec<Phone>) {
    let mut i = 0;
    while i < phones.len() {
        match phones[i..] {
            [Phone { symbol: Symbol::Schwa, .. }, Phone { symbol: Symbol::E, .. }, ..] => {
                phones.insert(i + 1, Phone::new(Symbol::Y));
            }
            [Phone { symbol: Symbol::Schwa, .. }, Phone { symbol: Symbol::H, .. }, ..] => {
                open_around_h(phones, i);
            }
            _ => {}
        }
        i += 1;
    }
}

/// Replaces the ə at `i`, which precedes h, and an ə after that h with ɛ. Nothing changes if another vowel follows h,
/// before Sanskrit clusters (रहस्य, महत्व), and after clusters with r (ग्रह).
fn open_around_h(phones: &mut [Phone], i: usize) {
    let is_vowel = |at: usize| phones.get(at).is_some_and(|phone| phone.is_vowel());
    let sanskrit = i > 1 && phones[i - 1].symbol == Symbol::R && !is_vowel(i - 2);
    let second = phones.get(i + 2).is_some_and(|phone| phone.symbol == Symbol::Schwa);
    let glide = |phone: &Phone| matches!(phone.symbol, Symbol::Y | Symbol::V);
    let closed = phones.get(i + 3).is_some_and(|after| after.long) || phones.get(i + 4).is_some_and(glide);
    if sanskrit || is_vowel(i + 2) && (!second || closed) {
        return;
    }
    phones[i].symbol = Symbol::OpenE;
    if second {
        phones[i + 2].symbol = Symbol::OpenE;
    }
}
