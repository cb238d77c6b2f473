//! Indian English. A lexicon and models determine the pronunciation of words instead of rules: [`crate::english`].

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
    // English is never romanised
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: false, handicap: 0.0 },
    keywords: None,
};
