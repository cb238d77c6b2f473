//! Konkani (beta), in Devanagari: the standard of Goa, based on the Antruz dialect.
//!
//! The phonology follows Almeida (1989), *A Description of Konkani*, and Miranda (2003), "Konkani", in Cardona & Jain
//! (eds.), *The Indo-Aryan Languages*. Vowel length is not contrastive. Schwa deletion works as in Marathi, but after a
//! final cluster, the inherent vowel is spoken only if the cluster is a stop and a sonorant (मित्र) or ends in y.
//! Between y and a final consonant, the inherent vowel is silent (आयज, बायल). The ending -तलो of the future keeps its
//! inherent vowel (करतलो).
//!
//! A nasal vowel is written with ं at the end of words, before consonants other than stops, and after a long vowel also
//! before voiceless stops (पांच). Before all other stops, ं is a nasal consonant. The spelling does not indicate
//! whether e and o are close or open. They are open in the second-to-last syllable before -े, -ें and -्या (घोडे,
//! केलें), in the ending -ें, and in the words of `data/kok/stems.tsv`; in all other positions they are close (घोडो,
//! केली).
//!
//! च ज झ are pronounced ts dz dzʱ. Before front vowels and y, and in Sanskrit and English words, they are pronounced tʃ
//! dʒ dʒʱ, except that झ in English words is pronounced z. फ is pronounced f, and ष is pronounced ʃ.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::learned::{Learned, has_learned_letters, is_english};
use crate::g2p::letters::{self, push};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa::{self, SchwaContext};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, long, short};
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Devanagari,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[(Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    keywords: Some(|| crate::files::text!("kok/keywords.tsv")),
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("kok/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("kok/stems.tsv")));

static LEARNED: LazyLock<Learned> = LazyLock::new(|| Learned::read(crate::files::text!("kok/learned.txt")));

const RULES: schwa::Rules =
    schwa::Rules { keeps_final, keeps_inner: keeps_final, deletes, ..schwa::Rules::PLAIN };

const VOWELS: Vowels = Vowels {
    i: short(Symbol::I),
    u: short(Symbol::U),
    vocalic: short(Symbol::U),
    vocalic_long: short(Symbol::U),
    candra_e: long(Symbol::OpenE),
    ai: &[short(Symbol::Schwa), short(Symbol::I)],
    candra_o: long(Symbol::OpenO),
    au: &[short(Symbol::Schwa), short(Symbol::U)],
    ..indo_aryan::VOWELS
};

fn pronounce(written: &str) -> Vec<Phone> {
    let mut word = Word::parse(&STEMS.respell(written), &MORPHEMES, &RULES);
    keep_in_future(&mut word);
    delete_after_y(&mut word);
    // the written form is examined, because letters of a respelling do not indicate that a word is English; the oblique
    // ending with y, which native words also have, can be anywhere: म्हज्या
    let by_letters = || has_learned_letters(&akshara::parse(written), |_| true);
    let learned = LEARNED.begins(written).unwrap_or_else(by_letters);
    indo_aryan::phones(&word, &Konkani { learned })
}

/// Returns whether the vowel after a final cluster is spoken: after an obstruent and a sonorant other than h, and after
/// a cluster that ends in y (सामान्य).
fn keeps_final(akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    use Consonant::{Ha, La, Lla, Ma, Na, Nna, Nya, Ra, Rra, Va, Ya};
    let is_sonorant =
        |letter: &Consonant| matches!(letter, La | Lla | Ma | Na | Nna | Nya | Ra | Rra | Va | Ya | Ha);
    match akshara.consonants.as_slice() {
        [.., Ha] => false,
        [.., before, Ya] => *before != Ya,
        [.., before, last] => !is_sonorant(before) && is_sonorant(last),
        _ => false,
    }
}

fn deletes(context: &SchwaContext<'_>) -> bool {
    let simple = context.is_simple() || context.own.consonants.len() == 1 && is_oblique(context.after);
    simple && (!context.before.anusvara || is_open_after_nasal(context))
}

/// Returns whether an akshara is the oblique -yā or the feminine plural -yo of a stem: सगळ्या, घरातल्यान, but not
/// समस्या.
fn is_oblique(akshara: &Akshara) -> bool {
    use Consonant::{Ca, Dda, Ja, Ka, La, Lla, Ma, Nna, Ra, Rra, Tta, Ttha, Va, Ya};
    matches!(akshara.nucleus, Nucleus::Vowel(Vowel::Aa | Vowel::O))
        && matches!(
            akshara.consonants.as_slice(),
            [Ca | Dda | Ja | Ka | La | Lla | Ma | Nna | Ra | Rra | Tta | Ttha | Va, Ya]
        )
}

/// Returns whether the vowel can be deleted after a consonant that follows ं, so that the nasal, its stop and the next
/// consonant are adjacent: सांगता, कोंकणी, मंगळार. A glide after a nasal vowel behaves as after other vowels: संवसार.
fn is_open_after_nasal(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ga, Ka, Ma, Na, Nna, Va, Ya};
    if matches!(context.own.consonants[..], [Va | Ya]) {
        return true;
    }
    let is_nasal = |akshara: &Akshara| matches!(akshara.consonants.first(), Some(Na | Nna | Ma));
    if is_nasal(context.own) || context.own.consonants == context.after.consonants {
        return false;
    }
    let first = context.own.consonants.first();
    first == Some(&Ka) || !is_nasal(context.after) && (context.last || first == Some(&Ga))
}

/// Keeps the inherent vowel of the ending -तलो of the future after a stem that ends in a nasal with its stop (सांगतलो),
/// and after a stem of one open syllable (जातलो). Makes it silent after other stems that end in a vowel, as in the
/// locative in -आ: घरातलो.
fn keep_in_future(word: &mut Word) {
    use Consonant::{Da, Ga, Ja, Kha, La, Ta, Tta, Va, Ya};
    let count = word.aksharas.len();
    let Some(place) = count.checked_sub(2).filter(|&place| place > 0) else { return };
    let [.., before, own, last] = word.aksharas.as_slice() else { return };
    let inflected =
        matches!(last.nucleus, Nucleus::Vowel(Vowel::O | Vowel::I | Vowel::Ii | Vowel::E | Vowel::Aa));
    let ending = matches!(own.consonants[..], [Ta | Tta])
        && own.nucleus == Nucleus::Inherent
        && matches!(last.consonants[..], [La] | [La, Ya])
        && inflected;
    if !ending {
        return;
    }
    let after_nasal = place > 1 && word.aksharas[place - 2].anusvara && before.nucleus == Nucleus::Inherent;
    if after_nasal {
        word.silent[place - 1] = true;
        word.silent[place] = false;
    } else if before.nucleus != Nucleus::Inherent || place == 1 {
        let open_stem = matches!(before.consonants[..], [Da | Ga | Ja | Kha | Va | Ya]);
        word.silent[place] = !(place == 1 && open_stem && !before.anusvara);
    }
}

/// Makes the vowel after y silent before a consonant whose own vowel is silent: आयज, बायल. Inside a word, the vowel of
/// the consonant is then spoken: आयकता.
fn delete_after_y(word: &mut Word) {
    let count = word.aksharas.len();
    for place in 1..count.saturating_sub(1) {
        let own = &word.aksharas[place];
        let signs = own.anusvara || own.candrabindu || own.visarga;
        let bare = own.nucleus == Nucleus::Inherent && own.consonants[..] == [Consonant::Ya] && !signs;
        let open = word.vowel(place - 1).is_some();
        if bare && open && !word.silent[place] && word.silent[place + 1] {
            word.silent[place] = true;
            word.silent[place + 1] = place + 2 == count;
        }
    }
}

/// Pronunciation of one word.
struct Konkani {
    /// `true` if the word is Sanskrit or English, so that its च and ज are palatal before every vowel.
    learned: bool,
}

impl Konkani {
    /// Returns whether the akshara at `i` has the palatals of a learned word. The genitive ending -चो does not have
    /// them: समाजाचो.
    fn is_learned(&self, word: &Word, i: usize) -> bool {
        let own = &word.aksharas[i];
        let genitive = own.consonants[..] == [Consonant::Ca] && own.nucleus == Nucleus::Vowel(Vowel::O);
        self.learned && !(genitive && i > 1 && i + 1 == word.aksharas.len())
    }
}

impl Sounds for Konkani {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let letters = word.aksharas[i].consonants.as_slice();
        // व्ह represents English v (ड्रायव्ह, नोव्हेंबर), but not at the start of native words (व्हड)
        let native = i == 0
            && !matches!(
                word.aksharas[i].nucleus,
                Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::CandraO | Vowel::CandraE)
            );
        if let [Consonant::Va, Consonant::Ha] = letters
            && !native
        {
            return push(phones, Symbol::V);
        }
        for place in 0..letters.len() {
            push(phones, sound(&word.aksharas[i], place, self.is_learned(word, i)));
            // ज्ञ is pronounced ɡnj
            if place > 0 && letters[place - 1..=place] == [Consonant::Ja, Consonant::Nya] {
                push(phones, Symbol::Y);
            }
        }
    }

    /// Appends the vowel. A ँ on the inherent vowel can also represent ॅ: बँक.
    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        let akshara = &word.aksharas[i];
        let opened = match vowel {
            Vowel::A if akshara.candrabindu => Vowel::CandraE,
            Vowel::E if is_open(word, i) => Vowel::CandraE,
            Vowel::O if is_open(word, i) => Vowel::CandraO,
            other => other,
        };
        indo_aryan::push_vowel(phones, &VOWELS, opened);
    }

    /// Applies a nasal sign. Before a stop or an affricate, ं is pronounced as the nasal consonant with the same place
    /// of articulation; before m or n after a short vowel, it lengthens that consonant. In other contexts, and between
    /// a long vowel and a voiceless stop in words that are not English, it nasalises the vowel.
    fn nasal_before(&self, _next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let next = sound(&word.aksharas[i + 1], 0, self.is_learned(word, i + 1));
        let long = phones.last().is_some_and(|last| last.long);
        let english = is_english(word.aksharas[i].nucleus) || word.aksharas[i].candrabindu;
        let stop = nasal::is_plosive(next) && (!long || english || nasal::is_voiced_plosive(next));
        let nasal = matches!(next, Symbol::M | Symbol::N) && !long;
        if stop {
            phones.push(Phone::new(nasal::homorganic(next)));
        } else if nasal {
            phones.push(Phone::new(next));
        } else {
            nasal::nasalise_last(phones);
        }
    }
}

/// Returns whether e or o is open: in the ending -ें, and in the second-to-last syllable before -े, -ें and -्या.
fn is_open(word: &Word, i: usize) -> bool {
    let akshara = &word.aksharas[i];
    let Some(next) = word.next(i) else {
        return akshara.anusvara && akshara.nucleus == Nucleus::Vowel(Vowel::E);
    };
    let oblique =
        matches!(next.consonants[..], [_, Consonant::Ya]) && next.nucleus == Nucleus::Vowel(Vowel::Aa);
    let lowering = next.nucleus == Nucleus::Vowel(Vowel::E) || oblique;
    i + 2 == word.aksharas.len() && lowering && !akshara.anusvara
}

/// Returns the sound of one consonant of an akshara.
fn sound(akshara: &Akshara, place: usize, learned: bool) -> Symbol {
    let front = matches!(
        akshara.nucleus,
        Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::E | Vowel::Ai | Vowel::VocalicR | Vowel::CandraE)
    );
    let after = akshara.consonants.get(place + 1);
    let palatal = learned || front || after == Some(&Consonant::Ya);
    match akshara.consonants[place] {
        Consonant::Ja if after == Some(&Consonant::Nya) => Symbol::G,
        Consonant::Nya if place > 0 && akshara.consonants[place - 1] == Consonant::Ja => Symbol::N,
        Consonant::Ca if !palatal => Symbol::Ts,
        Consonant::Ja if !palatal => Symbol::Dz,
        // झ represents English z: रेझॉर्ट
        Consonant::Jha if learned => Symbol::Z,
        Consonant::Jha if !palatal => Symbol::Dzh,
        Consonant::Pha | Consonant::Fa => Symbol::F,
        Consonant::Ssa => Symbol::Sh,
        Consonant::Rra => Symbol::R,
        letter => letters::consonant(letter),
    }
}
