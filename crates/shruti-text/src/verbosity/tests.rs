use std::collections::HashSet;

use shruti_lang::Language;

use super::names::Names;
use super::*;
use crate::language::tables_named;
use crate::{Reader, Settings};

fn verbosity(punctuation: Punctuation) -> Verbosity {
    Verbosity { punctuation, ..Verbosity::default() }
}

/// Returns the words that are spoken for a text, each with its source in the text.
fn said(text: &str, language: Language, verbosity: Verbosity) -> Vec<(String, String)> {
    let read_out = ReadOut::new(text, Some(language), verbosity);
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(&read_out.ssml);
    reader.finish();
    let utterances = std::iter::from_fn(|| reader.next_utterance());
    let words = utterances.flat_map(|utterance| utterance.words);
    words.map(|word| (word.text, text[read_out.source(word.source)].to_owned())).collect()
}

fn words(text: &str, language: Language, verbosity: Verbosity) -> String {
    said(text, language, verbosity).into_iter().map(|(word, _)| word).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_level_names_more_signs() {
    use Punctuation::{All, Most, None, Some};
    let cases = [
        (None, "Hi, see (x_y) now.", "Hi see x y now"),
        (Some, "Hi, see (x_y) now.", "Hi see x underscore y now"),
        (Most, "Hi, see (x_y) now.", "Hi see left bracket x underscore y right bracket now"),
        (All, "Hi, see (x_y) now.", "Hi comma see left bracket x underscore y right bracket now dot"),
        (All, "It's 3.14 at 12:30", "It's three point one four at twelve thirty"),
        (Some, "₹50 and 5%", "fifty rupees and five percent"),
        (All, "-----", "five hyphen"),
        (All, "x <y> & \"z\"", "x less than y greater than ampersand quote z quote"),
        (None, "*not* <b>markup", "not b markup"),
    ];
    for (level, text, expected) in cases {
        let spoken = words(text, Language::English, verbosity(level)).to_lowercase();
        assert_eq!(spoken, expected.to_lowercase(), "{level:?}: {text}");
    }
}

#[test]
fn signs_are_named_in_the_language() {
    let cases = [
        (Language::Hindi, "नमस्ते, दुनिया।", "नमस्ते कॉमा दुनिया पूर्ण विराम"),
        (Language::Tamil, "வணக்கம்!", "வணக்கம் ஆச்சரியக்குறி"),
        (Language::Marathi, "हो;", "हो अर्धविराम"),
    ];
    for (language, text, expected) in cases {
        assert_eq!(words(text, language, verbosity(Punctuation::All)), expected, "{text}");
    }
}

#[test]
fn words_keep_their_positions_in_the_text() {
    let spoken = said("नमस्ते, a & b.", Language::Hindi, verbosity(Punctuation::All));
    let places: Vec<&str> = spoken.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(places, ["नमस्ते", ",", "a", "&", "b", "."]);
}

#[test]
fn spelling_names_each_character() {
    let spelling = Verbosity { spelling: true, ..Verbosity::default() };
    let spoken = said("कि त्र", Language::Hindi, spelling);
    let places: Vec<&str> = spoken.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(places, ["क", "ि", "ि", "ि", " ", "त", "्", "र"]);
    assert_eq!(words("कि", Language::Hindi, spelling), "क इ की मात्रा");
    assert_eq!(words("Ab 1", Language::English, spelling), "A B space one");
    assert_eq!(words("कa", Language::English, spelling), "क A", "a letter of another script");
    assert_eq!(words("க", Language::Hindi, spelling), "க");
    let capitals = Verbosity { capitals: true, ..spelling };
    assert_eq!(words("Ab", Language::English, capitals), "cap A B");
}

#[test]
fn marks_are_found_with_their_positions() {
    let text = "<speak>a <mark name='x'/>b<!-- <mark name='no'/> --><![CDATA[ <mark name='no'/> ]]>\
                <sub alias='z'>c</sub> &amp; d <mark name=\"y &amp; z\"/></speak>";
    let read_out = ReadOut::new(text, Some(Language::English), verbosity(Punctuation::Some));
    let marks: Vec<(&str, &str)> =
        read_out.marks.iter().map(|mark| (mark.name.as_str(), &text[mark.byte..mark.byte + 5])).collect();
    assert_eq!(marks, [("x", "<mark"), ("y & z", "<mark")]);
    let spoken = said(text, Language::English, verbosity(Punctuation::Some));
    let ampersand = spoken.iter().find(|(_, place)| place == "&amp;");
    assert_eq!(ampersand.map(|(word, _)| word.as_str()), Some("ampersand"));
    assert!(spoken.iter().any(|(word, place)| word == "z" && place == "c"), "{spoken:?}");
}

#[test]
fn the_language_is_that_of_the_document_or_the_script() {
    let language = |text| ReadOut::new(text, None, Verbosity::default()).language;
    assert_eq!(language("<speak xml:lang='ta-IN'>hello</speak>"), Language::Tamil);
    assert_eq!(language("<speak>নমস্কার</speak>"), Language::Bengali);
    assert_eq!(language("hello"), Language::English);
}

#[test]
fn source_positions_in_invalid_markup_stay_within_the_text() {
    for text in [
        "<speak",
        "<speak>a < b &bogus; c",
        "<speak><mark name='",
        "<speak>a<!--",
        "<speak><![CDATA[a",
        "&",
        "<",
    ] {
        let read_out = ReadOut::new(text, None, verbosity(Punctuation::All));
        assert_eq!(read_out.ssml.chars().count(), read_out.places_len(), "{text}");
        assert_eq!(read_out.source(0..u32::MAX).end.max(text.len()), text.len(), "{text}");
    }
}

#[test]
fn every_language_has_names_for_the_same_characters() {
    let english: HashSet<char> = Names::of(Language::English).signs.keys().copied().collect();
    for (path, table) in tables_named("characters.toml") {
        let names: Names = toml::from_str(&table).unwrap_or_else(|error| panic!("{path}: {error}"));
        let signs: HashSet<char> = names.signs.keys().copied().collect();
        assert_eq!(signs, english, "{path}");
        assert!(signs.iter().all(|&sign| Punctuation::of(sign).is_some()), "{path}");
        assert!(names.capital.contains("{c}") && names.vowel_sign.contains("{v}"), "{path}");
    }
    for language in Language::ALL {
        assert!(!Names::of(language).space.is_empty(), "{language}");
    }
}
