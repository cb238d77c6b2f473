//! Kannada.
//!
//! The phonology follows Sridhar (1990). Every letter is pronounced. e and o are short or long. The anusvara is
//! pronounced as a nasal at the place of articulation of the next consonant, and as m at the end of a word. Vocalic r
//! is pronounced ru. ್ಯಾ is pronounced æː in English words: in positions where it does not occur in Sanskrit words, and
//! in the words of `data/kn/stems.tsv`. In the words of that file, ಝ is pronounced z. ಆ್ಯ is always pronounced æː.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::g2p::dravidian::{self, DoubleR};
use crate::g2p::stems::Stems;
use crate::phone::Phone;
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Kannada,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: Some(|phones| dravidian::speak_ph_as_f(phones)),
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &dravidian::NAME_VOWELS,
    romanisation: Romanisation { short_e_and_o: true, final_schwa_falls: false, handicap: 2.0 },
    keywords: None,
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("kn/stems.tsv")));

fn pronounce(word: &str) -> Vec<Phone> {
    dravidian::phones(&STEMS.respell(word), DoubleR::Geminate)
}
