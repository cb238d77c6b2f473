//! Graphemes to phones: a word in the script of its language to its phones and syllables.
//!
//! Each language has its rules in a file of [`language`], on top of the shared [`akshara`](crate::akshara) parser
//! and of what families share, which is here; words that break the rules are in `data/<code>/exceptions.tsv`.

pub(crate) mod dravidian;
mod exceptions;
pub(crate) mod indo_aryan;
pub(crate) mod letters;
pub(crate) mod linear;
pub(crate) mod morphemes;
pub(crate) mod nasal;
pub(crate) mod schwa;
pub mod spelling;
pub(crate) mod stems;
pub(crate) mod vowels;

use shruti_protocol::Language;

use crate::language::{self, Pronouncing};
use crate::phone::Phone;
use crate::utterance::Syllable;
use crate::{english, syllable};

/// The phones of a word written in the script of `language`, as dictionaries write them.
///
/// Characters of another script are passed over; a word with nothing to say gives no phones.
pub fn pronounce(word: &str, language: Language) -> Vec<Phone> {
    match language::spec(language).pronouncing {
        Pronouncing::ByRule(rules) => exceptions::get(word, language).unwrap_or_else(|| rules(word)),
        Pronouncing::ByLexicon => english::pronounce(word).phones,
    }
}

/// The file of `data/<code>` that has a word, or a part of it, and so decides its phones; `None` where the rules do.
pub(crate) fn file_of(word: &str, language: Language) -> Option<&'static str> {
    match language::spec(language).pronouncing {
        Pronouncing::ByRule(_) => exceptions::get(word, language).map(|_| "exceptions.tsv"),
        Pronouncing::ByLexicon => english::file_of(word),
    }
}

/// The phones of a word as [`pronounce`] gives them, and its syllables with their stress and tone.
pub(crate) fn syllabify(word: &str, language: Language) -> (Vec<Phone>, Vec<Syllable>) {
    let spec = language::spec(language);
    if let Pronouncing::ByLexicon = spec.pronouncing {
        let said = english::pronounce(word);
        let syllables = said.syllables();
        return (said.phones, syllables);
    }
    let phones = pronounce(word, language);
    let mut syllables = syllable::syllables(&phones, spec.syllables);
    if let Some(tones) = spec.tones {
        let mut tones = tones(word).into_iter();
        for syllable in &mut syllables {
            let vowels = phones[syllable.phones.clone()].iter().filter(|phone| phone.is_vowel()).count();
            syllable.tone = tones.by_ref().take(vowels).flatten().next();
        }
    }
    (phones, syllables)
}

/// Gives the phones of one word their sounds in running speech, where the phonemic transcription keeps to the letters:
/// dictionaries write Tamil அரசு with tʃ and speakers say s (Keane, 2004). The number of phones never changes.
pub(crate) fn realise(phones: &mut [Phone], language: Language) {
    if let Some(allophones) = language::spec(language).allophones {
        allophones(phones);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn every_language_answers() {
        for language in Language::ALL {
            let word = language.native_name();
            let (phones, syllables) = syllabify(word, language);
            assert_eq!(phones, pronounce(word, language), "{language}");
            assert!((2..=4).contains(&syllables.len()), "{language}: {word} {syllables:?}");
        }
    }

    #[test]
    fn words_are_realised_as_spoken() {
        let cases = [
            (Language::Tamil, "அரசு", "ɐ ɾ ɐ s ɨ", "between vowels"),
            (Language::Tamil, "தோசை", "d̪ oː s ɐ j", "before ai"),
            (Language::Tamil, "பைசா", "p ɐ j s aː", "after ai"),
            (Language::Tamil, "சிறுவன்", "tʃ ɪ r ʊ ʋ ɐ n", "not at the beginning"),
            (Language::Tamil, "பச்சை", "p ɐ tʃː ɐ j", "not a geminate"),
            (Language::Tamil, "பயிற்சி", "p ɐ j ɪ r tʃ ɪ", "not after a consonant"),
            (Language::Tamil, "காற்று", "k aː tː ɨ", "ற்ற"),
            (Language::Malayalam, "എന്റെ", "e n d e", "nṟ"),
            (Language::Telugu, "కాఫీ", "k aː f iː", "f"),
        ];
        for (language, word, phones, why) in cases {
            let mut spoken = pronounce(word, language);
            realise(&mut spoken, language);
            assert_eq!(to_ipa(&spoken), phones, "{word}: {why}");
        }
    }
}
