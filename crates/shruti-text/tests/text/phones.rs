//! Phones of words as voices receive them, from tables that speakers of the languages can read and correct:
//! `phones/<code>.tsv`.

use shruti_lang::Language;
use shruti_text::phone::to_ipa;
use shruti_text::{Reader, Settings};
use unicode_normalization::UnicodeNormalization;

/// Returns the phones of a word in running speech.
pub(crate) fn spoken(word: &str, language: Language) -> String {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(word);
    reader.finish();
    let utterances: Vec<_> = std::iter::from_fn(|| reader.next_utterance()).collect();
    let words = utterances.iter().flat_map(|utterance| &utterance.words);
    words.map(|word| to_ipa(&word.phones)).collect::<Vec<_>>().join(" ").nfc().collect()
}

#[test]
fn every_table_word_has_phones() {
    let mut wrong = Vec::new();
    for language in Language::ALL {
        let path = format!("{}/tests/phones/{}.tsv", env!("CARGO_MANIFEST_DIR"), language.code());
        let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let cases: Vec<&str> = table.lines().filter(|line| !line.starts_with("# ")).collect();
        assert!(!cases.is_empty(), "{path} has no word");
        for case in cases {
            let [word, phones, why] = case.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{path}: not three columns in '{case}'");
            };
            let spoken = spoken(word, language);
            if spoken != phones.nfc().collect::<String>() {
                wrong.push(format!("{language} {word} ({why})\n  want {phones}\n  have {spoken}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} words sound otherwise:\n{}", wrong.len(), wrong.join("\n"));
}
