//! Tables for numbers: cardinals, fractions, ordinals, and their forms before nouns and endings.

use serde::Deserialize;

use crate::table::{Set, Table};
use crate::word_list::WordList;

/// The `[number]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names)] // the fields are named after the keys of the table
#[allow(clippy::struct_excessive_bools)] // each is a key of the table
pub(crate) struct Number {
    /// Words for a race, before which a k after a number means kilometers.
    #[serde(default)]
    pub(crate) races: Set<String>,
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
    #[serde(default)]
    pub(crate) counting_endings: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) counted: Vec<String>,
    pub(crate) people: Option<People>,
    pub(crate) and: Option<String>,
    pub(crate) minus: String,
    pub(crate) plus: Option<String>,
    pub(crate) point: String,
    pub(crate) range: String,
    pub(crate) by: String,
    #[serde(default)]
    pub(crate) sold_by: Set<String>,
    #[serde(default)]
    pub(crate) price_words: Set<String>,
    #[serde(default)]
    pub(crate) with_sides: Set<String>,
    #[serde(default)]
    pub(crate) lasting: String,
    #[serde(default)]
    pub(crate) times_as: Option<String>,
    #[serde(default)]
    pub(crate) compared: Vec<String>,
    #[serde(default)]
    pub(crate) not_counted: WordList,
    pub(crate) ratio: String,
    pub(crate) number_sign: String,
    pub(crate) percent_alone: Option<String>,
    #[serde(default)]
    pub(crate) than: Set<String>,
    pub(crate) scales: Vec<Scale>,
    #[serde(default)]
    pub(crate) western: Vec<Scale>,
    pub(crate) multipliers: Table<String, String>,
    #[serde(default)]
    pub(crate) house_number_pairs: bool,
    #[serde(default)]
    pub(crate) house_digits: bool,
    #[serde(default)]
    pub(crate) literal_asterisk: bool,
    #[serde(default)]
    pub(crate) slash_between_words: bool,
    #[serde(default)]
    pub(crate) endings: Endings,
    #[serde(default)]
    scale_stems: Table<String, String>,
    #[serde(default)]
    scale_endings: Table<String, String>,
    /// Inflected scale words, each with the uninflected word and with the ending in the form that other nouns take.
    #[serde(skip)]
    pub(crate) inflected_scales: Table<String, (String, String)>,
}

impl Number {
    /// Returns whether a word is the name of a digit, ignoring case.
    pub(crate) fn is_digit(&self, word: &str) -> bool {
        let names = if self.digits.is_empty() { &self.words } else { &self.digits };
        names.iter().take(10).any(|name| name.len() == word.len() && name.eq_ignore_ascii_case(word))
    }

    pub(super) fn inflect_scales(&mut self) {
        let endings = self
            .scale_endings
            .iter()
            .flat_map(|(written, said)| written.split(' ').map(move |written| (written, said)));
        let forms = endings.flat_map(|(written, said)| {
            let inflected = move |(stem, plain): (&String, &String)| {
                (format!("{stem}{written}"), (plain.clone(), said.clone()))
            };
            self.scale_stems.iter().map(inflected)
        });
        self.inflected_scales = forms.collect();
    }
}

/// A `[[number.scales]]` table.
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

/// The `[number.people]` table: separate words for numbers of people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct People {
    pub(crate) noun: String,
    pub(crate) forms: Table<String, String>,
    pub(crate) before_ending: (String, String),
}

/// A `[[number.endings.hyphened_sandhi]]` table: how words that end in one of `ends` take an ending after a hyphen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HyphenedSandhi {
    pub(crate) ends: Vec<String>,
    /// The end of the word that `forms` replace.
    pub(crate) drop: String,
    pub(crate) forms: Table<String, String>,
}

/// The `[number.endings]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Endings {
    #[serde(default)]
    pub(crate) apart: bool,
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    #[serde(default)]
    pub(crate) sandhi: Vec<(String, String, String)>,
    /// Last words of expanded abbreviations, with the forms that they take before an ending.
    #[serde(default)]
    pub(crate) dotted_obliques: Table<String, String>,
    #[serde(default)]
    pub(crate) linked: Table<String, (String, String)>,
    #[serde(default)]
    pub(crate) hyphened: Vec<String>,
    /// Sandhi rules for a word and an ending after a hyphen. They have precedence over `sandhi`.
    #[serde(default)]
    pub(crate) hyphened_sandhi: Vec<HyphenedSandhi>,
    /// Endings that may directly follow the dot of an abbreviation: પો.સ્ટે.ની.
    #[serde(default)]
    pub(crate) after_dot: Set<String>,
    /// Endings that are words of their own after a space.
    #[serde(default)]
    pub(crate) words: Set<String>,
    /// Beginnings of words that are not beginnings of endings: 3டீ ஸ்பூன்.
    #[serde(default)]
    pub(crate) word_starts: Vec<String>,
    /// Names of letters that identify sections of laws. They remain separate words after a number: 371ಜೆ.
    #[serde(default)]
    pub(crate) letters: Set<String>,
}

/// The `[fraction]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fraction {
    pub(crate) over: String,
    pub(crate) and: String,
    #[serde(default)]
    pub(crate) half_of: Table<String, Vec<String>>,
    #[serde(default)]
    pub(crate) quarter_of: Table<String, Vec<String>>,
    #[serde(default)]
    pub(crate) three_quarters_of: Table<String, Vec<String>>,
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

/// The `[ordinal]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ordinal {
    #[serde(default)]
    pub(crate) apart: Vec<String>,
    #[serde(default)]
    pub(crate) doubtful: Vec<String>,
    #[serde(default)]
    pub(crate) ranked: Vec<String>,
    #[serde(default)]
    pub(crate) stems: Vec<(String, String)>,
    pub(crate) forms: Vec<OrdinalForm>,
}

/// A `[[ordinal.forms]]` table.
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
    #[serde(default)]
    pub(crate) exact: Table<String, String>,
    pub(crate) suffix: Option<String>,
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    /// Case endings that may follow the suffix.
    #[serde(default)]
    pub(crate) endings: Vec<String>,
}

impl OrdinalForm {
    /// Returns whether a number, passed as ASCII digits, takes a written suffix.
    pub(crate) fn allows(&self, suffix: &str, digits: &str) -> bool {
        let only = self.only.get(suffix);
        only.is_none_or(|numbers| digits.parse().is_ok_and(|number: u32| numbers.contains(&number)))
    }
}
