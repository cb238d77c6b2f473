//! Spoken forms of written forms, from tables that speakers of the languages can read and correct:
//! `normalize/<code>.tsv`.

use shruti_lang::Language;
use shruti_text::{Lexicon, normalize_line};
use unicode_normalization::UnicodeNormalization;

/// Returns the written and the spoken form of each line of a table, with the preceding heading.
fn cases(language: Language) -> Vec<(String, String, String)> {
    let path = format!("{}/tests/normalize/{}.tsv", env!("CARGO_MANIFEST_DIR"), language.code());
    let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut heading = String::new();
    let mut cases = Vec::new();
    for line in table.lines() {
        if let Some(next) = line.strip_prefix("# ") {
            next.clone_into(&mut heading);
            continue;
        }
        let (written, spoken) = line.split_once('\t').unwrap_or_else(|| panic!("{path}: no tab in '{line}'"));
        cases.push((heading.clone(), written.to_owned(), spoken.nfc().collect()));
    }
    cases
}

#[test]
fn every_table_row_is_read_as_specified() {
    let mut wrong = Vec::new();
    for language in Language::ALL {
        let cases = cases(language);
        assert!(cases.len() >= 100, "{}: only {} cases", language.code(), cases.len());
        for (heading, written, spoken) in cases {
            let actual = normalize_line(&written, Some(language), &Lexicon::default());
            if actual != spoken {
                wrong.push(format!(
                    "{} ({heading}): {written}\n  want {spoken}\n  have {actual}",
                    language.code()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases are read differently:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_reading_contains_digits_or_signs() {
    for language in Language::ALL {
        for (_, written, spoken) in cases(language) {
            let left = spoken.chars().find(|&c| c.is_numeric() || "%&@#*\\+=<>|~^₹$€£¥°²³½".contains(c));
            assert_eq!(left, None, "{}: {written}: {spoken}", language.code());
        }
    }
}
