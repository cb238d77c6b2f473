#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use shruti_packs::Unknown;
use shruti_text::{Reader, Settings};
use unicode_normalization::UnicodeNormalization;

use super::*;
use crate::symbols::SymbolTable;

fn input(kind: InputKind, dialect: Option<&str>) -> Input {
    Input {
        kind,
        dialect: dialect.map(str::to_owned),
        symbols: String::new(),
        begin: Vec::new(),
        between: Vec::new(),
        end: Vec::new(),
        unknown: Unknown::Skip,
        max_symbols: 400,
    }
}

fn utterances(text: &str, language: Language) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(text);
    reader.finish();
    std::iter::from_fn(|| reader.next_utterance()).collect()
}

/// Returns the symbols of a text with spaces between words and with marks, for a pack that has all symbols.
fn written(text: &str, language: Language, kind: InputKind, dialect: Option<&str>) -> String {
    shown(text, language, &Writer::new(&input(kind, dialect), &[language]).unwrap(), &|_| true)
}

fn shown(text: &str, language: Language, writer: &Writer, knows: &dyn Fn(&str) -> bool) -> String {
    let all = utterances(text, language).into_iter().map(|utterance| writer.write(&utterance, knows));
    let words: Vec<String> =
        all.flat_map(|all| all.words).map(|word| word.symbols.concat() + &word.marks.concat()).collect();
    words.join(" ")
}

fn assert_written(language: Language, kind: InputKind, dialect: Option<&str>, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let expected: String = expected.nfd().collect();
        assert_eq!(written(text, language, kind, dialect), expected, "{text}");
    }
}

#[test]
fn hindi_is_written_as_espeak_writes_it() {
    let cases = [
        // the heaviest syllable is stressed: maːr has three moras, su one and pər two
        ("सुपरमार्केट", "sˌʊpəɾmˈaːɾkeːʈ."),
        // if all syllables are light, the first is stressed
        ("परिषद", "pˈʌɾɪʂˌəd."),
        // a schwa that is not pronounced still counts as a syllable
        ("मसला", "mˈʌslˌaː."),
        // the final i is short, and नी is not stressed
        ("नीलाम", "nilˈaːm."),
        ("लेनी", "lˈeːni."),
        // an anusvara is written as a nasal consonant after a schwa, and otherwise nasalises the vowel; a candrabindu
        // does both
        ("कंकर", "kˈʌŋkəɾ."),
        ("खोलेंगे", "kʰoːlˈẽːɡeː."),
        ("जाँच", "ɟˈãnc."),
        // some geminates are written with a length mark, others as two consonants, of which the first is not aspirated
        ("पक्का", "pˈʌkːaː."),
        ("गन्ना", "ɡˈʌnnaː."),
        ("रक्खो", "ɾˈʌkkʰoː."),
        // r is written as a trill before a consonant that is not a stop, otherwise as a tap
        ("वर्मा", "ʋˈʌrmaː."),
        ("कार्ड", "kˈaːɾɖ."),
        // a schwa that h raises to ɛ is written as a schwa, and another one is written after the h
        ("रहता", "ɾˈʌhətˌaː."),
        ("लड़का", "lˈʌr.kˌaː."),
        ("राम का घर", "ɾˈaːm kaː ɡʰˈʌɾ."),
    ];
    assert_written(Language::Hindi, InputKind::Espeak, None, &cases);
    let nfd = written("जाँच", Language::Hindi, InputKind::Espeak, Some("hi"));
    assert!(nfd.contains("a\u{303}"), "code points in NFD: {nfd}");
}

#[test]
fn telugu_is_written_as_espeak_writes_it() {
    let cases = [
        ("తమలము", "tˈamalˌamu."),
        ("సబ్బు", "sˈabbu."),
        ("దేవుడు", "dˈeːʋuɖu."),
        ("ప్రియమైన", "prˈijamˌaɪna."),
        ("వివరం", "ʋˈiʋaran."),
        ("అంకె", "ˈanke."),
        ("ఎక్కువ", "ʲˈekkuʋa."),
        ("శరీరము", "ɕˈariːrˌamu."),
        ("సిద్ధము", "sˈiddʰamu."),
        ("మీరు, వాళ్లు?", "mˈiːru, ʋˈaːɭɭu?"),
    ];
    assert_written(Language::Telugu, InputKind::Espeak, Some("te"), &cases);
}

#[test]
fn malayalam_is_written_as_espeak_writes_it() {
    let cases = [
        // a word-initial single stop is voiced only at the beginning of a clause
        ("കുളം", "ɡˈuɭəm."),
        ("മരം കണ്ടു", "mˈɐɾəm kˈɐɳɖu."),
        ("പ്രാപ്തി", "pɾˈaːpti."),
        // stress moves to a long second syllable
        ("അഭ്യാസം", "ɐbʰjˈaːsəm."),
        ("കൃഷ്ണൻ", "ɡˈr\u{329}ʂɳən."),
        ("കേക്ക്", "ɡˈeːkːɨ."),
        ("ഈട്", "ˈiːʈ."),
        ("എപ്പോഴും", "ʲepːˈoːr.um."),
    ];
    assert_written(Language::Malayalam, InputKind::Espeak, None, &cases);
}

#[test]
fn english_is_written_as_two_voices_of_espeak_write_it() {
    let words = "Water, think, day, boy, hot, bird, singing!";
    for (dialect, expected) in [
        ("en-us", "wˈɔːɾɚ, θˈɪŋk, dˈeɪ, bˈɔɪ, hˈɑːt, bˈɜːd, sˈɪŋɪŋ!"),
        ("en-gb", "wˈɔːtə, θˈɪŋk, dˈeɪ, bˈɔɪ, hˈɒt, bˈɜːd, sˈɪŋɪŋ!"),
    ] {
        assert_eq!(written(words, Language::English, InputKind::Espeak, Some(dialect)), expected);
    }
}

#[test]
fn english_words_have_the_sounds_of_the_dialect() {
    let text = written("मेरी meeting", Language::Hindi, InputKind::Espeak, None);
    assert_eq!(text, "mˈeːɾi mˈiːʈɪŋ.");
    for language in [Language::Hindi, Language::Telugu, Language::Malayalam] {
        let text = written("WhatsApp, form, video, zoo.", language, InputKind::Espeak, None);
        assert!(!text.contains(['ɹ', 'w', 'θ', 'æ']), "{text}");
    }
}

#[test]
fn every_language_has_kokoro_symbols() {
    let kokoro = |text, language| written(text, language, InputKind::Kokoro, None);
    assert_eq!(kokoro("नमस्ते, आप कैसे हैं?", Language::Hindi), "nəmˈʌsteː, ˈaːp kˈɛːseː hɛ\u{303}ː?");
    // English words keep their English pronunciation in a sentence of another language
    assert_eq!(kokoro("मेरी meeting", Language::Hindi), "mˈeːɾi mˈiːtɪŋ.");
    let knows = |symbol: &str| symbol.chars().all(|c| shruti_kokoro::number(c).is_some());
    for language in Language::ALL {
        let writer = Writer::new(&input(InputKind::Kokoro, None), &[language]).unwrap();
        for utterance in crate::lines(language).flat_map(|line| utterances(line, language)) {
            let written = writer.write(&utterance, &|_| false);
            assert!(written.spaces);
            for word in &written.words {
                assert!(word.symbols.iter().all(|symbol| knows(symbol)), "{language}: {word:?}");
                assert!(word.marks.iter().all(|mark| knows(mark)), "{language}: {word:?}");
                assert!(!word.symbols.is_empty(), "{language}: {utterance:?}");
            }
        }
    }
}

#[test]
fn labels_follow_the_letters_and_phones_determine_the_inherent_vowel() {
    for (language, text, expected) in [
        (Language::Hindi, "अखबार", "aखbAr"),
        (Language::Hindi, "चौड़ा", "cऔDA"),
        (Language::Hindi, "विद्वान", "widwAn"),
        (Language::Gujarati, "બિંદુઓને", "biqduonE"),
        (Language::Kannada, "ನೋಡಿಲ್ಲ", "nOडilla"),
        (Language::Kannada, "ನೆಮ್ಮದಿ", "nemmadi"),
        (Language::Odia, "ଦଳି", "daളi"),
        (Language::Tamil, "ஒரு", "oru"),
        (Language::Tamil, "ஓடம்", "Oटam"),
        (Language::Malayalam, "മഴ", "maZa"),
        // an English word is respelled by its pronunciation, and the labels follow the new spelling
        (Language::Hindi, "meeting", "mIटiqg"),
    ] {
        assert_eq!(written(text, language, InputKind::Labels, None), expected, "{text}");
    }
    // for ഴ, a pack without a separate label gets the label of ള
    let writer = Writer::new(&input(InputKind::Labels, None), &[Language::Malayalam]).unwrap();
    assert_eq!(shown("മഴ", Language::Malayalam, &writer, &|symbol| symbol != "Z"), "maളa");
}

#[test]
fn labels_are_joined_between_phrase_marks() {
    let writer = Writer::new(&input(InputKind::Labels, None), &[Language::Hindi]).unwrap();
    let mut utterance = utterances("राम आया।", Language::Hindi).remove(0);
    assert!(!writer.write(&utterance, &|_| true).spaces);
    assert_eq!(writer.write(&utterance, &|_| true).words[0].marks, Vec::<&str>::new());
    utterance.words[0].break_after = Break::Comma;
    let marks: Vec<_> =
        writer.write(&utterance, &|_| true).words.into_iter().map(|word| word.marks).collect();
    assert_eq!(marks, [vec![".", "$"], vec![]]);
}

#[test]
fn only_characters_of_the_pack_are_written() {
    let plain = |text, language| written(text, language, InputKind::Characters, None);
    assert_eq!(plain("₹5 दो।", Language::Hindi), "पाँच रुपए दो.");
    assert_eq!(written("ରାମ ଆସିଲା।", Language::Odia, InputKind::Characters, Some("danda")), "ରାମ ଆସିଲା।");
    let of = |languages: &[Language]| Writer::new(&input(InputKind::Characters, None), languages).unwrap();
    let devanagari = |symbol: &str| symbol.chars().all(|c| ('\u{900}'..='\u{97f}').contains(&c) || c == '.');
    // English words are respelled by their pronunciation, words in other scripts letter by letter
    assert_eq!(shown("मेरी meeting", Language::Hindi, &of(&[Language::Hindi]), &devanagari), "मेरी मीटिंग.");
    assert_eq!(shown("నమస్తే", Language::Hindi, &of(&[Language::Hindi]), &devanagari), "नमस्ते.");
    // characters that the pack lacks are replaced with their lower-case forms or their decompositions
    let small = |symbol: &str| symbol.chars().all(char::is_lowercase);
    assert_eq!(shown("Hello", Language::English, &of(&[Language::English]), &small), "hello");
    let parts = |symbol: &str| symbol != "\u{bca}";
    let tamil = shown("கொடு", Language::Tamil, &of(&[Language::Tamil]), &parts);
    assert_eq!(tamil, "க\u{bc6}\u{bbe}டு.");
}

#[test]
fn only_clause_marks_are_written() {
    for (text, expected) in [
        ("राम।", "."),
        ("राम", "."),
        ("राम?", "?"),
        ("राम!", "!"),
        ("राम, श्याम।", ",."),
        ("राम; श्याम।", ";."),
    ] {
        let marks = |kind| {
            let writer = Writer::new(&input(kind, None), &[Language::Hindi]).unwrap();
            let words = utterances(text, Language::Hindi).into_iter();
            let words = words.flat_map(|utterance| writer.write(&utterance, &|_| true).words);
            words.flat_map(|word| word.marks).collect::<String>()
        };
        assert_eq!(marks(InputKind::Espeak), expected, "{text}");
        assert_eq!(marks(InputKind::Characters), expected, "{text}");
        assert_eq!(marks(InputKind::Phones), "", "{text}");
    }
    let writer = Writer::new(&input(InputKind::Characters, None), &[Language::Hindi]).unwrap();
    let without = |symbol: &str| !matches!(symbol, ";" | "!" | ".");
    assert_eq!(shown("राम; श्याम!", Language::Hindi, &writer, &without), "राम, श्याम।");
}

#[test]
fn a_sequence_matches_a_piper_voice() {
    let mut input = input(InputKind::Espeak, Some("te"));
    (input.begin, input.between, input.end) = (vec!["^".into()], vec!["_".into()], vec!["$".into()]);
    let rows = ["_", "^", "$", " ", ",", "a", "m", "ˈ", "i", "ː", "r", "u"];
    let rows: Vec<String> = rows.iter().enumerate().map(|(id, symbol)| format!("{symbol}\t{id}")).collect();
    let table = SymbolTable::parse(&rows.join("\n"), &input).unwrap();
    let writer = Writer::new(&input, &[Language::Telugu]).unwrap();
    let mut utterance = utterances("మీరు మారు", Language::Telugu).remove(0);
    utterance.words[0].break_after = Break::Comma;
    let sequence = table.sequence_of(&writer.write(&utterance, &|symbol| table.contains(symbol))).unwrap();
    // ^ m ˈ i ː r u , ␠ m ˈ a ː r u $ with a blank between each pair; the pack has no full stop
    let ids = [1, 6, 7, 8, 9, 10, 11, 4, 3, 6, 7, 5, 9, 10, 11, 2];
    let expected: Vec<i32> = ids.iter().flat_map(|&id| [id, 0]).take(2 * ids.len() - 1).collect();
    assert_eq!((sequence.ids, sequence.skipped), (expected, 0));
    assert_eq!(sequence.words, [2..13, 18..29]);
}

#[test]
fn the_error_for_an_unsupported_dialect_lists_the_supported_ones() {
    for (kind, dialect, known) in
        [(InputKind::Espeak, "sw", "\"te\""), (InputKind::Characters, "telex", "\"danda\"")]
    {
        let error = Writer::new(&input(kind, Some(dialect)), &[Language::Hindi]).map(|_| ()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(dialect) && text.contains(known), "{text}");
    }
    assert!(Writer::new(&input(InputKind::Espeak, None), &[Language::Kannada]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Checks that no text causes a panic, and that the number of symbols of a word is bounded by the numbers of its
    /// letters and phones.
    #[test]
    fn output_for_any_text_is_bounded(
        text in "[\\PC\u{900}-\u{d7f}\u{200c}\u{200d}]{0,60}",
        language in 0..Language::ALL.len(),
    ) {
        let language = Language::ALL[language];
        let writers = [
            (InputKind::Phones, None),
            (InputKind::Kokoro, None),
            (InputKind::Characters, None),
            (InputKind::Labels, None),
            (InputKind::Espeak, Some("te")),
            (InputKind::Espeak, Some("hi")),
            (InputKind::Espeak, Some("ml")),
            (InputKind::Espeak, Some("en-us")),
        ];
        for utterance in utterances(&text, language) {
            for (kind, dialect) in writers {
                let writer = Writer::new(&input(kind, dialect), &[language]).unwrap();
                for (word, written) in utterance.words.iter().zip(writer.write(&utterance, &|_| true).words) {
                    let bound = 6 * (word.text.chars().count() + 2 * word.phones.len()) + 4;
                    prop_assert!(written.symbols.len() <= bound, "{kind:?} {word:?} {written:?}");
                    prop_assert!(written.symbols.iter().all(|symbol| !symbol.is_empty()));
                }
            }
        }
    }
}
