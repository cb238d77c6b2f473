//! Kannada.
//!
//! Phonology after Sridhar (1990). Every letter is spoken; e and o are short and long; the anusvara takes the place
//! of the next consonant and is m at the end of a word; vocalic r is ru.

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::g2p::dravidian::{self, DoubleR};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Kannada,
    pronouncing: Pronouncing::ByRule(|word| dravidian::phones(word, DoubleR::Geminate)),
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
            ("ಕನ್ನಡ", "k ɐ nː ɐ ɖ ɐ", "geminate"),
            ("ಬೆಂಗಳೂರು", "b e ŋ ɡ ɐ ɭ uː ɾ u", "anusvara before a velar; ḷ"),
            ("ದೇಶ", "d̪ eː ʃ ɐ", "long e, final a"),
            ("ಸಂಸಾರ", "s ɐ m s aː ɾ ɐ", "anusvara before a sibilant"),
            ("ಸಂತೋಷ", "s ɐ n̪ t̪ oː ʂ ɐ", "before a dental"),
            ("ಕೃಷಿ", "k ɾ u ʂ i", "vocalic r"),
            ("ದುಃಖ", "d̪ u kʰː ɐ", "visarga"),
            ("ಕಾಫ಼ಿ", "k aː f i", "nukta"),
            ("ಮೌನ", "m ɐ w n ɐ", "au"),
            ("ಜ್ಞಾನ", "dʒ ɲ aː n ɐ", "jñ"),
        ];
        g2p::check(Language::Kannada, &cases);
    }
}
