//! Telugu.
//!
//! Phonology after Krishnamurti & Gwynn (1985). Every letter is spoken; e and o are short and long; the anusvara
//! takes the place of the next consonant and is m at the end of a word; ఱ is today's ర.

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::g2p::dravidian::{self, DoubleR};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Telugu,
    pronouncing: Pronouncing::ByRule(|word| dravidian::phones(word, DoubleR::Trill)),
    allophones: Some(dravidian::speak_ph_as_f),
    tones: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &dravidian::NAME_VOWELS,
    romanisation: Romanisation { short_e_and_o: true, final_schwa_falls: false, handicap: 2.0 },
};

#[cfg(test)]
mod tests {
    use shruti_protocol::Language;

    use crate::g2p;

    #[test]
    fn words_sound_as_spoken() {
        let cases = [
            ("తెలుగు", "t̪ e l u ɡ u", "short e"),
            ("చెఱువు", "tʃ e ɾ u ʋ u", "the old r"),
            ("తేనె", "t̪ eː n e", "long e"),
            ("పుస్తకం", "p u s t̪ ɐ k ɐ m", "anusvara at the end"),
            ("కుందేలు", "k u n̪ d̪ eː l u", "anusvara before a dental"),
            ("పండుగ", "p ɐ ɳ ɖ u ɡ ɐ", "before a retroflex"),
            ("సంసారం", "s ɐ m s aː ɾ ɐ m", "before a sibilant"),
            ("అమ్మ", "ɐ mː ɐ", "geminate"),
            ("దుఃఖం", "d̪ u kʰː ɐ m", "visarga before a stop"),
            ("గుఱ్ఱం", "ɡ u r ɐ m", "a double r is a trill"),
            ("కృష్ణా", "k ɾ u ʂ ɳ aː", "vocalic r"),
            ("సైనికుడు", "s ɐ j n i k u ɖ u", "ai"),
            ("జ్ఞానం", "dʒ ɲ aː n ɐ m", "jñ"),
            ("వాఁడు", "ʋ aː ɖ u", "the arasunna is silent"),
        ];
        g2p::check(Language::Telugu, &cases);
    }
}
