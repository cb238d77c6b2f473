//! A spoken word to its phones and syllables: which of the readings of a word applies to it.

use shruti_protocol::Language;

use crate::g2p;
use crate::lexicon::{Lexicon, Reading};
use crate::normalize::SpokenWord;
use crate::phone::Phone;
use crate::utterance::{Stress, Syllable, Word};

/// The word with its phones, in a turn of `turn_language`; `None` when it has nothing to say.
pub(crate) fn pronounce(word: &SpokenWord, turn_language: Language, lexicon: &Lexicon) -> Option<Word> {
    let (language, phones) = match lexicon.reading(&word.text) {
        Some(Reading::Phones(phones)) => (word.language, phones.clone()),
        Some(Reading::Spelling(spelling)) => read(spelling, word.language, turn_language),
        None => read(&word.text, word.language, turn_language),
    };
    if phones.is_empty() {
        return None;
    }
    let syllables = vec![Syllable { phones: 0..phones.len(), stress: Stress::None, tone: None }];
    Some(Word {
        text: word.text.clone(),
        language,
        phones,
        syllables,
        source: word.source.clone(),
        weight: word.weight,
        break_after: word.break_after,
    })
}

/// The language that a word is read in, and its phones there.
fn read(word: &str, language: Language, _turn_language: Language) -> (Language, Vec<Phone>) {
    (language, g2p::pronounce(word, language))
}

/// The phones of whatever stands between two spaces of a word list, numbers and signs included.
pub fn phones_of_word(word: &str, language: Language) -> Vec<Phone> {
    let lexicon = Lexicon::default();
    crate::normalize::normalize_text(word, language)
        .iter()
        .filter_map(|spoken| pronounce(spoken, language, &lexicon))
        .flat_map(|word| word.phones)
        .collect()
}
