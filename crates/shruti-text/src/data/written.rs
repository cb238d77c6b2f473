//! Tables for money, units and signs.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::chars::lowercase;
use crate::table::{Set, Table};
use crate::word_list::WordList;

/// The `[money]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Money {
    pub(crate) currencies: Vec<Currency>,
    #[serde(default)]
    pub(crate) tenths_as_hundredths: bool,
    /// Nouns before which the name of a currency is singular.
    #[serde(default)]
    pub(crate) attributive: Set<String>,
    #[serde(default)]
    pub(super) named: BTreeMap<String, UnitWord>,
    /// Index in `currencies` by written form.
    #[serde(skip)]
    by_written: Table<String, usize>,
    /// Index in `currencies` by ASCII written form, in lower case.
    #[serde(skip)]
    by_letters: Table<String, usize>,
}

impl Money {
    pub(super) fn index(&mut self) {
        for (place, currency) in self.currencies.iter().enumerate() {
            for written in &currency.written {
                self.by_written.entry(written.clone()).or_insert(place);
                if written.is_ascii() {
                    self.by_letters.entry(written.to_ascii_lowercase()).or_insert(place);
                }
            }
        }
    }

    /// Returns the currency for a written form. If `any_case` is true, ASCII forms match regardless of case.
    pub(crate) fn currency(&self, written: &str, any_case: bool) -> Option<&Currency> {
        let place = if any_case && written.is_ascii() {
            self.by_letters.get(lowercase(written).as_ref())
        } else {
            self.by_written.get(written)
        };
        self.currencies.get(*place?)
    }
}

/// A `[[money.currencies]]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Currency {
    pub(crate) written: Vec<String>,
    pub(crate) one: String,
    pub(crate) many: String,
    pub(crate) minor: Option<String>,
    pub(crate) minor_one: Option<String>,
    #[serde(default)]
    pub(crate) stems: Vec<String>,
    pub(crate) oblique: Option<String>,
    #[serde(default)]
    pub(crate) western: bool,
}

/// The `[units]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Units {
    pub(crate) per: String,
    pub(crate) before: Option<String>,
    pub(crate) words: Table<String, UnitWord>,
    #[serde(default)]
    pub(crate) after_half: Table<String, String>,
    /// Units that a number in words may precede (English, for all other languages), and other words before them.
    #[serde(default)]
    pub(crate) after_words: Set<String>,
    /// Units after the slash of two units that form a rate without a number: `(kg/ha)`.
    #[serde(default)]
    pub(crate) rates: Set<String>,
    #[serde(default)]
    pub(crate) counted_by: Set<String>,
    #[serde(default)]
    pub(crate) quartered: Vec<String>,
    #[serde(default)]
    pub(crate) halved: Vec<String>,
    /// Nouns before which the name of a unit is singular.
    #[serde(default)]
    pub(crate) attributive: Set<String>,
    /// Words after a length: wide, deep.
    #[serde(default)]
    pub(crate) after_length: Set<String>,
    /// Units of mass of a medicine, and units of volume that may follow it with a number: `125 mg/5 ml`.
    #[serde(default)]
    pub(crate) dosed: Set<String>,
    #[serde(default)]
    pub(crate) doses: Set<String>,
    /// Nouns before which a unit in capitals is the initialism of a service: `3 PCS officers`.
    #[serde(default)]
    pub(crate) after_service: Set<String>,
    #[serde(default)]
    pub(crate) not_alone: Set<String>,
    #[serde(default)]
    pub(crate) before_other: Set<String>,
    #[serde(default)]
    pub(crate) current: Set<String>,
    #[serde(default)]
    pub(crate) timed: Table<String, String>,
    #[serde(default)]
    pub(crate) before_timed: Set<String>,
    #[serde(default)]
    pub(crate) after_timed: Set<String>,
    /// Units whose symbol contains dots or spaces, keyed by the symbol without them.
    #[serde(skip)]
    pub(crate) undotted: Table<String, UnitWord>,
    #[serde(default)]
    pub(crate) prefixes: Table<String, String>,
    #[serde(default)]
    pub(crate) prefixed: Vec<String>,
    pub(crate) square: String,
    pub(crate) cubic: String,
    #[serde(default)]
    pub(crate) measured: Vec<String>,
    /// Adjectives between a measure and the noun that it measures.
    #[serde(default)]
    pub(crate) before_measured: WordList,
    #[serde(default)]
    pub(crate) measured_endings: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) not_measured: Set<String>,
}

impl Units {
    pub(super) fn index(&mut self) {
        let dotted = self.words.iter().filter(|(sign, _)| !sign.contains('/'));
        self.undotted = dotted.map(|(sign, word)| (without_dots(sign), word.clone())).collect();
    }
}

/// Returns a unit symbol without its dots and spaces.
pub(crate) fn without_dots(sign: &str) -> String {
    sign.chars().filter(|c| !matches!(c, '.' | ' ')).collect()
}

/// Name of a unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum UnitWord {
    /// Same form for singular and plural.
    Same(String),
    /// Singular and plural.
    Both(String, String),
}

impl UnitWord {
    /// Returns the form for one or for several.
    pub(crate) fn of(&self, one: bool) -> &str {
        match self {
            Self::Same(name) => name,
            Self::Both(single, _) if one => single,
            Self::Both(_, several) => several,
        }
    }
}

/// The `[slash]` table: words for a slash between numbers that are not a fraction, by the kind of the numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slash {
    /// Runs and wickets: a pattern, or one for one wicket and one for several.
    pub(crate) score: UnitWord,
    pub(crate) not_out: Option<String>,
    /// Pattern of a score before a word for runs, if it differs from `score`: `187/6 रन`.
    pub(crate) score_of_runs: Option<UnitWord>,
    /// Whether `score_of_runs` is also used near a word about scores.
    #[serde(default)]
    pub(crate) runs_implied: bool,
    /// Pattern of the wickets of a bowler and the runs conceded, if it differs from `score`: `5/62`.
    pub(crate) bowling: Option<UnitWord>,
    /// Plural names of hits for four and for six runs: `13×4, 3×6`.
    pub(crate) boundaries: Option<(String, String)>,
    /// Singular names of hits for four and for six runs.
    pub(crate) boundary: Option<(String, String)>,
    /// Words for runs.
    #[serde(default)]
    pub(crate) runs: Set<String>,
    pub(crate) out_of: String,
    /// Words that may follow a rating at the start of a sentence: `2/5 from my side`.
    #[serde(default)]
    pub(crate) after_rating: Set<String>,
    /// Numbers in the names of land records, and the words that follow them: 7/12 extract.
    #[serde(default)]
    pub(crate) land_records: BTreeMap<String, Set<String>>,
    pub(crate) alternative: Option<String>,
    pub(crate) house: String,
    /// Word for the slash between a house number and a letter: `12/A`.
    pub(crate) letter: Option<String>,
    pub(crate) pressure: String,
}

/// The `[cricket]` table: dismissals of a batter and balls faced.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cricket {
    /// Abbreviation in `dismissals` that precedes the name of the bowler.
    #[serde(default)]
    pub(crate) bowler: String,
    /// Word that replaces the name of a substitute fielder.
    #[serde(default)]
    pub(crate) substitute: String,
    /// Singular and plural names of the balls faced by a batter.
    pub(crate) balls: Option<(String, String)>,
    /// Abbreviations before the name of a fielder or a bowler.
    #[serde(default)]
    pub(crate) dismissals: Table<String, String>,
    /// Words about a batter, near which numbers in brackets are balls and hits.
    #[serde(default)]
    pub(crate) words: Set<String>,
    /// Abbreviations after a number in the brackets that follow the runs of a batter.
    #[serde(default)]
    pub(crate) figures: Table<String, UnitWord>,
}

/// The `[blood]` table: blood groups.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Blood {
    pub(crate) positive: String,
    pub(crate) negative: String,
    pub(crate) words: Set<String>,
}
