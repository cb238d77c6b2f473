//! Konkani (beta).
//!
//! Marathi's rules pronounce the words, with stems and morphemes of Konkani.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation, marathi};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::stems::Stems;
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
    naming_words: Some(|| crate::data::text!("kok/naming-words.tsv")),
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::data::text!("kok/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::data::text!("kok/stems.tsv")));

fn pronounce(word: &str) -> Vec<Phone> {
    marathi::pronounce_respelled(word, &STEMS.respell(word), &MORPHEMES)
}
