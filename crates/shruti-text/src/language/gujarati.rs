//! Gujarati.
//!
//! The phonology follows Cardona & Suthar (2003). Schwa deletion works as in Hindi, but the inherent vowel is spoken
//! after જ્ઞ and after a final cluster that ends in a glide, r, m, n or ɳ. Vowel length is not contrastive. ઐ and ઔ are
//! diphthongs. h after a vowel makes the vowel murmured and is not a separate sound. એ and ઓ are open in the words of
//! `data/gu/stems.tsv`.
//!
//! In speech, ડ is a flap after a vowel, અહે and અહો are pronounced as open murmured vowels, and a long vowel before ં
//! is nasal.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa::{self, SchwaContext};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, short};
use crate::phone::PhoneticDetail;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Gujarati,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &STEMS),
    allophones: Some(allophones),
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 2.0 },
    keywords: None,
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("gu/morphemes.toml")));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_inner, deletes, ..schwa::Rules::PLAIN };

const VOWELS: Vowels = Vowels {
    vocalic: short(Symbol::UShort),
    vocalic_long: short(Symbol::UShort),
    candra_e: short(Symbol::OpenE),
    ai: &[short(Symbol::Schwa), short(Symbol::IShort)],
    au: &[short(Symbol::Schwa), short(Symbol::UShort)],
    ..indo_aryan::VOWELS
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("gu/stems.tsv")));

fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    // dictionary notation follows the printed spelling, so words are not respelled
    let word = if detail == PhoneticDetail::Spoken { STEMS.respell(word) } else { word.into() };
    indo_aryan::phones(&Word::parse(&word, &MORPHEMES, &RULES), &Gujarati { detail })
}

fn keeps_final(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{Ja, Ma, Na, Nna, Nya, Ra, Va, Ya};
    match akshara.consonants.as_slice() {
        [_, .., Ya | Va | Ra | Ma | Na | Nna] | [.., Ja, Nya] => true,
        [Ya] => before
            .is_some_and(|before| matches!(before.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::E))),
        _ => false,
    }
}

fn keeps_inner(akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    let cluster = &akshara.consonants;
    cluster.len() > 1 && !schwa::ends_in_retroflex(cluster) && !schwa::ends_in_loan(cluster)
}

/// Returns whether a vowel is deleted. In English words, the vowel is also silent between a final cluster and a case
/// ending (ટેસ્ટમાં), and before a cluster that begins the second member of a compound (હેડક્લાર્ક, સબસ્ટેશન).
fn deletes(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ka, La, Ma, Na, Ra, Sa, Tha, Va, Ya};
    let own = context.own.consonants.as_slice();
    let after = context.after.consonants.as_slice();
    let begins_member = context.begins_member();
    // the vowel after a cluster with initial r is silent before માં and થી (વર્ગમાં, અર્થથી) if it is also silent at the
    // end of the word (not ધર્મમાં); words such as કલ્પના and દર્શને have no such ending
    let locative = matches!(after, [Ma | Tha]) && is_locative(context.after);
    if locative && own.len() > 1 && own[0] == Ra && !keeps_final(context.own, None) {
        return true;
    }
    let ending = match after {
        // the endings -માં and English -મેન્ટ
        [Ma] => {
            context.after.anusvara && context.after.nucleus == Nucleus::Vowel(Vowel::Aa)
                || context.after.nucleus == Nucleus::Vowel(Vowel::E)
        }
        [Na | Tha] => matches!(context.after.nucleus, Nucleus::Vowel(_)),
        _ => false,
    };
    match own {
        [_] => after.len() == 1 && !context.crowds_nasal() || begins_member,
        // the vowel is silent after x and ns in English words: એક્સપર્ટ, ટ્રાન્સફર, but not બોક્સરો and નક્સલી
        [Ka | Na, Sa] => begins_member || after.len() == 1 && !matches!(after, [Ra | La | Va | Ya]),
        // the vowel is silent after English clusters that end in ટ or ડ: હાર્ડવેર, but not માસ્ટરો and કસ્ટમર
        _ if schwa::ends_in_retroflex(own) => {
            begins_member || ending || after.len() == 1 && !matches!(after, [Ra | Ma | Ya | Sa])
        }
        _ => ends_in_cluster(own) && (begins_member || ending),
    }
}

/// Returns whether an akshara that begins with મ or થ has the vowel of the ending માં or થી.
fn is_locative(akshara: &Akshara) -> bool {
    match akshara.nucleus {
        Nucleus::Vowel(Vowel::Aa) => akshara.anusvara,
        Nucleus::Vowel(vowel) => vowel == Vowel::Ii,
        _ => false,
    }
}

/// Returns whether a cluster ends only English words, or words whose final vowel is silent even before an ending: સેલ્સ,
/// વર્ષ, પક્ષ, વર્ગ.
fn ends_in_cluster(cluster: &[Consonant]) -> bool {
    use Consonant::{Ca, Dda, Ga, Ka, Ma, Na, Pa, Ra, Sa, Ssa, Tha};
    schwa::ends_in_retroflex(cluster)
        || schwa::ends_in_loan(cluster)
        || matches!(
            cluster,
            [Ra | Na, Ka] | [.., Dda | Ga | Pa | Tha, Sa] | [Ma, Pa] | [Na, Ca] | [Ra, Ga | Ssa] | [Ka, Ssa]
        )
}

/// Returns whether the cluster after an e or o indicates that the word is English and the vowel is open: ફ્રેક્ચર, એવોર્ડ.
fn opens(vowel: Vowel, after: &[Consonant]) -> bool {
    use Consonant::{Ca, Dda, Fa, Ja, Ka, La, Ma, Na, Pa, Pha, Ra, Sa, Sha, Tta};
    match vowel {
        Vowel::E => matches!(
            after,
            [Ka, Tta | Sa | Ca | Sha, ..]
                | [Na, Tta | Dda | Sa | Ca, ..]
                | [Ma, Pa, ..]
                | [La, Tta | Dda | Pa | Pha | Fa, ..]
                | [Sa | Pa, Tta, ..]
        ),
        Vowel::O => matches!(
            after,
            [Ra, Tta | Dda | Ma | Sa | Ka | Na | Ja | Pa | Ca, ..]
                | [Na, Tta | Dda, ..]
                | [Ka, Tta | Sa, ..]
                | [Ma | Pa, Pa | Tta | Sa, ..]
        ),
        _ => false,
    }
}

struct Gujarati {
    detail: PhoneticDetail,
}

impl Sounds for Gujarati {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let in_coda = i > 0 && word.vowel(i).is_none();
        // h at the end of a syllable is not a separate sound, but murmur of the preceding vowel
        let spoken = match word.aksharas[i].consonants.as_slice() {
            [before @ .., Consonant::Ha] if in_coda => before,
            all => all,
        };
        let spoken = if self.detail == PhoneticDetail::Spoken && is_flap(word, i) {
            phones.push(Phone::new(Symbol::Rd));
            &spoken[1..]
        } else {
            spoken
        };
        indo_aryan::push_consonants(phones, spoken, [Symbol::G, Symbol::N]);
    }

    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        match vowel {
            Vowel::I if word.next(i).is_none() => phones.push(VOWELS.ii),
            Vowel::U if word.next(i).is_none() => phones.push(VOWELS.uu),
            Vowel::E | Vowel::O
                if self.detail == PhoneticDetail::Spoken
                    && word.next(i).is_some_and(|next| opens(vowel, &next.consonants)) =>
            {
                let open = if vowel == Vowel::E { Vowel::CandraE } else { Vowel::CandraO };
                indo_aryan::push_vowel(phones, &VOWELS, open);
            }
            _ => indo_aryan::push_vowel(phones, &VOWELS, vowel),
        }
    }

    /// Nasalises the vowel for ઁ, before h, v and y, and after long vowels; after a long vowel before a voiced stop,
    /// dictionary notation has a consonant instead. In other contexts, appends the nasal of the following consonant.
    fn nasal_before(&self, next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if ends_in_un(word, i)
            && let Some(last) = phones.last_mut()
        {
            *last = VOWELS.uu;
            return nasal::nasalise_last(phones);
        }
        let long = phones.last().is_some_and(|last| last.long);
        let voiced = nasal::is_voiced_plosive(next) && self.detail == PhoneticDetail::Phonemic;
        let before_glide = matches!(next, Symbol::H | Symbol::V | Symbol::Y);
        if word.aksharas[i].candrabindu || before_glide || long && !voiced {
            return nasal::nasalise_last(phones);
        }
        phones.push(Phone::new(nasal::homorganic(next)));
    }

    /// Appends nothing: the visarga is silent.
    fn visarga(&self, _word: &Word, _i: usize, _phones: &mut Vec<Phone>) {}
}

/// Returns whether the ું of an akshara ends a stem before a case ending, as in નેવુંમાં and પંચાણુંથી. The vowel is
/// then pronounced as at the end of a word.
fn ends_in_un(word: &Word, i: usize) -> bool {
    use Consonant::{Ma, Na, Tha};
    let own = &word.aksharas[i];
    let ending = word.next(i).is_some_and(|next| {
        matches!(next.consonants[..], [Ma | Na | Tha]) && matches!(next.nucleus, Nucleus::Vowel(_))
    });
    i > 0 && own.anusvara && own.nucleus == Nucleus::Vowel(Vowel::U) && ending
}

/// Returns whether an akshara is a flap: ડ, or ડ with the ય of a past form (પડ્યો), after a vowel that is not nasal but
/// may be silent (કપડાં). The ડ of an English word is not a flap. An open e or o after ડ indicates an English word:
/// રેસિડેન્સી.
fn is_flap(word: &Word, i: usize) -> bool {
    let Some(before) = i.checked_sub(1).map(|before| &word.aksharas[before]) else { return false };
    let own = &word.aksharas[i];
    let open = before.nucleus != Nucleus::None && !before.anusvara && !before.candrabindu;
    // ડ at the end of the first member of an English compound is not a flap: હેડક્લાર્ક
    let closes = word.vowel(i).is_none() && word.next(i).is_some_and(|next| next.consonants.len() > 1);
    let english = match own.nucleus {
        Nucleus::Vowel(Vowel::CandraE | Vowel::CandraO) => true,
        Nucleus::Vowel(vowel) => word.next(i).is_some_and(|next| opens(vowel, &next.consonants)),
        _ => false,
    };
    open && !closes
        && !english
        && matches!(own.consonants[..], [Consonant::Dda] | [Consonant::Dda, Consonant::Ya])
        && own.nucleus != Nucleus::None
}

/// Merges ə, h and a following e or o into one open murmured vowel: પહેલું, પહોંચવું.
fn allophones(phones: &mut Vec<Phone>) {
    let mut i = 0;
    while let [first, h, vowel, rest @ ..] = &mut phones[i..] {
        let open = match vowel.symbol {
            Symbol::E => Some(Symbol::OpenE),
            // a final o is not merged, because it may be a plural ending, as in the plural of ગ્રહ
            Symbol::O if !rest.is_empty() => Some(Symbol::OpenO),
            _ => None,
        };
        if let (Symbol::Schwa, Symbol::H, Some(open)) = (first.symbol, h.symbol, open) {
            vowel.symbol = open;
            phones.drain(i..i + 2);
        }
        i += 1;
    }
}
