//! The tables of a language, as `data/<code>/normalize.toml` holds them; their shape is explained in `data/README.md`.

use std::collections::BTreeMap;

use serde::Deserialize;
use shruti_protocol::Language;
use unicode_normalization::UnicodeNormalization;

use crate::chars::lowercase;
use crate::language::{PerLanguage, data_files};
use crate::table::{Set, Table};

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
    pub(crate) abbreviations: Table<String, String>,
    /// Those of them in Latin letters that begin with their only capital, in lower case.
    #[serde(skip)]
    titles: Table<String, String>,
    #[serde(default)]
    pub(crate) address: Table<String, String>,
    #[serde(default)]
    pub(crate) before_name: Table<String, String>,
    #[serde(default)]
    pub(crate) tokens: Table<String, String>,
    #[serde(default)]
    pub(crate) chat: Table<String, String>,
    #[serde(default)]
    pub(crate) chat_in_english: Table<String, String>,
    pub(crate) latin: Latin,
    pub(crate) symbols: Table<char, String>,
    pub(crate) electronic: Electronic,
    pub(crate) context: Context,
    pub(crate) prosody: Prosody,
}

impl Data {
    /// Indexes what is looked up in another form than it is written in the table.
    fn index(&mut self) {
        let title = |written: &str| {
            let (first, rest) = written.split_at_checked(1)?;
            let capital = written.len() >= 3 && first.bytes().all(|b| b.is_ascii_uppercase());
            let only = rest.is_ascii() && !rest.bytes().any(|b| b.is_ascii_uppercase());
            (capital && only).then(|| written.to_ascii_lowercase())
        };
        let abbreviations = self.abbreviations.iter();
        let titles = abbreviations.filter_map(|(written, said)| Some((title(written)?, said.clone())));
        self.titles = titles.collect();
        self.money.index();
        self.date.name_months();
    }

    /// What an abbreviation stands for: `DR.` and `dr.` are `Dr.`, `A/C` and `A/c` are `a/c`.
    pub(crate) fn abbreviation(&self, written: &str) -> Option<&str> {
        let titled = || self.titles.get(lowercase(written).as_ref()).filter(|_| written.is_ascii());
        let slashed =
            || self.abbreviations.get(lowercase(written).as_ref()).filter(|_| written.contains('/'));
        self.abbreviations.get(written).or_else(titled).or_else(slashed).map(String::as_str)
    }
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
    pub(crate) before_noun: Table<String, String>,
    #[serde(default)]
    pub(crate) noun_endings: Vec<(String, String)>,
    pub(crate) and: Option<String>,
    pub(crate) minus: String,
    pub(crate) point: String,
    pub(crate) range: String,
    pub(crate) by: String,
    pub(crate) ratio: String,
    pub(crate) number_sign: String,
    pub(crate) scales: Vec<Scale>,
    #[serde(default)]
    pub(crate) western: Vec<Scale>,
    pub(crate) multipliers: Table<String, String>,
    #[serde(default)]
    pub(crate) house_number_pairs: bool,
    #[serde(default)]
    pub(crate) literal_asterisk: bool,
    #[serde(default)]
    pub(crate) slash_between_words: bool,
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
    pub(crate) irregular: Table<String, (String, String)>,
}

/// `[number.endings]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Endings {
    #[serde(default)]
    pub(crate) apart: bool,
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
    pub(crate) named: Table<String, String>,
    #[serde(default)]
    pub(crate) halves: Vec<String>,
    pub(crate) half_before: Option<String>,
    pub(crate) half_after: Option<String>,
    pub(crate) half_alone: Option<String>,
    pub(crate) quarter_before: Option<String>,
    pub(crate) three_quarters_before: Option<String>,
    #[serde(default)]
    pub(crate) quarters: Vec<String>,
    #[serde(default)]
    pub(crate) three_quarters: Vec<String>,
    #[serde(default)]
    pub(crate) denominators: Table<String, (String, String)>,
}

/// `[ordinal]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ordinal {
    #[serde(default)]
    pub(crate) apart: Vec<String>,
    pub(crate) forms: Vec<OrdinalForm>,
}

/// `[[ordinal.forms]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrdinalForm {
    pub(crate) written: Vec<String>,
    #[serde(default)]
    pub(crate) only: Table<String, Vec<u32>>,
    #[serde(default)]
    pub(crate) words: Vec<String>,
    #[serde(default)]
    pub(crate) last_word: Table<String, String>,
    pub(crate) suffix: Option<String>,
    #[serde(default)]
    pub(crate) drop: Vec<String>,
}

/// `[money]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Money {
    pub(crate) currencies: Vec<Currency>,
    #[serde(default)]
    named: BTreeMap<String, UnitWord>,
    /// The place of the currency that is written so.
    #[serde(skip)]
    by_written: Table<String, usize>,
    /// The same in lower case, for what is written in ASCII.
    #[serde(skip)]
    by_letters: Table<String, usize>,
}

impl Money {
    fn index(&mut self) {
        for (place, currency) in self.currencies.iter().enumerate() {
            for written in &currency.written {
                self.by_written.entry(written.clone()).or_insert(place);
                if written.is_ascii() {
                    self.by_letters.entry(written.to_ascii_lowercase()).or_insert(place);
                }
            }
        }
    }

    /// The currency that is written so, in any case if it is in ASCII and `any_case` says so.
    pub(crate) fn currency(&self, written: &str, any_case: bool) -> Option<&Currency> {
        let place = if any_case && written.is_ascii() {
            self.by_letters.get(lowercase(written).as_ref())
        } else {
            self.by_written.get(written)
        };
        self.currencies.get(*place?)
    }
}

/// `[[money.currencies]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Currency {
    pub(crate) written: Vec<String>,
    pub(crate) one: String,
    pub(crate) many: String,
    pub(crate) minor: Option<String>,
    pub(crate) minor_one: Option<String>,
    #[serde(default)]
    pub(crate) western: bool,
}

/// `[date]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Date {
    pub(crate) months: Vec<String>,
    #[serde(default)]
    pub(crate) days: Vec<String>,
    pub(crate) full: String,
    pub(crate) day_month: String,
    pub(crate) month_year: String,
    pub(crate) month_day: String,
    pub(crate) month_day_year: Option<String>,
    #[serde(default)]
    pub(crate) year_hundreds: bool,
    pub(crate) century: Option<String>,
    pub(crate) century_alone: Option<String>,
    #[serde(default)]
    pub(crate) year_pairs: bool,
    pub(crate) year_hundred: Option<String>,
    pub(crate) year_oh: Option<String>,
    pub(crate) decade: Option<String>,
    #[serde(default)]
    pub(crate) decade_last_word: Table<String, String>,
    #[serde(default)]
    pub(crate) year_words: Vec<String>,
    #[serde(default)]
    pub(crate) eras: Vec<String>,
    pub(crate) weekdays: Vec<String>,
    #[serde(default)]
    pub(crate) short_weekdays: Vec<String>,
    #[serde(default)]
    pub(crate) cased_months: Table<String, usize>,
    #[serde(default)]
    pub(crate) doubtful: Set<String>,
    #[serde(default)]
    pub(crate) iso_month_first: bool,
    pub(crate) article: Option<String>,
    #[serde(default)]
    pub(crate) span_words: Set<String>,
    #[serde(default)]
    pub(crate) before_month: Set<String>,
    #[serde(default = "default_decades_from")]
    pub(crate) decades_from: u32,
    #[serde(default)]
    pub(crate) counted_words: Set<String>,
    /// The numbers of the months by all their names: other spellings, abbreviations, and once read `months` too.
    #[serde(default)]
    pub(crate) written_months: Table<String, usize>,
}

/// Two digits below this and an s count seconds in most languages: 30s.
const fn default_decades_from() -> u32 {
    70
}

impl Date {
    fn name_months(&mut self) {
        self.written_months.extend(self.months.iter().cloned().zip(1..));
    }
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
    pub(crate) hours: Table<String, String>,
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
    pub(crate) words: Table<String, UnitWord>,
    #[serde(default)]
    pub(crate) after_half: Table<String, String>,
    #[serde(default)]
    pub(crate) quartered: Vec<String>,
    #[serde(default)]
    pub(crate) halved: Vec<String>,
    #[serde(default)]
    pub(crate) not_alone: Set<String>,
    #[serde(default)]
    pub(crate) prefixes: Table<String, String>,
    #[serde(default)]
    pub(crate) prefixed: Vec<String>,
    pub(crate) square: String,
    pub(crate) cubic: String,
}

/// What a unit is called.
#[derive(Clone, Debug, Deserialize)]
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
    pub(crate) words: Table<String, String>,
}

/// `[context]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    pub(crate) digits: Set<String>,
    pub(crate) telephone: Set<String>,
    pub(crate) address: Set<String>,
    pub(crate) roman: Set<String>,
    #[serde(default)]
    pub(crate) regnal: Set<String>,
    #[serde(default)]
    pub(crate) never_dotted: Set<String>,
    #[serde(default)]
    pub(crate) before_letters: Set<String>,
    #[serde(default)]
    pub(crate) after_letters: Set<String>,
}

/// `[prosody]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prosody {
    pub(crate) question: Set<String>,
    pub(crate) yes_no_first: Set<String>,
    /// Question words that ask for yes or no when they come last.
    #[serde(default)]
    pub(crate) yes_no_last: Set<String>,
    pub(crate) function: Set<String>,
    #[serde(default)]
    pub(crate) phrase_before: Set<String>,
    #[serde(default)]
    pub(crate) phrase_after: Set<String>,
}

/// The tables of a language, read once.
pub(crate) fn of(language: Language) -> &'static Data {
    static TABLES: PerLanguage<Data> = PerLanguage::new();
    TABLES.get(language, || {
        // the tables are part of the program and a test reads each of them, so this cannot fail outside development
        parse(data_files(language).normalize)
            .unwrap_or_else(|error| panic!("data/{}/normalize.toml: {error}", language.code()))
    })
}

/// Whether a word of `language`, in its own script, leans on its neighbours.
pub(crate) fn is_function_word(word: &str, language: Language) -> bool {
    is_in(&of(language).prosody.function, word)
}

/// Whether a list of words in lower case has a word.
pub(super) fn is_in(list: &Set<String>, word: &str) -> bool {
    list.contains(lowercase(word).as_ref())
}

fn parse(source: &str) -> Result<Data, toml::de::Error> {
    let normal: String = source.nfc().collect();
    let mut data: Data = toml::from_str(&normal)?;
    let named = std::mem::take(&mut data.money.named);
    data.money.currencies.extend(named.into_iter().map(|(written, name)| {
        let (one, many) = match name {
            UnitWord::Same(name) => (name.clone(), name),
            UnitWord::Both(one, many) => (one, many),
        };
        let written = written.split(' ').map(str::to_owned).collect();
        Currency { written, one, many, minor: None, minor_one: None, western: true }
    }));
    for table in [&mut data.tokens, &mut data.chat, &mut data.chat_in_english] {
        let each = |(written, said): (String, String)| {
            let ways: Vec<String> = written.split(' ').map(str::to_owned).collect();
            ways.into_iter().map(move |way| (way, said.clone()))
        };
        *table = std::mem::take(table).into_iter().flat_map(each).collect();
    }
    data.index();
    Ok(data)
}

#[cfg(test)]
mod tests;
