//! Odia.
//!
//! The phonology follows Majumdar (1970) and Neukom & Patnaik (2003), for spoken Odia: କ୍ଷ is pronounced kʰj and ଜ୍ଞ is
//! pronounced ɡj. The inherent vowel ɔ is spoken everywhere except in the loans of `data/or/stems.tsv`. ଶ ଷ ସ are all
//! pronounced s, ଯ is pronounced dʒ, ୟ is pronounced j, and ଳ is pronounced ɭ. ଂ nasalises the vowel, but is pronounced
//! m before labials and ŋ before velars and at the end of a word. ଡ and ଢ between vowels are flaps, with or without
//! their dots.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::position::Positions;
use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::letters::{self, push};
use crate::g2p::nasal;
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, long, short};
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Odia,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: Some(|context| POSITIONS.respell(context)),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::Schwa, Symbol::OpenO), (Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: false, handicap: 2.0 },
    keywords: None,
};

const VOWELS: Vowels = Vowels {
    a: short(Symbol::OpenO),
    aa: long(Symbol::A),
    i: short(Symbol::I),
    ii: short(Symbol::I),
    u: short(Symbol::U),
    uu: short(Symbol::U),
    vocalic: short(Symbol::U),
    vocalic_long: short(Symbol::U),
    candra_e: short(Symbol::E),
    short_e: short(Symbol::E),
    e: short(Symbol::E),
    ai: &[short(Symbol::OpenO), short(Symbol::I)],
    candra_o: short(Symbol::OpenO),
    short_o: short(Symbol::O),
    o: short(Symbol::O),
    au: &[short(Symbol::OpenO), short(Symbol::U)],
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("or/stems.tsv")));

static POSITIONS: LazyLock<Positions> =
    LazyLock::new(|| Positions::read(crate::files::text!("or/position.toml")));

fn pronounce(word: &str) -> Vec<Phone> {
    indo_aryan::phones(&Word::with_every_vowel(&respell(word)), &Odia)
}

/// Returns the word with the respelling of its stem. A loan may also be written with ଡ଼ for its ଡ or with ସ୍ଟ for ଷ୍ଟ:
/// ଷ୍ଟାଡ଼ିୟମ, ସ୍ଟୋରେଜ.
fn respell(word: &str) -> Cow<'_, str> {
    let respelled = STEMS.respell(word);
    if matches!(respelled, Cow::Owned(_)) || !VARIANTS.iter().any(|(written, _)| word.contains(written)) {
        return respelled;
    }
    let usual = VARIANTS.iter().fold(word.to_owned(), |word, (written, usual)| word.replace(written, usual));
    match STEMS.respell(&usual) {
        Cow::Owned(stem) => Cow::Owned(stem),
        Cow::Borrowed(_) => respelled,
    }
}

/// Spellings of loans, with the spelling in the table of stems.
const VARIANTS: [(&str, &str); 2] = [("ଡ଼", "ଡ"), ("ସ୍ଟ", "ଷ୍ଟ")];

struct Odia;

impl Sounds for Odia {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let consonants = &word.aksharas[i].consonants;
        let before = |place: usize| place.checked_sub(1).map(|before| consonants[before]);
        for (place, &letter) in consonants.iter().enumerate() {
            let symbol = match letter {
                Consonant::Ka if consonants.get(place + 1) == Some(&Consonant::Ssa) => Symbol::Kh,
                // the glide of କ୍ଷ is not spoken before another consonant: ସୂକ୍ଷ୍ମ, ତୀକ୍ଷ୍ଣ
                Consonant::Ssa
                    if before(place) == Some(Consonant::Ka)
                        && consonants.get(place + 1).is_some_and(|&next| is_nasal(next)) =>
                {
                    continue;
                }
                Consonant::Ssa if before(place) == Some(Consonant::Ka) => Symbol::Y,
                Consonant::Ja if consonants.get(place + 1) == Some(&Consonant::Nya) => Symbol::G,
                Consonant::Nya if before(place) == Some(Consonant::Ja) => Symbol::Y,
                // the first ଯ of ର୍ଯ୍ୟ is pronounced dʒ: କାର୍ଯ୍ୟ
                Consonant::Ya if before(place) == Some(Consonant::Ra) && consonants.len() > 2 => Symbol::J,
                Consonant::Dda if is_between_vowels(word, i) => Symbol::Rd,
                Consonant::Ddha if is_between_vowels(word, i) => Symbol::Rdh,
                Consonant::Sha | Consonant::Ssa => Symbol::S,
                // ଯ is pronounced dʒ at the beginning of a syllable, and as the glide j if it is joined below a
                // consonant
                Consonant::Ya if place > 0 => Symbol::Y,
                Consonant::Ya => Symbol::J,
                Consonant::Nya if place > 0 => Symbol::N,
                Consonant::Va => Symbol::B,
                // ସମ୍ୱାଦ is an alternative spelling of ସମ୍ବାଦ
                Consonant::Wa if before(place) == Some(Consonant::Ma) => Symbol::B,
                Consonant::Wa => Symbol::W,
                Consonant::Ba if place > 0 && is_subscript_wa(&consonants[..place]) => Symbol::W,
                other => letters::consonant(other),
            };
            push(phones, symbol);
        }
    }

    fn vowel(&self, _word: &Word, _i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        indo_aryan::push_vowel(phones, &VOWELS, vowel);
    }

    /// Nasalises the vowel for ଁ and ଂ, except that ଂ is pronounced ŋ before velars and m before labials.
    fn nasal_before(&self, next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        match next {
            Symbol::K | Symbol::Kh | Symbol::G | Symbol::Gh => self.final_nasal(word, i, phones),
            Symbol::P | Symbol::Ph | Symbol::B | Symbol::Bh if !word.aksharas[i].candrabindu => {
                phones.push(Phone::new(Symbol::M));
            }
            _ => nasal::nasalise_last(phones),
        }
    }

    /// Nasalises the vowel for ଁ, and appends ŋ for ଂ.
    fn final_nasal(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if word.aksharas[i].candrabindu {
            nasal::nasalise_last(phones);
        } else {
            phones.push(Phone::new(Symbol::Ng));
        }
    }
}

/// Returns whether a consonant below କ୍ଷ is a nasal.
fn is_nasal(letter: Consonant) -> bool {
    matches!(letter, Consonant::Ma | Consonant::Na | Consonant::Nna)
}

/// Returns whether the akshara at `i` has one consonant, which is between two vowels. The first vowel must not be
/// nasal.
fn is_between_vowels(word: &Word, i: usize) -> bool {
    let before = i.checked_sub(1).map(|before| &word.aksharas[before]);
    let open = before
        .is_some_and(|before| before.nucleus != Nucleus::None && !before.anusvara && !before.candrabindu);
    open && word.aksharas[i].consonants.len() == 1 && word.aksharas[i].nucleus != Nucleus::None
}

/// Returns whether ବ joined below a consonant is pronounced w (ସ୍ବର); it is pronounced b below ମ, ର, ବ and ଲ (ଉର୍ବୀ,
/// ଜମ୍ବୁ).
fn is_subscript_wa(before: &[Consonant]) -> bool {
    !matches!(before.last(), None | Some(Consonant::Ma | Consonant::Ra | Consonant::Ba | Consonant::La))
}
