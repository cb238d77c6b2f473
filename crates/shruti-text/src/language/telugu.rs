//! Telugu.
//!
//! The phonology follows Krishnamurti & Gwynn (1985). Every letter is pronounced. e and o are short or long. The
//! anusvara is pronounced as a nasal at the place of articulation of the next consonant, and as m at the end of a word.
//! ఱ is pronounced like ర today. ్యా is pronounced æː in English words: in positions where it does not occur in
//! Sanskrit words, and in the words of `data/te/stems.tsv`.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::g2p::dravidian::{self, DoubleR};
use crate::g2p::stems::Stems;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Telugu,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: Some(allophones),
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &dravidian::NAME_VOWELS,
    romanisation: Romanisation { short_e_and_o: true, final_schwa_falls: false, handicap: 2.0 },
    keywords: None,
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("te/stems.tsv")));

fn pronounce(word: &str) -> Vec<Phone> {
    dravidian::phones(&STEMS.respell(word), DoubleR::Trill)
}

/// Applies the allophones of running speech: ఫ is pronounced f, జ్ఞ is pronounced ɡɲ (విజ్ఞానం), and ళ్ల is pronounced
/// as a long ɭ (పెళ్లి).
fn allophones(phones: &mut Vec<Phone>) {
    dravidian::speak_ph_as_f(phones);
    let mut i = 0;
    while let [first, second, ..] = &mut phones[i..] {
        match (first.symbol, second.symbol) {
            (Symbol::J, Symbol::Ny) => first.symbol = Symbol::G,
            (Symbol::Ll, Symbol::L) => {
                first.long = true;
                phones.remove(i + 1);
            }
            _ => {}
        }
        i += 1;
    }
}
