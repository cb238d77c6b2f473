use super::*;
use crate::g2p::stems::SUPERSCRIPTS;

#[test]
fn tables_are_complete_and_without_digits() {
    for language in Language::ALL {
        let code = language.code();
        let data = parse(data_files(language).normalize).unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(data.number.words.len(), 100, "{code}: number words");
        assert_eq!(data.number.hundreds.len(), 9, "{code}: hundreds");
        assert!(matches!(data.number.hundreds_joining.len(), 0 | 9), "{code}: joining hundreds");
        assert!(matches!(data.number.digits.len(), 0 | 10), "{code}: digits");
        assert_eq!(data.date.months.len(), 12, "{code}: months");
        assert_eq!(data.date.weekdays.len(), 7, "{code}: weekdays");
        assert_eq!(data.latin.letters.len(), 26, "{code}: letters");
        let digits = if language == Language::English { 0 } else { 10 };
        assert_eq!(data.latin.digits.len(), digits, "{code}: digits of Latin codes");
        assert!(!data.ordinal.forms.is_empty() && !data.money.currencies.is_empty(), "{code}");
        assert!(data.number.scales.is_sorted_by_key(|scale| scale.power), "{code}: scales");
        let spoken = data.number.words.iter().chain(&data.number.hundreds).chain(data.symbols.values());
        let spoken =
            spoken.chain(data.abbreviations.values()).chain(&data.latin.letters).chain(&data.date.months);
        for word in spoken {
            let word = word.replace("{n}", "").replace(SUPERSCRIPTS, "");
            let plain = word.chars().all(|c| {
                c == ' '
                    || !c.is_numeric()
                        && (c.is_alphabetic()
                            || unicode_normalization::char::is_combining_mark(c)
                            || matches!(c, '\u{200c}' | '\u{200d}'))
            });
            assert!(
                plain && !word.trim().is_empty(),
                "{code}: '{word}' is spoken, but contains other characters than letters"
            );
        }
    }
}

#[test]
fn words_below_a_hundred_are_distinct() {
    for language in Language::ALL {
        let words = &of(language).number.words;
        for (n, word) in words.iter().enumerate() {
            assert_eq!(words.iter().position(|other| other == word), Some(n), "{}: {word}", language.code());
        }
    }
}
