//! Indian English. Its words are read by a lexicon and models of their own: [`crate::english`].

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::script::Script;
use crate::syllable;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Latin,
    pronouncing: Pronouncing::ByLexicon,
    stems: None,
    allophones: None,
    tones: None,
    by_position: None,
    syllables: syllable::Rules::ENGLISH,
    name_vowels: &[],
    // it is never romanised
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: false, handicap: 0.0 },
};
