//! Languages in beta: each is read with words from its own tables, and does not change how other languages are read.

use shruti_lang::Language;
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};

fn read(text: &str, language: Option<Language>) -> (Vec<Utterance>, Option<Language>) {
    let mut reader = Reader::new(Settings { language, ..Settings::default() });
    reader.push(text);
    reader.finish();
    let utterances = std::iter::from_fn(|| reader.next_utterance()).collect();
    (utterances, reader.language())
}

/// Greetings in the languages in beta.
const GREETINGS: [(Language, &str); 4] = [
    (Language::Nepali, "तपाईंलाई कस्तो छ?"),
    (Language::Assamese, "আপোনাৰ খবৰ কি?"),
    (Language::Konkani, "तुमी कशे आसात?"),
    (Language::Urdu, "آپ کیسے ہیں؟"),
];

#[test]
fn greetings_are_detected_and_every_word_is_spoken_in_their_language() {
    for (language, text) in GREETINGS {
        for given in [None, Some(language)] {
            let (utterances, found) = read(text, given);
            assert_eq!(found, Some(language), "{text}");
            let words: Vec<_> = utterances.iter().flat_map(|utterance| &utterance.words).collect();
            assert_eq!(words.len(), text.split(' ').count(), "{text}");
            for word in words {
                assert_eq!(word.language, language, "{text}: {}", word.text);
                assert!(word.phones.len() > 1, "{text}: {}", word.text);
            }
        }
    }
}

#[test]
fn urdu_words_keep_their_place_in_the_original_text() {
    let text = "\u{202b}س\u{640}لام، دوس\u{640}ت\u{202c}۔ ۵۰٪";
    let (utterances, _) = read(text, None);
    let words: Vec<_> = utterances.iter().flat_map(|utterance| &utterance.words).collect();
    let written: Vec<String> = words
        .iter()
        .map(|word| {
            let length = word.source.end - word.source.start;
            text.chars().skip(word.source.start as usize).take(length as usize).collect()
        })
        .collect();
    assert_eq!(written[..2], ["س\u{640}لام", "دوس\u{640}ت"]);
    assert!(
        written[2..].iter().all(|written| written == "۵۰" || written == "٪" || written == "۵۰٪"),
        "{written:?}"
    );
}

#[test]
fn arabic_letters_in_other_texts_are_urdu() {
    let (utterances, language) = read("यह اردو है", Some(Language::Hindi));
    assert_eq!(language, Some(Language::Hindi));
    let languages: Vec<_> = utterances[0].words.iter().map(|word| word.language).collect();
    assert_eq!(languages, [Language::Hindi, Language::Urdu, Language::Hindi]);
}

#[test]
fn romanised_words_are_read_in_a_language_in_beta_if_the_request_names_it() {
    for (language, text) in [
        (Language::Nepali, "mero ghar"),
        (Language::Assamese, "amar ghor"),
        (Language::Konkani, "mhaje ghar"),
        (Language::Urdu, "mera ghar"),
    ] {
        let (utterances, _) = read(text, Some(language));
        assert!(
            utterances[0].words.iter().all(|word| word.language == language),
            "{language}: {utterances:?}"
        );
        let (_, found) = read(text, None);
        assert_eq!(found, Some(Language::English), "{text}");
    }
}

#[test]
fn konkani_is_named_by_codes_of_three_letters_in_ssml() {
    for tag in ["kok", "kok-IN", "gom-Deva-IN"] {
        let (utterances, found) =
            read(&format!("<speak xml:lang='{tag}'>एक <lang xml:lang='{tag}'>दोन</lang></speak>"), None);
        assert_eq!(found, Some(Language::Konkani), "{tag}");
        assert!(utterances[0].words.iter().all(|word| word.language == Language::Konkani), "{tag}");
    }
}
