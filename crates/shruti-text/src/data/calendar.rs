//! Tables for dates and times of day.

use serde::Deserialize;

use crate::table::{Set, Table};

/// Minimum length, in characters, of a word for a year that is also recognised with an ending: ମସିହାର.
const SHORTEST_YEAR_WORD: usize = 3;

/// The `[date]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a key of the table
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
    #[serde(default)]
    pub(crate) year_endings: Set<String>,
    #[serde(default)]
    pub(crate) decade_followers: Set<String>,
    #[serde(default)]
    pub(crate) weekday_stems: Set<String>,
    /// Whether the short names of weekdays are not names of people, and identify a date in brackets: ஞாயிறு (7/12).
    #[serde(default)]
    pub(crate) stems_alone: bool,
    #[serde(default)]
    pub(crate) between_weekdays: Set<String>,
    #[serde(default)]
    pub(crate) own_months: Set<String>,
    #[serde(default)]
    pub(crate) lunar_months: Set<String>,
    #[serde(default)]
    pub(crate) lunar_day_names: Vec<String>,
    #[serde(default)]
    pub(crate) fortnights: Table<String, String>,
    #[serde(default)]
    pub(crate) lunar_days: Table<String, Vec<String>>,
    #[serde(default)]
    pub(crate) full_years: bool,
    pub(crate) weekdays: Vec<String>,
    #[serde(default)]
    pub(crate) short_weekdays: Vec<String>,
    #[serde(default)]
    pub(crate) cased_months: Table<String, usize>,
    #[serde(default)]
    pub(crate) doubtful: Set<String>,
    #[serde(default)]
    pub(crate) short_months: Set<String>,
    #[serde(default)]
    pub(crate) iso_month_first: bool,
    pub(crate) article: Option<String>,
    #[serde(default)]
    pub(crate) span_words: Set<String>,
    #[serde(default)]
    pub(crate) before_month: Set<String>,
    /// Words between the number of a case and its year.
    #[serde(default)]
    pub(crate) of_year: Set<String>,
    #[serde(default)]
    pub(crate) before_day: Vec<String>,
    #[serde(default)]
    pub(crate) after_day: Vec<String>,
    pub(crate) halves: Option<(String, String)>,
    #[serde(default)]
    pub(crate) deadline: Vec<String>,
    #[serde(default)]
    pub(crate) before_weekday: Vec<String>,
    #[serde(default)]
    pub(crate) after_weekday: Vec<String>,
    #[serde(default = "default_decades_from")]
    pub(crate) decades_from: u32,
    #[serde(default)]
    pub(crate) decade_leaders: Set<String>,
    #[serde(default)]
    pub(crate) counted_words: Set<String>,
    #[serde(default)]
    pub(crate) month_and_year: Set<String>,
    /// Month numbers by all names of the months: other spellings, abbreviations and, after loading, the names in
    /// `months`.
    #[serde(default)]
    pub(crate) written_months: Table<String, usize>,
}

/// Returns the default of `decades_from`: the smallest two-digit number that denotes a decade if an s follows (80s).
/// Smaller numbers with an s are usually seconds (30s).
const fn default_decades_from() -> u32 {
    70
}

impl Date {
    /// Returns whether a word indicates that the number next to it is a year. A word that is not ASCII may have an
    /// ending: ମସିହାର.
    pub(crate) fn is_year_word(&self, word: &str) -> bool {
        let names = |year: &String| {
            year == word
                || word.is_ascii() && year.eq_ignore_ascii_case(word)
                || !word.is_ascii()
                    && year.chars().count() >= SHORTEST_YEAR_WORD
                    && word.starts_with(year.as_str())
        };
        self.year_words.iter().any(names)
    }

    pub(super) fn name_months(&mut self) {
        self.written_months.extend(self.months.iter().cloned().zip(1..));
    }
}

/// The `[time]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Time {
    #[serde(default)]
    pub(crate) at_words: Set<String>,
    /// Postpositions of time after a number with a dot, which may be a time: 6.30 तक.
    #[serde(default)]
    pub(crate) until_words: Set<String>,
    #[serde(default)]
    pub(crate) recordings: Set<String>,
    #[serde(default)]
    pub(crate) lengths: Set<String>,
    #[serde(default)]
    pub(crate) timers: Set<String>,
    /// Pattern of a minute of a match, with `{n}` for its ordinal, and words about such matches.
    pub(crate) match_minute: Option<String>,
    #[serde(default)]
    pub(crate) match_words: Set<String>,
    #[serde(default)]
    pub(crate) bare_before: Set<String>,
    #[serde(default)]
    pub(crate) plain_before: Set<String>,
    /// Words before which only a time with minutes is the plain hour and minute.
    #[serde(default)]
    pub(crate) minutes_plain_before: Set<String>,
    #[serde(default)]
    pub(crate) scheduled: Set<String>,
    #[serde(default)]
    pub(crate) scheduled_at: Set<String>,
    #[serde(default)]
    pub(crate) scheduled_is: Set<String>,
    pub(crate) oclock: String,
    pub(crate) oclock_one: Option<String>,
    pub(crate) minutes: String,
    pub(crate) minutes_one: Option<String>,
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
    #[serde(default)]
    pub(crate) day_words: Set<String>,
    /// Abbreviated parts of the day that are also verbs, before which an hour in words is not a time.
    #[serde(default)]
    pub(crate) only_before_digits: Set<String>,
    #[serde(default)]
    pub(crate) day_labels: Set<String>,
    #[serde(default)]
    pub(crate) ranges_without_oclock: bool,
    /// Words for the hour, each with the word for minutes that replaces it in a time with minutes.
    #[serde(default)]
    pub(crate) minutes_at: Table<String, String>,
    /// Word that marks a time with minutes as a point in time.
    pub(crate) point_marker: Option<String>,
    /// Words after a time that is not a point in time.
    #[serde(default)]
    pub(crate) no_point_before: Set<String>,
    /// Words before a time that is not a point in time.
    #[serde(default)]
    pub(crate) no_point_after: Set<String>,
    #[serde(default)]
    pub(crate) dotted_endings: Set<String>,
    #[serde(default)]
    pub(crate) span_words: Set<String>,
    #[serde(default)]
    pub(crate) before_hour: Set<String>,
    #[serde(default)]
    pub(crate) minute_abbreviations: Set<String>,
    #[serde(default)]
    pub(crate) almanac_words: Set<String>,
    #[serde(default)]
    pub(crate) almanac_followers: Set<String>,
    #[serde(default)]
    pub(crate) hour_abbreviations: Table<String, String>,
    #[serde(default)]
    pub(crate) hour_after: Set<String>,
    pub(crate) am: Option<String>,
    pub(crate) pm: Option<String>,
    pub(crate) oclock_meridiem: Option<String>,
    pub(crate) minutes_meridiem: Option<String>,
    pub(crate) single_minute: Option<String>,
    pub(crate) hour_words: Option<(String, String)>,
    pub(crate) minute_words: Option<(String, String)>,
    pub(crate) second_words: Option<(String, String)>,
}
