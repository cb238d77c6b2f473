//! Assamese (beta).
//!
//! Bengali's rules pronounce the words, with stems of Assamese.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation, bengali};
use crate::g2p::stems::Stems;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Bengali,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: Some(bengali::by_position),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::Schwa, Symbol::OpenO), (Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    naming_words: Some(|| crate::data::text!("as/naming-words.tsv")),
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::data::text!("as/stems.tsv")));

fn pronounce(word: &str) -> Vec<Phone> {
    bengali::pronounce_respelled(&STEMS.respell(word))
}
