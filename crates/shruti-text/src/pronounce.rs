//! A spoken word to its phones and syllables: which of the readings of a word applies to it.

use shruti_protocol::Language;

use crate::latin::Romanisation;
use crate::lexicon::{Lexicon, Reading};
use crate::normalize::SpokenWord;
use crate::phone::Phone;
use crate::script::Script;
use crate::utterance::{Stress, Syllable, Word};
use crate::{g2p, latin, transliterate};

/// The words of one segment with their phones, in a turn of `turn_language`; words with nothing to say are left out.
///
/// The language of each word is found here, from the words of the segment alone.
pub(crate) fn pronounce(words: &[SpokenWord], turn_language: Language, lexicon: &Lexicon) -> Vec<Word> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let languages = latin::identify(&texts, turn_language);
    let romanisation = Romanisation::of(&texts);
    let spoken = words.iter().zip(languages).filter_map(|(word, found)| {
        // what normalisation has already decided stands
        let language = if word.language == turn_language { found } else { word.language };
        pronounce_word(word, language, romanisation, turn_language, lexicon)
    });
    spoken.collect()
}

fn pronounce_word(
    word: &SpokenWord,
    language: Language,
    romanisation: Romanisation,
    turn_language: Language,
    lexicon: &Lexicon,
) -> Option<Word> {
    let spoken = match lexicon.reading(&word.text) {
        Some(Reading::Phones(phones)) => Spoken { text: word.text.clone(), language, phones: phones.clone() },
        Some(Reading::Spelling(spelling)) => {
            let found = latin::identify(&[spelling.as_str()], turn_language);
            read(spelling, found.first().copied().unwrap_or(language), Romanisation::of(&[spelling.as_str()]))
        }
        None => read(&word.text, language, romanisation),
    };
    if spoken.phones.is_empty() {
        return None;
    }
    let syllables = vec![Syllable { phones: 0..spoken.phones.len(), stress: Stress::None, tone: None }];
    Some(Word {
        text: spoken.text,
        language: spoken.language,
        phones: spoken.phones,
        syllables,
        source: word.source.clone(),
        weight: word.weight,
        break_after: word.break_after,
    })
}

struct Spoken {
    text: String,
    language: Language,
    phones: Vec<Phone>,
}

/// A word as it is spoken in a language: romanised words and those of another script in the language's own.
fn read(word: &str, language: Language, romanisation: Romanisation) -> Spoken {
    let romanised = language != Language::English && latin::is_latin(word);
    let foreign = !latin::is_latin(word) && word.chars().filter_map(Script::of).next().is_some();
    let text = if romanised {
        latin::to_native(word, language, romanisation)
    } else if foreign {
        transliterate::transliterate(word, Script::of_language(language))
    } else {
        word.to_owned()
    };
    let phones = g2p::pronounce(&text, language);
    Spoken { text, language, phones }
}

/// The phones of whatever stands between two spaces of a word list, numbers and signs included.
pub fn phones_of_word(word: &str, language: Language) -> Vec<Phone> {
    let words = crate::normalize::normalize_text(word, language);
    pronounce(&words, language, &Lexicon::default()).into_iter().flat_map(|word| word.phones).collect()
}
