//! The tables of a language, as `data/<code>/normalize.toml` holds them; their shape is explained in `data/README.md`.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use shruti_protocol::Language;
use unicode_normalization::UnicodeNormalization;

/// Everything that is said of a language's written forms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) number: Number,
    pub(crate) fraction: Fraction,
    pub(crate) ordinal: Ordinal,
    pub(crate) money: Money,
    pub(crate) date: Date,
    pub(crate) time: Time,
    pub(crate) units: Units,
    pub(crate) abbreviations: HashMap<String, String>,
    #[serde(default)]
    pub(crate) address: HashMap<String, String>,
    pub(crate) latin: Latin,
    pub(crate) symbols: HashMap<char, String>,
    pub(crate) electronic: Electronic,
    pub(crate) context: Context,
    pub(crate) prosody: Prosody,
}

/// `[number]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names)] // the keys of the table, as people write them
pub(crate) struct Number {
    pub(crate) words: Vec<String>,
    pub(crate) hundreds: Vec<String>,
    #[serde(default)]
    pub(crate) hundreds_joining: Vec<String>,
    #[serde(default)]
    pub(crate) hundreds_exact: Vec<String>,
    #[serde(default)]
    pub(crate) digits: Vec<String>,
    #[serde(default)]
    pub(crate) before_noun: HashMap<String, String>,
    #[serde(default)]
    pub(crate) noun_endings: Vec<(String, String)>,
    pub(crate) and: Option<String>,
    pub(crate) minus: String,
    pub(crate) plus: String,
    pub(crate) point: String,
    pub(crate) range: String,
    pub(crate) by: String,
    pub(crate) number_sign: String,
    pub(crate) scales: Vec<Scale>,
    #[serde(default)]
    pub(crate) western: Vec<Scale>,
    pub(crate) multipliers: HashMap<String, String>,
    #[serde(default)]
    pub(crate) endings: Endings,
}

/// `[[number.scales]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scale {
    pub(crate) power: u32,
    #[serde(rename = "final")]
    pub(crate) alone: String,
    pub(crate) joining: Option<String>,
    pub(crate) one_final: Option<String>,
    pub(crate) one_joining: Option<String>,
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    pub(crate) attach_final: Option<String>,
    pub(crate) attach_joining: Option<String>,
    #[serde(default)]
    pub(crate) irregular: HashMap<String, (String, String)>,
}

/// `[number.endings]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Endings {
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    #[serde(default)]
    pub(crate) joints: Vec<(String, String, String)>,
}

/// `[fraction]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fraction {
    pub(crate) over: String,
    pub(crate) and: String,
    #[serde(default)]
    pub(crate) named: HashMap<String, String>,
    #[serde(default)]
    pub(crate) halves: Vec<String>,
    pub(crate) half_before: Option<String>,
    pub(crate) half_after: Option<String>,
    pub(crate) quarter_before: Option<String>,
    pub(crate) three_quarters_before: Option<String>,
    #[serde(default)]
    pub(crate) denominators: HashMap<String, (String, String)>,
}

/// `[ordinal]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ordinal {
    pub(crate) forms: Vec<OrdinalForm>,
}

/// `[[ordinal.forms]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrdinalForm {
    pub(crate) written: Vec<String>,
    #[serde(default)]
    pub(crate) words: Vec<String>,
    #[serde(default)]
    pub(crate) last_word: HashMap<String, String>,
    pub(crate) suffix: Option<String>,
    #[serde(default)]
    pub(crate) drop: Vec<String>,
}

/// `[money]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Money {
    pub(crate) currencies: Vec<Currency>,
}

/// `[[money.currencies]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Currency {
    pub(crate) written: Vec<String>,
    pub(crate) one: String,
    pub(crate) many: String,
    pub(crate) minor: String,
    pub(crate) minor_one: Option<String>,
    #[serde(default)]
    pub(crate) western: bool,
}

/// `[date]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Date {
    pub(crate) months: Vec<String>,
    pub(crate) full: String,
    pub(crate) day_month: String,
    pub(crate) month_year: String,
    pub(crate) month_day: String,
    pub(crate) month_day_year: Option<String>,
    #[serde(default)]
    pub(crate) year_hundreds: bool,
    pub(crate) century: Option<String>,
    #[serde(default)]
    pub(crate) year_pairs: bool,
    pub(crate) year_hundred: Option<String>,
    pub(crate) year_oh: Option<String>,
    #[serde(default)]
    pub(crate) decade: Vec<String>,
    #[serde(default)]
    pub(crate) decade_last_word: HashMap<String, String>,
    #[serde(default)]
    pub(crate) year_words: Vec<String>,
    pub(crate) weekdays: Vec<String>,
    #[serde(default)]
    pub(crate) written_months: HashMap<String, usize>,
}

/// `[time]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Time {
    pub(crate) oclock: String,
    pub(crate) oclock_one: Option<String>,
    pub(crate) minutes: String,
    pub(crate) seconds: String,
    pub(crate) half_past: Option<String>,
    #[serde(default)]
    pub(crate) oclock_words: Vec<String>,
    #[serde(default)]
    pub(crate) oclock_stems: Vec<String>,
    #[serde(default)]
    pub(crate) day_parts: Vec<(u32, String)>,
    #[serde(default)]
    pub(crate) hours: HashMap<String, String>,
    pub(crate) am: Option<String>,
    pub(crate) pm: Option<String>,
    pub(crate) oclock_meridiem: Option<String>,
    pub(crate) minutes_meridiem: Option<String>,
    pub(crate) single_minute: Option<String>,
    pub(crate) hour_words: Option<(String, String)>,
    pub(crate) minute_words: Option<(String, String)>,
    pub(crate) second_words: Option<(String, String)>,
}

/// `[units]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Units {
    pub(crate) per: String,
    pub(crate) words: HashMap<String, UnitWord>,
    #[serde(default)]
    pub(crate) after_half: HashMap<String, String>,
}

/// What a unit is called.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum UnitWord {
    /// The same for one and many.
    Same(String),
    /// One and many.
    Both(String, String),
}

/// `[latin]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Latin {
    pub(crate) letters: Vec<String>,
}

/// `[electronic]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Electronic {
    pub(crate) dot: String,
    pub(crate) at: String,
    pub(crate) slash: String,
    pub(crate) backslash: String,
    pub(crate) colon: String,
    pub(crate) hyphen: String,
    pub(crate) underscore: String,
    pub(crate) hash: String,
    pub(crate) question: String,
    pub(crate) equals: String,
    pub(crate) ampersand: String,
    pub(crate) percent: String,
    pub(crate) plus: String,
    pub(crate) tilde: String,
    pub(crate) hashtag: String,
    pub(crate) mention: String,
    #[serde(default)]
    pub(crate) spell_unknown: bool,
    #[serde(default)]
    pub(crate) words: HashMap<String, String>,
}

/// `[context]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    pub(crate) digits: Vec<String>,
    pub(crate) address: Vec<String>,
    pub(crate) roman: Vec<String>,
}

/// `[prosody]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prosody {
    pub(crate) question: Vec<String>,
    pub(crate) yes_no_first: Vec<String>,
    pub(crate) function: Vec<String>,
    #[serde(default)]
    pub(crate) phrase_before: Vec<String>,
    #[serde(default)]
    pub(crate) phrase_after: Vec<String>,
}

const fn source(language: Language) -> &'static str {
    match language {
        Language::Hindi => include_str!("../../data/hi/normalize.toml"),
        Language::Bengali => include_str!("../../data/bn/normalize.toml"),
        Language::Tamil => include_str!("../../data/ta/normalize.toml"),
        Language::Telugu => include_str!("../../data/te/normalize.toml"),
        Language::Gujarati => include_str!("../../data/gu/normalize.toml"),
        Language::Kannada => include_str!("../../data/kn/normalize.toml"),
        Language::Malayalam => include_str!("../../data/ml/normalize.toml"),
        Language::Marathi => include_str!("../../data/mr/normalize.toml"),
        Language::Punjabi => include_str!("../../data/pa/normalize.toml"),
        Language::Odia => include_str!("../../data/or/normalize.toml"),
        Language::English => include_str!("../../data/en/normalize.toml"),
    }
}

/// The tables of a language, read once.
pub(crate) fn of(language: Language) -> &'static Data {
    static TABLES: [OnceLock<Data>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
    // the languages are declared in the order of `Language::ALL`
    TABLES[language as usize].get_or_init(|| {
        // the tables are part of the program and a test reads each of them, so this cannot fail outside development
        parse(source(language))
            .unwrap_or_else(|error| panic!("data/{}/normalize.toml: {error}", language.code()))
    })
}

fn parse(source: &str) -> Result<Data, toml::de::Error> {
    let normal: String = source.nfc().collect();
    toml::from_str(&normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_whole_tables_without_digits_or_signs() {
        for language in Language::ALL {
            let code = language.code();
            let data = parse(source(language)).unwrap_or_else(|error| panic!("{code}: {error}"));
            assert_eq!(language as usize, Language::ALL.iter().position(|&l| l == language).unwrap());
            assert_eq!(data.number.words.len(), 100, "{code}: number words");
            assert_eq!(data.number.hundreds.len(), 9, "{code}: hundreds");
            assert!(matches!(data.number.hundreds_joining.len(), 0 | 9), "{code}: joining hundreds");
            assert!(matches!(data.number.digits.len(), 0 | 10), "{code}: digits");
            assert_eq!(data.date.months.len(), 12, "{code}: months");
            assert_eq!(data.date.weekdays.len(), 7, "{code}: weekdays");
            assert_eq!(data.latin.letters.len(), 26, "{code}: letters");
            assert!(!data.ordinal.forms.is_empty() && !data.money.currencies.is_empty(), "{code}");
            assert!(data.number.scales.is_sorted_by_key(|scale| scale.power), "{code}: scales");
            let said = data.number.words.iter().chain(&data.number.hundreds).chain(data.symbols.values());
            let said =
                said.chain(data.abbreviations.values()).chain(&data.latin.letters).chain(&data.date.months);
            for word in said {
                let plain = word.chars().all(|c| {
                    c == ' '
                        || !c.is_numeric()
                            && (c.is_alphabetic()
                                || unicode_normalization::char::is_combining_mark(c)
                                || matches!(c, '\u{200c}' | '\u{200d}'))
                });
                assert!(
                    plain && !word.trim().is_empty(),
                    "{code}: '{word}' is to be said, but is not all letters"
                );
            }
        }
    }

    #[test]
    fn the_words_below_a_hundred_differ() {
        for language in Language::ALL {
            let words = &of(language).number.words;
            for (n, word) in words.iter().enumerate() {
                assert_eq!(
                    words.iter().position(|other| other == word),
                    Some(n),
                    "{}: {word}",
                    language.code()
                );
            }
        }
    }
}
