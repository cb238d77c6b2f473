//! A spoken word to its phones and syllables: which of the readings of a word applies to it.

use shruti_protocol::Language;

use crate::latin::Romanisation;
use crate::lexicon::{Lexicon, Reading};
use crate::normalize::{SpokenWord, is_function_word};
use crate::phone::Phone;
use crate::script::Script;
use crate::utterance::{Syllable, Weight, Word};
use crate::{english, g2p, latin, syllable, transliterate};

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
    mut language: Language,
    romanisation: Romanisation,
    turn_language: Language,
    lexicon: &Lexicon,
) -> Option<Word> {
    let spoken = match lexicon.reading(&word.text) {
        Some(Reading::Phones(phones)) => Spoken {
            text: word.text.clone(),
            phones: phones.clone(),
            syllables: syllable::syllables(phones, language),
        },
        Some(Reading::Spelling(spelling)) => {
            language =
                latin::identify(&[spelling.as_str()], turn_language).first().copied().unwrap_or(language);
            read(spelling, language, Romanisation::of(&[spelling.as_str()]))
        }
        None => read(&word.text, language, romanisation),
    };
    if spoken.phones.is_empty() {
        return None;
    }
    // a romanised word, or one of another language than the turn's, is only known by now
    let known = language == turn_language && spoken.text == word.text;
    let leans = word.weight == Weight::Content && !known && is_function_word(&spoken.text, language);
    Some(Word {
        weight: if leans { Weight::Function } else { word.weight },
        text: spoken.text,
        language,
        phones: spoken.phones,
        syllables: spoken.syllables,
        source: word.source.clone(),
        break_after: word.break_after,
    })
}

/// A word with its phones.
#[derive(Default)]
struct Spoken {
    text: String,
    phones: Vec<Phone>,
    syllables: Vec<Syllable>,
}

/// A word as it is spoken in a language: romanised words and those of another script in the language's own.
fn read(word: &str, language: Language, romanisation: Romanisation) -> Spoken {
    let latin = latin::is_latin(word);
    if !latin && word.chars().any(|c| Script::of(c) == Some(Script::Latin)) {
        return read_parts(word, language, romanisation);
    }
    read_part(word, latin, language, romanisation)
}

/// A word, or a part of one, of one script and perhaps signs; never cut any further.
fn read_part(word: &str, latin: bool, language: Language, romanisation: Romanisation) -> Spoken {
    if language == Language::English {
        let said = english::pronounce(word);
        return Spoken { text: word.to_owned(), syllables: said.syllables(), phones: said.phones };
    }
    let text = if latin {
        latin::to_native(word, language, romanisation)
    } else {
        transliterate::transliterate(word, Script::of_language(language))
    };
    let phones = g2p::pronounce(&text, language);
    let mut syllables = syllable::syllables(&phones, language);
    if language == Language::Punjabi {
        mark_tones(&mut syllables, &phones, &text);
    }
    Spoken { text, phones, syllables }
}

/// A word of Latin and other letters, such as an English one with a case ending (`meetingக்கு`), part by part.
fn read_parts(word: &str, language: Language, romanisation: Romanisation) -> Spoken {
    let mut whole = Spoken { text: word.to_owned(), ..Spoken::default() };
    let mut rest = word;
    while !rest.is_empty() {
        // signs go with the letters after them, those at the end with the letters before
        let script = rest.chars().find_map(Script::of);
        let other = |c: char| Script::of(c).is_some_and(|next| script.is_some_and(|script| script != next));
        let (part, after) = rest.split_at(rest.find(other).unwrap_or(rest.len()));
        rest = after;
        let part_language = match script {
            Some(Script::Latin) => {
                latin::identify(&[part], Language::English).first().copied().unwrap_or(language)
            }
            _ => language,
        };
        let spoken = read_part(part, script == Some(Script::Latin), part_language, romanisation);
        let before = whole.phones.len();
        whole.phones.extend(spoken.phones);
        whole.syllables.extend(spoken.syllables.into_iter().map(|mut syllable| {
            syllable.phones = syllable.phones.start + before..syllable.phones.end + before;
            syllable
        }));
    }
    whole
}

/// Gives the syllables of a Punjabi word the tones of their vowels.
fn mark_tones(syllables: &mut [Syllable], phones: &[Phone], text: &str) {
    let mut tones = g2p::punjabi::tones(text).into_iter();
    for syllable in syllables {
        let vowels = phones[syllable.phones.clone()].iter().filter(|phone| phone.is_vowel()).count();
        syllable.tone = tones.by_ref().take(vowels).flatten().next();
    }
}

/// The phones of whatever stands between two spaces of a word list, numbers and signs included.
pub fn phones_of_word(word: &str, language: Language) -> Vec<Phone> {
    let words = crate::normalize::normalize_text(word, language);
    pronounce(&words, language, &Lexicon::default()).into_iter().flat_map(|word| word.phones).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_weigh_alike_in_every_script_and_turn() {
        let cases = [
            (Language::Hindi, "मेरा नाम क्या है", Language::Hindi, "mera naam kya hai"),
            (Language::English, "the order is in the box", Language::Hindi, "the order is in the box"),
        ];
        for (turn, text, other_turn, other) in cases {
            let weights = |text: &str, turn| -> Vec<Weight> {
                let words = crate::normalize::normalize_text(text, turn);
                pronounce(&words, turn, &Lexicon::default()).into_iter().map(|word| word.weight).collect()
            };
            let expected = weights(text, turn);
            assert!(expected.contains(&Weight::Function), "{text}");
            assert_eq!(weights(other, other_turn), expected, "{other}");
        }
    }

    #[test]
    fn words_of_two_scripts_and_signs_are_read_part_by_part() {
        for language in Language::ALL {
            for word in ["+ழB", "B+ழ", "-aक-", "B़", "़B"] {
                let spoken = read(word, language, Romanisation::default());
                assert!(!spoken.phones.is_empty(), "{word} in {language}");
            }
        }
    }
}
