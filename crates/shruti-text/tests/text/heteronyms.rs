//! English heteronyms in context: `phones/heteronyms.tsv`.

use shruti_lang::Language;
use shruti_text::phone::to_ipa;
use shruti_text::{Settings, explain};
use unicode_normalization::UnicodeNormalization;

#[test]
fn heteronyms_depend_on_their_neighbours() {
    let path = format!("{}/tests/phones/heteronyms.tsv", env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut wrong = Vec::new();
    for case in table.lines().filter(|line| !line.starts_with("# ")) {
        let [sentence, word, occurrence, phones] = case.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{path}: not four columns in '{case}'");
        };
        let language = if sentence.is_ascii() { Language::English } else { Language::Hindi };
        let tokens = explain(sentence, Settings { language: Some(language), ..Settings::default() }).tokens;
        let at = occurrence.parse::<usize>().unwrap() - 1;
        let token = tokens
            .iter()
            .filter(|token| token.written.eq_ignore_ascii_case(word))
            .nth(at)
            .unwrap_or_else(|| panic!("{case}"));
        let spoken: String = to_ipa(&token.words[0].phones).nfc().collect();
        if spoken != phones.nfc().collect::<String>() {
            wrong.push(format!("{word}: {sentence}\n  want {phones}\n  have {spoken}"));
        }
    }
    assert!(wrong.is_empty(), "{} words are pronounced differently:\n{}", wrong.len(), wrong.join("\n"));
}
