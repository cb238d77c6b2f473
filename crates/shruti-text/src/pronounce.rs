//! Pronunciation of spoken words: selects the reading of each word and computes its phones and syllables.

use shruti_lang::Language;

use crate::class::Class;
use crate::data::{is_function_word, linked_ending};
use crate::english::Pronunciation;
use crate::language::WordContext;
use crate::latin::{IdentifiedWord, Romanisation};
use crate::lexicon::Lexicon;
use crate::normalize::{SpokenWord, normalize_text};
use crate::phone::PhoneticDetail;
use crate::phone::{Phone, Transcription};
use crate::script::Script;
use crate::utterance::{Break, Delivery, Stress, Syllable, Weight, Word};
use crate::{english, language, latin, native_word, syllable, transliterate, word};

/// Returns the words of one segment with their phones, in a turn whose language is `turn_language`. Words without
/// phones are omitted.
///
/// The language of a word that does not specify one is determined from the words of the segment and from `before`, the
/// language of the preceding romanised words in an English turn.
pub(crate) fn pronounce(
    words: &[SpokenWord],
    turn_language: Language,
    before: Option<Language>,
    detail: PhoneticDetail,
) -> Vec<Word> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let found = latin::read(&texts, turn_language, before);
    let romanisation = Romanisation::of(&texts);
    let found: Vec<IdentifiedWord> = words
        .iter()
        .zip(found)
        .map(|(word, found)| match word.language {
            Some(language) if language != found.language => IdentifiedWord { language, native: None },
            _ => found,
        })
        .collect();
    let neighbours: Vec<(&str, Language)> =
        texts.iter().zip(&found).map(|(&text, found)| (text, found.language)).collect();
    let mut spoken: Vec<Word> = Vec::with_capacity(words.len());
    let mut silent_extra = 0;
    // indices of the article "the" in `spoken`
    let mut articles = Vec::new();
    for (at, (word, found)) in words.iter().zip(&found).enumerate() {
        let placed = by_position(words, at, found.language);
        let found = placed.as_ref().unwrap_or(found);
        let of_two = || english::heteronym::pronounce(&neighbours, at);
        let heteronym = if found.language == Language::English { of_two() } else { None };
        match pronounce_word(word, found, heteronym, turn_language, romanisation, detail) {
            Some(mut said) => {
                if placed.is_some() {
                    said.text.clone_from(&word.text);
                }
                if word.phones.is_none() && is_the(&said) {
                    articles.push(spoken.len());
                }
                spoken.push(said);
            }
            None => silent_extra += word.extra_chars,
        }
    }
    if let Some(first) = spoken.first_mut() {
        first.extra_chars += silent_extra;
    }
    for at in articles {
        if spoken.get(at + 1).and_then(|next| next.phones.first()).is_some_and(|phone| phone.is_vowel())
            && spoken[at].break_after == Break::None
        {
            spoken[at].phones = english::THE_BEFORE_VOWEL.to_vec();
        }
    }
    spoken
}

/// Returns the reading of a word in native script whose pronunciation depends on its position, or `None` for other
/// words.
fn by_position(words: &[SpokenWord], at: usize, language: Language) -> Option<IdentifiedWord> {
    let respell = language::spec(language).by_position?;
    let text = |at: usize| words.get(at).map(|word| word.text.as_str());
    let word = &words[at];
    let place = WordContext {
        word: &word.text,
        before: at.checked_sub(1).and_then(text),
        after: text(at + 1),
        ends_phrase: at + 1 == words.len() || word.break_after != Break::None,
    };
    let native = (!latin::is_latin(&word.text)).then(|| respell(&place))??;
    Some(IdentifiedWord { language, native: Some(native) })
}

fn is_the(word: &Word) -> bool {
    word.language == Language::English && word.text.eq_ignore_ascii_case("the")
}

/// Pronounces a single word; returns `None` if it has no phones. `heteronym` is its pronunciation in context if the word
/// is a heteronym.
fn pronounce_word(
    word: &SpokenWord,
    found: &IdentifiedWord,
    heteronym: Option<Pronunciation>,
    turn_language: Language,
    romanisation: Romanisation,
    detail: PhoneticDetail,
) -> Option<Word> {
    let language = found.language;
    let mut spoken = match &word.phones {
        Some(given) => as_given(&word.text, given, language),
        None if is_spelt(word, language) => spelt(&word.text),
        None if let Some(said) = heteronym => as_said(&word.text, said),
        None => read(&word.text, found, romanisation, detail),
    };
    if word.possessive {
        spoken.add_possessive();
    }
    if spoken.phones.is_empty() {
        return None;
    }
    // a romanised word, or a word in a language other than that of the turn, can be recognised as a function word only
    // here
    let known = language == turn_language && spoken.text == word.text;
    let digit = matches!(word.class, Class::Digits | Class::Telephone) || is_meridiem(word);
    let leans =
        word.weight == Weight::Content && !known && !digit && is_function_word(&spoken.text, language);
    Some(Word {
        weight: if leans { Weight::Function } else { word.weight },
        text: spoken.text,
        language,
        class: word.class,
        phones: spoken.phones,
        syllables: spoken.syllables,
        source: word.source.clone(),
        extra_chars: word.extra_chars,
        break_after: word.break_after,
        aside: word.aside,
        delivery: Delivery::default(),
    })
}

/// Returns whether a word is spelled letter by letter in English, as part of an initialism or a code: `OTP`, the `AB`
/// of `MH 12 AB 1234`, the `A` of `XII-A`, the `UPSC` of `#UPSC2026`.
fn is_spelt(word: &SpokenWord, language: Language) -> bool {
    let in_capitals = || word.text.bytes().all(|byte| byte.is_ascii_uppercase());
    // the A of a unit or an abbreviation is the letter, not the article: mAh, KVA
    let is_letter = word.text == "A" && matches!(word.class, Class::Measure | Class::Abbreviation);
    language::spec(language).script == Script::Latin
        && (is_meridiem(word)
            || is_letter
            || word.class == Class::Tag && in_capitals() && english::is_spelt(&word.text)
            || matches!(word.class, Class::Letters | Class::Code | Class::Roman)
                && in_capitals()
                && !english::is_spoken_in_capitals(&word.text))
}

/// Returns whether a word is the AM or PM of a time, not the verb "am".
fn is_meridiem(word: &SpokenWord) -> bool {
    word.class == Class::Time && matches!(word.text.as_str(), "AM" | "PM")
}

fn spelt(letters: &str) -> Spoken {
    as_said(letters, english::spell(letters))
}

fn as_said(text: &str, pronunciation: Pronunciation) -> Spoken {
    Spoken { text: text.to_owned(), syllables: pronunciation.syllables(), phones: pronunciation.phones }
}

/// Returns a word with the phones and stresses of a transcription. Without stress marks, the word has the default
/// stress.
fn as_given(text: &str, transcription: &Transcription, language: Language) -> Spoken {
    let mut syllables = syllable::syllables(&transcription.phones, language::spec(language).syllables);
    if !transcription.stresses.is_empty() {
        for syllable in &mut syllables {
            // any stress mark between the start of the syllable and its vowel counts, because the transcription may
            // divide the consonants differently
            let nucleus = syllable.phones.clone().find(|&at| transcription.phones[at].is_vowel());
            let end = nucleus.map_or(syllable.phones.end, |at| at + 1);
            let mut within =
                transcription.stresses.iter().filter(|(at, _)| (syllable.phones.start..end).contains(at));
            syllable.stress = within.next().map_or(Stress::None, |&(_, stress)| stress);
        }
    }
    Spoken { text: text.to_owned(), phones: transcription.phones.clone(), syllables }
}

/// Text of a spoken word with its phones and syllables.
#[derive(Default)]
struct Spoken {
    text: String,
    phones: Vec<Phone>,
    syllables: Vec<Syllable>,
}

impl Spoken {
    /// Adds the English possessive ending.
    fn add_possessive(&mut self) {
        let before = self.phones.len();
        let Some(last) = self.syllables.last_mut() else { return };
        if english::append_s(&mut self.phones) {
            self.syllables.push(Syllable {
                phones: before..self.phones.len(),
                stress: Stress::None,
                tone: None,
            });
        } else {
            last.phones.end = self.phones.len();
        }
    }
}

/// Returns the word as spoken in its language. Romanised words and words in another script are converted to the script
/// of the language.
fn read(word: &str, found: &IdentifiedWord, romanisation: Romanisation, detail: PhoneticDetail) -> Spoken {
    let language = found.language;
    if let Some(native) = &found.native {
        let (phones, syllables) = word::syllabify(native, language, detail);
        return Spoken { text: native.clone(), phones, syllables };
    }
    let latin = latin::is_latin(word);
    if !latin && word.chars().any(|c| Script::of(c) == Some(Script::Latin)) {
        return read_parts(word, language, romanisation, detail);
    }
    read_part(word, latin, language, romanisation, detail)
}

/// Pronounces a word, or a part of a word, whose letters belong to one script. `latin` is `true` for Latin letters.
fn read_part(
    word: &str,
    latin: bool,
    language: Language,
    romanisation: Romanisation,
    detail: PhoneticDetail,
) -> Spoken {
    let spec = language::spec(language);
    if latin && spec.script != Script::Latin && is_name(word, language) {
        let mut phones = english::pronounce(word).phones;
        for phone in &mut phones {
            let own = spec.name_vowels.iter().find(|(of_name, _)| *of_name == phone.symbol);
            phone.symbol = own.map_or(phone.symbol, |&(_, own)| own);
        }
        native_word::realise(&mut phones, language, detail);
        let syllables = syllable::syllables(&phones, spec.syllables);
        return Spoken { text: word.to_owned(), phones, syllables };
    }
    let text = if latin {
        latin::to_native(word, language, romanisation)
    } else {
        transliterate::transliterate(word, spec.script)
    };
    let (phones, syllables) = word::syllabify(&text, language, detail);
    Spoken { text, phones, syllables }
}

/// Returns whether a word in a text of `language` is a capitalised Indian name, not a listed romanised word. The
/// pronunciation of such a name is known more reliably than its native spelling.
fn is_name(word: &str, language: Language) -> bool {
    let lower = word.to_lowercase();
    word.starts_with(char::is_uppercase)
        && english::is_indian_word(word)
        && !latin::is_listed(&lower, language)
}

/// Pronounces a word that mixes Latin and other letters, such as an English word with a case ending (`meetingக்கு`),
/// part by part.
fn read_parts(word: &str, language: Language, romanisation: Romanisation, detail: PhoneticDetail) -> Spoken {
    let mut joined = Spoken { text: word.to_owned(), ..Spoken::default() };
    let mut rest = word;
    while !rest.is_empty() {
        // characters without a script belong to the preceding letters, and those at the beginning to the following
        // letters
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
        let latin = script == Some(Script::Latin);
        // the form of some endings depends on whether a vowel precedes them: WhatsApp-ல்
        let linked = joined.phones.last().filter(|_| !latin);
        let linked = linked.and_then(|last| linked_ending(part, language, last.is_vowel()));
        let spoken = read_part(linked.unwrap_or(part), latin, part_language, romanisation, detail);
        let before = joined.phones.len();
        // an ending without a vowel closes the last syllable: the র of Jio-র
        let closes = before > 0 && !spoken.phones.iter().any(|phone| phone.is_vowel());
        joined.phones.extend(spoken.phones);
        if closes && let Some(last) = joined.syllables.last_mut() {
            last.phones.end = joined.phones.len();
            continue;
        }
        let is_ending = before > 0 && !latin;
        joined.syllables.extend(spoken.syllables.into_iter().map(|syllable| Syllable {
            phones: syllable.phones.start + before..syllable.phones.end + before,
            stress: if is_ending { Stress::None } else { syllable.stress },
            ..syllable
        }));
    }
    joined
}

/// Returns the phones of a word from a word list, in dictionary notation. The word may contain digits and signs, which
/// are expanded.
pub fn phones_of_word(word: &str, language: Language, lexicon: &Lexicon) -> Vec<Phone> {
    let words = normalize_text(word, language, lexicon);
    pronounce(&words, language, None, PhoneticDetail::Phonemic)
        .into_iter()
        .flat_map(|word| word.phones)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn word_weight_is_independent_of_script_and_turn() {
        let cases = [
            (Language::Hindi, "मेरा नाम क्या है", Language::Hindi, "mera naam kya hai"),
            (Language::English, "the order is in the box", Language::Hindi, "the order is in the box"),
        ];
        for (turn, text, other_turn, other) in cases {
            let weights = |text: &str, turn| -> Vec<Weight> {
                let words = normalize_text(text, turn, &Lexicon::default());
                pronounce(&words, turn, None, PhoneticDetail::Phonemic)
                    .into_iter()
                    .map(|word| word.weight)
                    .collect()
            };
            let expected = weights(text, turn);
            assert!(expected.contains(&Weight::Function), "{text}");
            assert_eq!(weights(other, other_turn), expected, "{other}");
        }
    }

    /// Returns the only word of a text, read with a lexicon that contains `entry`.
    fn only_word(text: &str, language: Language, entry: (&str, &str)) -> Word {
        let words = normalize_text(text, language, &Lexicon::new([entry]).unwrap());
        let mut words = pronounce(&words, language, None, PhoneticDetail::Spoken);
        assert_eq!(words.len(), 1, "{text}");
        words.remove(0)
    }

    #[test]
    fn bengali_verbs_are_finite_at_clause_end() {
        for (text, at, ipa, why) in [
            ("সে কাজ করে", 2, "k ɔ ɾ e", "at the end"),
            ("সে কাজ করে না", 2, "k ɔ ɾ e", "before the negation"),
            ("সে কাজ করে এবং খায়", 2, "k ɔ ɾ e", "before the next clause"),
            ("সে কাজ করে বাড়ি যায়", 2, "k o ɾ e", "a participle"),
            ("বিশেষ করে", 1, "k o ɾ e", "an adverb"),
            ("সে ছবি দেখে", 2, "d̪ æ kʰ e", "at the end"),
            ("সে ছবি দেখে হাসে", 2, "d̪ e kʰ e", "a participle"),
            ("সে দলে আছে", 1, "d̪ ɔ l e", "no verb"),
            ("ছেলেটা জ্বলে ওঠে", 1, "dʒ o l e", "a cluster"),
        ] {
            let words = normalize_text(text, Language::Bengali, &Lexicon::default());
            let words = pronounce(&words, Language::Bengali, None, PhoneticDetail::Phonemic);
            assert_eq!(to_ipa(&words[at].phones), ipa, "{text}: {why}");
            assert_eq!(words[at].text, text.split(' ').nth(at).unwrap(), "{text}");
        }
    }

    #[test]
    fn tamil_ca_after_ca_is_an_affricate() {
        for (text, ipa) in [("அதைச் செய்", "tʃ ɛ j"), ("அதை செய்", "s ɛ j"), ("ஊரைச் சேர்ந்த", "tʃ eː ɾ n̪ d̪ ɐ")]
        {
            let words = normalize_text(text, Language::Tamil, &Lexicon::default());
            let words = pronounce(&words, Language::Tamil, None, PhoneticDetail::Spoken);
            assert_eq!(to_ipa(&words[1].phones), ipa, "{text}");
            assert_eq!(words[1].text, text.split(' ').nth(1).unwrap(), "{text}");
        }
    }

    #[test]
    fn explicit_phones_are_kept() {
        // without the entry, ச between vowels is pronounced s
        let word = only_word("அரசு", Language::Tamil, ("அரசு", "/ɐɾɐtʃɨ/"));
        assert_eq!((to_ipa(&word.phones).as_str(), word.text.as_str()), ("ɐ ɾ ɐ tʃ ɨ", "அரசு"));
        let stresses = |ipa: &str| -> Vec<Stress> {
            let word = only_word("Amaravati", Language::English, ("amaravati", ipa));
            word.syllables.iter().map(|syllable| syllable.stress).collect()
        };
        let (none, second, main) = (Stress::None, Stress::Secondary, Stress::Primary);
        assert_eq!(stresses("/ˌəməˈɾaːʋət̪i/"), [second, none, main, none, none]);
        assert_eq!(stresses("/əməɾaːʋəˈt̪i/"), [none, none, none, none, main]);
        assert!(stresses("/əməɾaːʋət̪i/").contains(&main), "by default");
    }

    #[test]
    fn indian_names_are_recognized_in_every_language() {
        for (language, text, ipa) in [
            (Language::Hindi, "mera naam Priyanka hai", "p ɾ ɪ j ə ŋ k aː"),
            // the name is not read as प्रिय, பெரிய or another word with the same romanisation
            (Language::Hindi, "mera naam Priya hai", "p ɾ ɪ j aː"),
            (Language::Tamil, "en peyar Priya thaan", "p ɾ ɪ j aː"),
            (Language::Marathi, "majhe nav Kavya ahe", "k aː ʋ j aː"),
            (Language::Kannada, "nanna hesaru Ramesh", "ɾ ɐ m eː ʃ"),
            (Language::Bengali, "amar naam Ramesh", "ɾ ɔ m e ʃ"),
        ] {
            let words = normalize_text(text, language, &Lexicon::default());
            let words = pronounce(&words, language, None, PhoneticDetail::Phonemic);
            assert_eq!((words[2].language, to_ipa(&words[2].phones).as_str()), (language, ipa), "{text}");
        }
    }

    #[test]
    fn spells_english_initialisms() {
        let cases = [
            ("Your OTP is here", 1, "oː ʈ iː p iː"),
            ("MH 12 AB 1234", 2, "eː b iː"),
            ("the US and IT", 1, "j uː ɛ s"),
            ("It is FREE now", 2, "f ɹ iː"),
            ("the MLAs met", 1, "ɛ m ɛ l eː z"),
            ("ask ISRO about it", 1, "ɪ s ɹ oː"),
            ("PLEASE CALL ME NOW", 1, "k ɔː l"),
        ];
        for (text, at, ipa) in cases {
            let words = normalize_text(text, Language::English, &Lexicon::default());
            let words = pronounce(&words, Language::English, None, PhoneticDetail::Phonemic);
            assert_eq!(to_ipa(&words[at].phones), ipa, "{text}");
        }
    }

    #[test]
    fn possessives_follow_english_rules() {
        for (ipa, phones, syllables) in [
            ("/ɾaːm/", "ɾ aː m z", 1),
            ("/ɾaːk/", "ɾ aː k s", 1),
            ("/ɾaːdʒ/", "ɾ aː dʒ ɪ z", 2),
            ("/st/", "s t s", 1),
        ] {
            let word = only_word("Ram's", Language::English, ("Ram", ipa));
            assert_eq!(to_ipa(&word.phones), phones);
            assert_eq!(word.syllables.len(), syllables, "{phones}");
            assert_eq!(word.syllables.last().unwrap().phones.end, word.phones.len(), "{phones}");
        }
        let word = only_word("AIIMS's", Language::Hindi, ("AIIMS", "एम्स"));
        assert_eq!(to_ipa(&word.phones), "eː m s ɪ z");
    }

    #[test]
    fn mixed_words_are_read_in_parts() {
        for language in Language::ALL {
            for word in ["+ழB", "B+ழ", "-aक-", "B़", "़B"] {
                let found = IdentifiedWord { language, native: None };
                let spoken = read(word, &found, Romanisation::default(), PhoneticDetail::Spoken);
                assert!(!spoken.phones.is_empty(), "{word} in {language}");
            }
        }
    }
}
