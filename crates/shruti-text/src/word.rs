//! Phones and syllables of a word in the script of its language.
//!
//! The rules of each language are in a module of [`language`]. Words that break the rules are in
//! `data/<code>/exceptions.tsv`.

use std::borrow::Cow;

use shruti_lang::Language;

use crate::chars::nfc;
use crate::g2p::{exceptions, letter_names, stems};
use crate::language::{self, Pronouncing};
use crate::phone::{Phone, PhoneticDetail};
use crate::script::Script;
use crate::utterance::Syllable;
use crate::{english, native_word, syllable};

/// Returns the phones of a word written in the script of `language`, in dictionary notation.
///
/// Characters of other scripts are skipped. If nothing can be pronounced, the result is empty.
pub(crate) fn pronounce(word: &str, language: Language) -> Vec<Phone> {
    in_detail(word, language, PhoneticDetail::Phonemic)
}

fn in_detail(word: &str, language: Language, detail: PhoneticDetail) -> Vec<Phone> {
    native_word::pronounce(word, language, detail).unwrap_or_else(|| {
        let mut phones = english::pronounce(word).phones;
        native_word::realise(&mut phones, language, detail);
        phones
    })
}

/// Returns the phones of a Tamil word whose letters can have superscript digits.
pub(crate) fn pronounce_figured(word: &str) -> Vec<Phone> {
    exceptions::get(word, Language::Tamil)
        .unwrap_or_else(|| pronounce(&stems::respell(&nfc(word)), Language::Tamil))
}

/// Returns the phones of a word that consists of the name of a Latin letter and an ending, if `exceptions.tsv` lists
/// the name with a vowel that is longer than its spelling indicates: the டி of டில (OTT-ல), the పి of పికి.
pub(crate) fn letter_with_ending(word: &str) -> Option<Vec<Phone>> {
    let language = match word.chars().next().and_then(Script::of)? {
        Script::Tamil => Language::Tamil,
        Script::Telugu => Language::Telugu,
        _ => return None,
    };
    let figured = word.contains(stems::SUPERSCRIPTS);
    let end = word.char_indices().nth(if figured { 3 } else { 2 })?.0;
    let name = exceptions::get(&word[..end], language)?;
    let mut phones = if figured { pronounce_figured(word) } else { pronounce(word, language) };
    // before the ending, the name keeps its listed phones, which must end in a vowel
    if phones.len() <= name.len() || name.last().is_none_or(|last| !last.is_vowel()) {
        return None;
    }
    phones.splice(..name.len(), name);
    Some(phones)
}

/// Returns the file in `data/<code>` that contains the word, or a part of it, and determines its phones; `None` if the
/// rules determine them.
pub(crate) fn file_of(word: &str, language: Language) -> Option<&'static str> {
    match language::spec(language).pronouncing {
        Pronouncing::ByRule(_) if exceptions::get(word, language).is_some() => Some("exceptions.tsv"),
        Pronouncing::ByRule(_) if letter_names::words(word, language).is_some() => Some("letter-names.tsv"),
        Pronouncing::ByRule(_) => {
            let stems = language::spec(language).stems?();
            matches!(stems.respell(word), Cow::Owned(_)).then_some("stems.tsv")
        }
        Pronouncing::ByLexicon => english::file_of(word),
    }
}

/// Returns the phones of a word at the given level of detail, and its syllables with stress and tone.
pub(crate) fn syllabify(
    word: &str,
    language: Language,
    detail: PhoneticDetail,
) -> (Vec<Phone>, Vec<Syllable>) {
    let spec = language::spec(language);
    if let Pronouncing::ByLexicon = spec.pronouncing {
        let spoken = english::pronounce(word);
        let syllables = spoken.syllables();
        return (spoken.phones, syllables);
    }
    let phones = in_detail(word, language, detail);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn every_language_returns_phones() {
        for language in Language::ALL {
            let word = language.native_name();
            let (phones, syllables) = syllabify(word, language, PhoneticDetail::Phonemic);
            assert_eq!(phones, pronounce(word, language), "{language}");
            assert!((2..=4).contains(&syllables.len()), "{language}: {word} {syllables:?}");
        }
    }

    #[test]
    fn spoken_detail_differs_from_phonemic() {
        let cases = [
            (Language::Tamil, "அரசு", "ɐ ɾ ɐ s ɨ", "between vowels"),
            (Language::Tamil, "தோசை", "d̪ oː s ɐ j", "before ai"),
            (Language::Tamil, "பைசா", "p ɐ j s aː", "after ai"),
            (Language::Tamil, "சிறுவன்", "s ɪ r ʊ ʋ ɐ n", "at the beginning"),
            (Language::Tamil, "பச்சை", "p ɐ tʃː ɐ j", "not a geminate"),
            (Language::Tamil, "மின்சாரம்", "m ɪ n s aː ɾ ɐ m", "after n"),
            (Language::Tamil, "செல்சியஸ்", "s ɛ l s ɪ j ɐ s", "after l"),
            (Language::Tamil, "டாக்சி", "ʈ aː k s ɪ", "after k"),
            (Language::Tamil, "பஞ்சு", "p ɐ ɲ dʒ ɨ", "not after its own nasal"),
            (Language::Tamil, "போட்டோ", "f oː ʈː oː", "f of English"),
            (Language::Tamil, "பயிற்சி", "p ɐ j ɪ r tʃ ɪ", "not after a consonant"),
            (Language::Tamil, "காற்று", "k aː tː r ɨ", "ற்ற"),
            (Language::Malayalam, "എന്റെ", "e n d e", "nṟ"),
            (Language::Telugu, "కాఫీ", "k aː f iː", "f"),
        ];
        for (language, word, phones, why) in cases {
            let (spoken, _) = syllabify(word, language, PhoneticDetail::Spoken);
            assert_eq!(to_ipa(&spoken), phones, "{word}: {why}");
        }
    }
}
