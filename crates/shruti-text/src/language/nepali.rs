//! Nepali (beta).
//!
//! Hindi's rules pronounce the words, with stems and morphemes of Nepali.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation, hindi};
use crate::g2p::PhoneticDetail;
use crate::g2p::morphemes::Morphemes;
use crate::g2p::stems::Stems;
use crate::phone::Phone;
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
    naming_words: Some(|| crate::data::text!("ne/naming-words.tsv")),
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::data::text!("ne/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::data::text!("ne/stems.tsv")));

fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    hindi::pronounce_respelled(&STEMS.respell(word), &MORPHEMES, detail)
}
