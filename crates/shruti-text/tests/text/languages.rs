//! Checks each row of the tables in `docs/languages.md` against the front end.

use std::collections::BTreeSet;

use shruti_lang::Language;
use shruti_text::phone::Symbol;
use shruti_text::{Class, Lexicon, Settings, explain, normalize_line};
use unicode_normalization::UnicodeNormalization;

use crate::phones::spoken;

const PAGE: &str = include_str!("../../../../docs/languages.md");

/// Returns the rows of all tables on the page whose header row is `heading`, each with the title of its section.
fn rows(heading: &str) -> Vec<(&'static str, Vec<String>)> {
    let mut section = "";
    let mut within = false;
    let mut rows = Vec::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        if !line.starts_with('|') {
            within = false;
        } else if line == heading {
            within = true;
        } else if within && !line.starts_with("| ---") {
            let cells = line.trim_matches('|').replace("\\|", "\u{0}");
            rows.push((section, cells.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()));
        }
    }
    rows
}

fn language_of(section: &str) -> Language {
    let code = section.rsplit_once('(').map(|(_, code)| code.trim_end_matches(')'));
    code.and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("'{section}' names no language"))
}

/// Checks that the second cell of each row is what `say` returns for the first cell, and that every finished language
/// has at least `least` rows.
fn check(heading: &str, least: usize, say: impl Fn(Language, &str) -> String) {
    let rows = rows(heading);
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(section, cells)| {
            let spoken = say(language_of(section), &cells[0]);
            (spoken != cells[1].nfc().collect::<String>())
                .then(|| format!("{section}: {}\n  page {}\n  have {spoken}", cells[0], cells[1]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for language in Language::FINISHED {
        let own = rows.iter().filter(|(section, _)| language_of(section) == language).count();
        assert!(own >= least, "{language} has {own} rows under '{heading}'");
    }
}

#[test]
fn readings_match_the_documentation() {
    check("| written | spoken |", 20, |language, written| {
        normalize_line(written, Some(language), &Lexicon::default())
    });
}

#[test]
fn phones_match_the_documentation() {
    check("| word | phones |", 8, |language, word| spoken(word, language));
}

#[test]
fn every_class_is_documented_and_detected() {
    let rows = rows("| class | what it is | written | in Hindi |");
    let names: Vec<&str> = rows.iter().map(|(_, cells)| cells[0].as_str()).collect();
    let classes: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    assert_eq!(names, classes);
    for (_, cells) in rows.iter().filter(|(_, cells)| !cells[2].is_empty()) {
        let hindi = Some(Language::Hindi);
        let settings = Settings { language: hindi, ..Settings::default() };
        let found = explain(&cells[2], settings).tokens;
        assert!(found.iter().any(|token| token.class.name() == cells[0]), "{cells:?}: {found:?}");
        let spoken = normalize_line(&cells[2], hindi, &Lexicon::default());
        assert_eq!(spoken.trim_matches('!'), cells[3].nfc().collect::<String>(), "{}", cells[2]);
    }
}

#[test]
fn mixed_text_matches_the_documentation() {
    let rows = rows("| in | written | spoken |");
    assert!(rows.len() >= 12);
    for (_, cells) in rows {
        let language = (cells[0] != "–").then(|| cells[0].parse().unwrap());
        let tokens = explain(&cells[1], Settings { language, ..Settings::default() }).tokens;
        let words = tokens.iter().flat_map(|token| &token.words);
        let spoken: Vec<String> = words.map(|word| format!("{}:{}", word.text, word.language)).collect();
        assert_eq!(spoken.join(" "), cells[2].nfc().collect::<String>(), "{}", cells[1]);
    }
}

#[test]
fn documentation_lists_every_phone() {
    let rows = rows("| phones of the voices | IPA |");
    let named: Vec<String> = rows
        .iter()
        .flat_map(|(_, cells)| cells[1].split(' '))
        .map(|phone| phone.trim_matches('`').to_owned())
        .collect();
    let wanted: BTreeSet<&str> = Symbol::ALL.iter().map(|symbol| symbol.ipa()).collect();
    assert_eq!(named.iter().map(String::as_str).collect::<BTreeSet<_>>(), wanted);
    assert_eq!(named.len(), wanted.len(), "the page lists a phone twice");
}
