//! Times of day.

use super::abbreviation;
use super::data::is_in;
use super::dotted;
use super::ending::with_ending;
use super::fraction;
use super::number::{self, System};
use super::scan::{Reading, Scan};
use super::units;
use crate::chars::is_mark;
use crate::class::Class;

/// Maximum number of items of an abbreviated part of the day: மு.ப.
const LONGEST_PART: usize = 4;

/// Words for hours after a time.
const HOURS: [&str; 3] = ["hrs", "hours", "hr"];

/// Before or after noon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meridiem {
    Am,
    Pm,
}

impl Meridiem {
    const fn other(self) -> Self {
        match self {
            Self::Am => Self::Pm,
            Self::Pm => Self::Am,
        }
    }
}

/// Time of day as written: `10:30`, `10:30:15`, `3 PM`, `1.59 p.m.`, `14:05`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock<'a> {
    hour: &'a str,
    minute: Option<&'a str>,
    second: Option<&'a str>,
    meridiem: Option<Meridiem>,
    /// Whether only the context shows that it is a time: காலை 8.30.
    bare: bool,
    /// Whether it includes a following `hrs`.
    in_hours: bool,
    /// Number of items.
    pub(super) items: usize,
}

impl<'a> Clock<'a> {
    /// Reads the time at `at`.
    pub(super) fn read(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        if let Some(clock) = Self::read_in_hours(scan, at).or_else(|| Self::read_of_almanac(scan, at)) {
            return Some(clock);
        }
        let hour = hour_at(scan, at, 24)?;
        let mut minute = minutes_at(scan, at + 1, ':');
        let second = minute.and_then(|_| minutes_at(scan, at + 3, ':'));
        let mut items = 1 + 2 * usize::from(minute.is_some()) + 2 * usize::from(second.is_some());
        let mut meridiem = meridiem_at(scan, at + items);
        let mut bare = false;
        if minute.is_none() && meridiem.is_none() {
            // 1.59 is a time only before AM, PM or the word for the hour, after a part of the day, or with an ending
            minute = minutes_at(scan, at + 1, '.').or_else(|| minutes_after_dash(scan, at));
            let end = at + 1 + 2 * usize::from(minute.is_some());
            meridiem = meridiem_at(scan, end);
            let oclock = |word: &str| is_oclock(scan, word) || is_oclock_stem(scan, word);
            let named = scan.word(end).is_some_and(oclock) || is_abbreviated_hour(scan, end);
            let dashed = minute.is_some() && scan.is_sign(at + 1, '-');
            let is_time = dashed || dotted::is_shown_as_time(scan, at);
            bare = is_time && !named && meridiem.is_none();
            // ७ वा. नंतर
            let precedes = abbreviated_hour(scan, end)
                .is_some_and(|(_, items)| items > 1 && is_plain_before(scan, end + items));
            let abbreviated = minute.is_none() && (is_time || precedes) && is_abbreviated_hour(scan, end);
            if !(abbreviated || minute.is_some() && (meridiem.is_some() || named || is_time)) {
                return None;
            }
            // 0.50 is one half
            if scan.is_sign(at + 1, '.') && hour == "0" && meridiem.is_none() {
                return None;
            }
            items = end - at;
        }
        if minute.is_none() && value(hour) > 12 || (hour.len() == 1 && value(hour) == 0 && minute.is_none()) {
            return None;
        }
        let ratio =
            second.is_none() && scan.is_sign(at + items, ':') && scan.number(at + items + 1).is_some();
        if ratio {
            return None;
        }
        let (meridiem, meridiem_items) = meridiem.map_or((None, 0), |(part, items)| (Some(part), items));
        Some(Self { hour, minute, second, meridiem, bare, in_hours: false, items: items + meridiem_items })
    }

    /// Reads `17.30 hrs`, `20:51hrs`, and `0830 hrs` or `0830 बजे`. A quantity would not have the leading zero.
    fn read_in_hours(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let in_hours = |at: usize| {
            scan.latin(at).is_some_and(|word| HOURS.iter().any(|hours| word.eq_ignore_ascii_case(hours)))
        };
        let digits = scan.number(at)?;
        let clock = |hour, minute, items: usize, in_hours: bool| Self {
            hour,
            minute: Some(minute),
            second: None,
            meridiem: None,
            bare: false,
            in_hours,
            items: items + usize::from(in_hours),
        };
        if digits.len() == 4 && digits.starts_with('0') {
            let (hour, minute) = digits.split_at(2);
            let named =
                scan.word(at + 1).is_some_and(|word| is_oclock(scan, word) || is_oclock_stem(scan, word));
            // 0930 to 1400 hrs
            let spans = scan.is_one_of(&scan.data.date.span_words, at + 1)
                || matches!(scan.sign(at + 1), Some('-' | '–'));
            let until =
                || spans && scan.number(at + 2).is_some_and(|digits| digits.len() == 4) && in_hours(at + 3);
            let fits = value(minute) < 60 && (named || in_hours(at + 1) || until());
            return fits.then(|| clock(hour, minute, 1, in_hours(at + 1)));
        }
        let hour = hour_at(scan, at, 24)?;
        // 1.25 hrs is a duration of more than one hour
        let dotted = || minutes_at(scan, at + 1, '.').filter(|_| hour.len() == 2);
        let minute = minutes_at(scan, at + 1, ':').or_else(dotted)?;
        in_hours(at + 3).then(|| clock(hour, minute, 3, true))
    }

    /// Reads a time with a dot before another time: the 6.30 of `6.30-8.30 pm`.
    pub(super) fn read_dotted(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let hour = hour_at(scan, at, 12).filter(|hour| value(hour) > 0)?;
        let minute = Some(minutes_at(scan, at + 1, '.')?);
        Some(Self { hour, minute, second: None, meridiem: None, bare: true, in_hours: false, items: 3 })
    }

    /// Reads a number that may be the hour before another time: the 9 of `9-5 PM`.
    pub(super) fn read_hour(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let hour = hour_at(scan, at, 12).filter(|hour| value(hour) > 0)?;
        Some(Self {
            hour,
            minute: None,
            second: None,
            meridiem: None,
            bare: false,
            in_hours: false,
            items: 1,
        })
    }

    /// Reads the hour after another time: the 9 of `8:30-9` and the 1 of `ఉ.10-మ.1`.
    pub(super) fn read_last_hour(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let goes_on =
            || matches!(scan.sign(at + 1), Some(':' | '.' | '/' | '-')) && scan.number(at + 2).is_some();
        Self::read_hour(scan, at).filter(|_| !goes_on())
    }

    /// Returns the words of an hour without minutes, alone or before the word for the hour.
    pub(super) fn last_hour(&self, scan: &Scan<'_>) -> Reading {
        let one = scan.data.time.oclock_one.as_ref().filter(|_| value(self.hour) == 1);
        Reading::new(one.cloned().unwrap_or_else(|| self.before_stem(scan)), self.items)
    }

    /// Returns whether an hour after `self` is smaller, and `self` is late enough for the start of a night or a working day.
    pub(super) fn is_until_next(&self, to: &Self) -> bool {
        /// Earliest hour that is not more likely the first number of a score.
        const EARLIEST: u32 = 6;
        value(self.hour) >= EARLIEST && value(to.hour) < value(self.hour)
    }

    /// Returns whether the time has minutes.
    pub(super) const fn has_minutes(&self) -> bool {
        self.minute.is_some()
    }

    /// Reads the `৯।৫১ মিঃ` of `ঘ ৯।৫১ মিঃ`: a time of an almanac, after an abbreviation of the word for the hour. With
    /// a danda, the word for minutes suffices.
    fn read_of_almanac(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let time = &scan.data.time;
        let hour = hour_at(scan, at, 24).filter(|_| !time.minute_abbreviations.is_empty())?;
        let separator = scan.sign(at + 1).filter(|c| matches!(c, '।' | '.' | ':' | '-' | '/'))?;
        let part = |place: usize| {
            let joined = scan.is_sign(place, separator) && scan.joined(place) && scan.joined(place + 1);
            scan.number(place + 1).filter(|digits| joined && digits.len() <= 2 && value(digits) < 60)
        };
        let minute = part(at + 1)?;
        let second = part(at + 3);
        let end = at + 3 + 2 * usize::from(second.is_some());
        let abbreviated = scan.word(end).is_some_and(|word| time.minute_abbreviations.contains(word));
        let dot = usize::from(abbreviated && scan.is_sign(end + 1, '.') && scan.joined(end + 1));
        let minutes = abbreviated || scan.word(end).is_some_and(|word| is_minute(scan, word));
        let clock = Self {
            hour,
            minute: Some(minute),
            second,
            meridiem: None,
            bare: false,
            in_hours: false,
            items: end + usize::from(abbreviated) + dot - at,
        };
        (follows_hour_abbreviation(scan, at) || separator == '।' && minutes).then_some(clock)
    }

    /// Returns whether AM or PM follows the time.
    pub(super) const fn has_meridiem(&self) -> bool {
        self.meridiem.is_some()
    }

    /// Returns the reading of the time, including the word for the hour after it.
    pub(super) fn reading(&self, scan: &Scan<'_>, at: usize) -> Reading {
        // सुबह 9 AM contains the part of the day twice
        if self.meridiem.is_some() && !scan.data.time.day_parts.is_empty() && follows_day_word(scan, at) {
            return Self { meridiem: None, ..*self }.reading(scan, at);
        }
        if self.in_hours {
            let full = self.minute.is_none_or(|minute| value(minute) == 0) && self.second.is_none();
            let words = if full && scan.data.time.hour_words.is_some() {
                self.hour_words(scan)
            } else {
                self.words(scan)
            };
            let hours = scan.data.time.hour_words.as_ref().map(|(_, many)| format!("{words} {many}"));
            return Reading::new(hours.unwrap_or(words), self.items);
        }
        let next = scan.word(at + self.items);
        if let Some((written, items)) = abbreviated_hour(scan, at + self.items) {
            if is_plain_before(scan, at + self.items + items) {
                return Reading::new(self.before_stem(scan), self.items + items);
            }
            let one =
                scan.data.time.oclock_one.as_ref().filter(|_| self.minute.is_none() && value(self.hour) == 1);
            if let Some(one) = one {
                return Reading::new(one.clone(), self.items + items);
            }
            let words = if self.is_at(scan, written) {
                self.fill(scan, scan.data.time.minutes_at.as_deref().unwrap_or_default())
            } else if is_oclock(scan, written) && !is_oclock_stem(scan, written) {
                with_written_oclock(scan, written, self.words(scan))
            } else {
                format!("{} {written}", self.before_stem(scan))
            };
            return Reading::new(words, self.items + items);
        }
        if self.bare && !scan.data.time.oclock_stems.is_empty() {
            return Reading::new(self.before_stem(scan), self.items);
        }
        // the word for the hour is omitted before some words: 4:15 पर
        let is_short = self.minute.is_none_or(|minute| value(minute) == 0)
            || in_quarters(scan, value(self.hour), self.minute).is_some();
        let in_place = |word: &str| {
            is_short && self.meridiem.is_none() && is_in(&scan.data.time.bare_before, word)
                || (is_short || scan.spaced(at + self.items)) && is_in(&scan.data.time.plain_before, word)
        };
        if self.second.is_none() && next.is_some_and(|word| is_oclock_stem(scan, word) || in_place(word)) {
            return Reading::new(self.before_stem(scan), self.items);
        }
        if let Some(lasting) = self.lasting(scan, at) {
            return lasting;
        }
        if self.minute.is_some() && next.is_some_and(|next| is_minute(scan, next)) {
            // the word for minutes follows the time: ৬:০৫ মিনিটে, ৪:৩০ মিনিটে
            let words = self.fill(scan, &scan.data.time.minutes);
            return Reading::new(without_minute(scan, words), self.items);
        }
        let words = self.words(scan);
        match next.filter(|word| is_oclock(scan, word)) {
            Some(written) if self.is_at(scan, written) => {
                let pattern = scan.data.time.minutes_at.as_deref().unwrap_or_default();
                Reading::new(self.fill(scan, pattern), self.items + 1)
            }
            Some(written) => Reading::new(with_written_oclock(scan, written, words), self.items + 1),
            None => Reading::new(words, self.items),
        }
    }

    /// Reads minutes and seconds before the word for minutes: दौड़ 6:30 मिनट में. After a part of the day, and before a word
    /// that follows a time, they are an hour and its minutes: सुबह 6:30 मिनट, 6:30 मिनट पर.
    fn lasting(&self, scan: &Scan<'_>, at: usize) -> Option<Reading> {
        let seconds = self.minute.filter(|_| self.second.is_none() && self.meridiem.is_none())?;
        let end = at + self.items;
        let named = minute_name(scan).is_some_and(|name| scan.word(end) == Some(name));
        let of_day = follows_day_word(scan, at) || scan.is_sign(at + 1, '.');
        let at_time = scan.word(end + 1).is_some_and(|word| is_in(&scan.data.time.bare_before, word));
        if !named || of_day || at_time || scan.data.time.half_past.is_none() {
            return None;
        }
        if let Some(quarters) = in_quarters(scan, value(self.hour), self.minute) {
            return Some(Reading::new(quarters, self.items));
        }
        let counted = |digits: &str, sign: &str| {
            let unit = units::of_sign(scan, sign, 1)?;
            Some(unit.counted(&words_of(scan, digits), value(digits) == 1))
        };
        let minutes = counted(self.hour, "min")?;
        let words =
            if value(seconds) == 0 { minutes } else { format!("{minutes} {}", counted(seconds, "s")?) };
        Some(Reading::new(words, self.items + 1))
    }

    /// Returns whether minutes follow the hour, and the word for the hour after them marks a point in time: 6:05 वाजता.
    fn is_at(&self, scan: &Scan<'_>, written: &str) -> bool {
        let oclock = scan.data.time.oclock.ends_with(written);
        let quarters = in_quarters(scan, value(self.hour), self.minute).is_some();
        let minutes = self.minute.is_some_and(|digits| value(digits) > 0) && self.second.is_none();
        scan.data.time.minutes_at.is_some() && oclock && minutes && !quarters
    }

    fn fill(&self, scan: &Scan<'_>, pattern: &str) -> String {
        let minute = self.minute.map(|digits| words_of(scan, digits)).unwrap_or_default();
        let spoken = pattern.replace("{hour}", &self.hour_words(scan)).replace("{minute}", &minute);
        self.with_day_part(scan, spoken)
    }

    /// Returns the words of a time before `to`. Its AM or PM applies to both as far as possible: nine is AM in `9-11
    /// AM` and in `9-5 PM`. Also returns the reading of `to`, which need not repeat the part of the day.
    pub(super) fn words_until(mut self, scan: &Scan<'_>, to: Self, to_at: usize) -> (String, Reading) {
        if self.has_meridiem() || !to.has_meridiem() {
            return (self.words(scan), to.reading(scan, to_at));
        }
        if scan.data.time.day_parts.is_empty() {
            return (self.before_stem(scan), to.reading(scan, to_at));
        }
        self.meridiem = if self.in_half_day() <= to.in_half_day() {
            to.meridiem
        } else {
            to.meridiem.map(Meridiem::other)
        };
        let again = self.day_part(scan) == to.day_part(scan);
        let to = if again { Self { meridiem: None, ..to } } else { to };
        (self.words(scan), to.reading(scan, to_at))
    }

    /// Returns the minutes since midnight or noon.
    fn in_half_day(&self) -> u32 {
        value(self.hour) % 12 * 60 + self.minute.map_or(0, value)
    }

    fn day_part<'d>(&self, scan: &'d Scan<'_>) -> Option<&'d str> {
        day_part(scan, value(self.hour), self.meridiem?)
    }

    fn with_day_part(&self, scan: &Scan<'_>, spoken: String) -> String {
        match self.day_part(scan) {
            Some(part) => format!("{part} {spoken}"),
            None => spoken,
        }
    }

    /// Returns the words before the word for the hour: பத்தரை (மணிக்கு), பத்து ஐந்து (மணிக்கு).
    pub(super) fn before_stem(&self, scan: &Scan<'_>) -> String {
        let hour = self.hour_words(scan);
        let quarters = in_quarters(scan, value(self.hour), self.minute);
        let spoken = match (quarters, self.minute.filter(|digits| value(digits) > 0)) {
            (Some(words), _) => words,
            (None, Some(minute)) => format!("{hour} {}", words_of(scan, minute)),
            (None, None) => hour,
        };
        self.with_day_part(scan, spoken)
    }

    fn hour_words(&self, scan: &Scan<'_>) -> String {
        let irregular = scan.data.time.hours.get(&value(self.hour).to_string());
        irregular.cloned().unwrap_or_else(|| words_of(scan, self.hour))
    }

    fn words(&self, scan: &Scan<'_>) -> String {
        let time = &scan.data.time;
        let counts_zero = time.hour_words.is_some();
        let some_minutes = self.minute.is_some_and(|digits| value(digits) > 0);
        let second = self.second.filter(|digits| counts_zero || value(digits) > 0 || some_minutes);
        let minute = self.minute.filter(|_| some_minutes || second.is_some());
        let no_minutes = !counts_zero && minute.is_some_and(|digits| value(digits) == 0);
        let meridiem = match self.meridiem {
            Some(Meridiem::Am) => time.am.as_deref(),
            Some(Meridiem::Pm) => time.pm.as_deref(),
            None => None,
        };
        let with_meridiem = |plain: &str, other: Option<&String>| match (meridiem, other) {
            (Some(_), Some(pattern)) => pattern.clone(),
            _ => plain.to_owned(),
        };
        let quarters = in_quarters(scan, value(self.hour), minute).filter(|_| second.is_none());
        let pattern = match (minute, second) {
            (_, None) if quarters.is_some() && time.half_past.is_some() => {
                time.half_past.clone().unwrap_or_default()
            }
            (_, Some(_)) => match meridiem {
                Some(_) => format!("{} {{meridiem}}", time.seconds),
                None if no_minutes => without_minutes(&time.seconds),
                None => time.seconds.clone(),
            },
            (Some(_), None) => with_meridiem(&time.minutes, time.minutes_meridiem.as_ref()),
            (None, None) if value(self.hour) == 1 && time.oclock_one.is_some() => {
                time.oclock_one.clone().unwrap_or_default()
            }
            (None, None) => with_meridiem(&time.oclock, time.oclock_meridiem.as_ref()),
        };
        let minute_words = minute.map(|digits| {
            let words = words_of(scan, digits);
            match &time.single_minute {
                Some(pattern) if value(digits) < 10 && second.is_none() => {
                    pattern.replace("{minute}", &words)
                }
                _ => words,
            }
        });
        let unit = |names: &Option<(String, String)>, digits: Option<&str>| {
            names.as_ref().map_or_else(String::new, |(one, many)| {
                if digits.is_some_and(|digits| value(digits) == 1) { one.clone() } else { many.clone() }
            })
        };
        let spoken = pattern
            .replace("{hour}", &self.hour_words(scan))
            .replace("{half}", &quarters.unwrap_or_default())
            .replace("{minute}", &minute_words.unwrap_or_default())
            .replace("{second}", &second.map(|digits| words_of(scan, digits)).unwrap_or_default())
            .replace("{hours}", &unit(&time.hour_words, Some(self.hour)))
            .replace("{minutes}", &unit(&time.minute_words, minute))
            .replace("{seconds}", &unit(&time.second_words, second))
            .replace("{meridiem}", meridiem.unwrap_or_default());
        self.with_day_part(scan, spoken)
    }
}

fn words_of(scan: &Scan<'_>, digits: &str) -> String {
    number::plain_cardinal(&scan.data.number, digits, System::Indian)
}

/// Returns the hour at `at`, up to `latest`, if it is not part of another number.
pub(super) fn hour_at<'a>(scan: &'a Scan<'_>, at: usize, latest: u32) -> Option<&'a str> {
    let hour = scan.number(at).filter(|digits| digits.len() <= 2 && value(digits) <= latest)?;
    // the dot of an abbreviation: సా.4.30
    let abbreviated = at > 1 && scan.is_sign(at - 1, '.') && scan.is_word(at - 2);
    let inside =
        at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some(':' | '.' | ',')) && !abbreviated;
    (!inside || follows_date(scan, at)).then_some(hour)
}

/// Returns whether a date that starts with its year and ends in a colon precedes `at`: `2024-11-13:17:18:38`.
fn follows_date(scan: &Scan<'_>, at: usize) -> bool {
    let joined = |sign: char, place: usize| scan.is_sign(place, sign) && scan.joined(place);
    let year = at.checked_sub(6).and_then(|year| scan.number(year)).is_some_and(|year| year.len() == 4);
    year && joined(':', at - 1) && joined('-', at - 3) && joined('-', at - 5)
}

/// Returns a time in words with the word for the hour as written. It may have another ending than the usual word: साडे
/// दहा वाजेपर्यंत.
fn with_written_oclock(scan: &Scan<'_>, written: &str, words: String) -> String {
    let (_, usual) = scan.data.time.oclock.split_once("{hour}").unwrap_or_default();
    match words.strip_suffix(usual) {
        Some(hour) if usual.starts_with(' ') => format!("{hour} {written}"),
        Some(hour) => format!("{hour}{written}"),
        None if written == usual.trim_start() => words,
        None => format!("{words} {written}"),
    }
}

/// Reads the part of the day at `at`: மாலை, సా.
pub(super) fn part_of_day(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let short = abbreviation::read(scan, at).filter(|part| is_in(&scan.data.time.day_words, &part.words));
    let plain = || scan.is_one_of(&scan.data.time.day_words, at).then(|| Reading::new(word, 1));
    short.or_else(plain)
}

/// Returns whether a part of the day precedes `at`: సా. 4.
pub(super) fn follows_part_of_day(scan: &Scan<'_>, at: usize) -> bool {
    let mut starts = (at.saturating_sub(LONGEST_PART)..at).rev();
    follows_day_word(scan, at)
        || starts.any(|start| part_of_day(scan, start).is_some_and(|part| start + part.items == at))
}

/// Returns whether a part of the day precedes `at`, with an optional function word between them: सुबह के.
fn follows_day_word(scan: &Scan<'_>, at: usize) -> bool {
    let grammar = at > 0 && scan.word(at - 1).is_some_and(|word| scan.is_function(word));
    let before = at.checked_sub(1 + usize::from(grammar));
    before.is_some_and(|before| scan.is_one_of(&scan.data.time.day_words, before))
}

/// Returns whether a word is the word for the hour after a time: बजे.
fn is_oclock(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.time.oclock_words.iter().any(|known| known == word)
}

/// Returns whether a word is the word for the hour, with or without an ending: மணி, மணிக்கு.
fn is_oclock_stem(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.time.oclock_stems.iter().any(|stem| word.starts_with(stem.as_str()))
}

/// Returns the word for the hour that is abbreviated at `at`, and its number of items: `वा.`, `గం.`.
fn abbreviated_hour<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let full = scan.data.time.hour_abbreviations.get(scan.word(at)?)?;
    let dot = scan.is_sign(at + 1, '.') && scan.joined(at + 1) && at + 2 < scan.items.len();
    Some((full, 1 + usize::from(dot)))
}

/// Reads the abbreviation of the word for the hour before a time, which is not spoken: the ঘ of `ঘ ৯।৫১`.
pub(super) fn before_hour(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.word(at).is_some_and(|word| scan.data.time.before_hour.contains(word)) {
        return None;
    }
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    Clock::read_of_almanac(scan, at + 1 + dot).map(|_| Reading::new("", 1 + dot))
}

/// Returns whether an abbreviation of the word for the hour precedes the number at `at`.
pub(super) fn follows_hour_abbreviation(scan: &Scan<'_>, at: usize) -> bool {
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    let before = at.checked_sub(1 + dot).and_then(|before| scan.word(before));
    before.is_some_and(|word| scan.data.time.before_hour.contains(word))
}

fn is_abbreviated_hour(scan: &Scan<'_>, at: usize) -> bool {
    abbreviated_hour(scan, at).is_some()
}

/// Returns whether the time before the word at `at` is the plain hour and minute.
fn is_plain_before(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| is_in(&scan.data.time.plain_before, word))
}

/// Returns the hour and the minutes after an abbreviation of the word for the hour at `at`, and the number of items of all
/// three: `గం. 2-37`, `గం.10.30`.
pub(super) fn abbreviated_before<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str, usize)> {
    scan.data.time.hour_abbreviations.get(scan.word(at)?)?;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let number = at + 1 + dot;
    let hour = scan.number(number).filter(|digits| digits.len() <= 2 && (1..=24).contains(&value(digits)))?;
    let minute = ['-', '.', ':'].iter().find_map(|&sign| minutes_at(scan, number + 1, sign))?;
    Some((hour, minute, dot + 4))
}

/// Reads a time after an abbreviation of the word for the hour, as on wedding cards: `గం. 2-37 ని.లకు`.
pub(super) fn after_hour(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // after a number it belongs to that: 5 గం. 20 ని.
    if at > 0 && scan.number(at - 1).is_some() {
        return None;
    }
    let (hour, minute, items) = abbreviated_before(scan, at)?;
    let clock = Clock {
        hour,
        minute: Some(minute),
        second: None,
        meridiem: None,
        bare: false,
        in_hours: false,
        items,
    };
    let unit = units::at(scan, at + items).filter(|unit| {
        minute_name(scan).is_some_and(|name| unit.name(false).starts_with(name.trim_end_matches(is_mark)))
    });
    let Some(unit) = unit else {
        return Some(with_ending(scan, at, Reading::new(clock.words(scan), items).of(Class::Time)));
    };
    let words = without_minute(scan, clock.fill(scan, &scan.data.time.minutes));
    let words = format!("{words} {}", unit.name(false));
    Some(with_ending(scan, at, Reading::new(words, items + unit.items).of(Class::Time)))
}

/// Removes the word for minutes from the end of a time in words.
fn without_minute(scan: &Scan<'_>, words: String) -> String {
    match minute_name(scan).and_then(|name| words.strip_suffix(name)) {
        Some(hour) => hour.trim_end().to_owned(),
        None => words,
    }
}

/// Returns whether a word is the word for minutes, with or without an ending.
fn is_minute(scan: &Scan<'_>, word: &str) -> bool {
    minute_name(scan).is_some_and(|name| word.starts_with(name))
}

fn minute_name<'a>(scan: &'a Scan<'_>) -> Option<&'a str> {
    scan.data.time.minutes.rsplit(' ').next().filter(|name| !name.contains('{') && !name.is_ascii())
}

fn value(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

/// Returns the minutes after a separator. A danda has the function of a dot: সূর্যোদয় ৬।১২.
pub(super) fn minutes_at<'a>(scan: &'a Scan<'_>, at: usize, separator: char) -> Option<&'a str> {
    let separates = scan.is_sign(at, separator) || separator == '.' && scan.is_sign(at, '।');
    let joined = separates && scan.joined(at) && scan.joined(at + 1);
    scan.number(at + 1).filter(|digits| joined && digits.len() == 2 && value(digits) < 60)
}

/// Returns the minutes of `05-00 ਵਜੇ`, `10-30 ಕ್ಕೆ` or `સવારે 6-15ની`, if the text around them shows that they are a time.
/// Only minutes are accepted that cannot be the later hour of a range.
fn minutes_after_dash<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let minute = minutes_at(scan, at + 1, '-')?;
    if dotted::is_hyphened(scan, at) {
        return Some(minute);
    }
    let later = value(minute) > 12
        || minute.starts_with('0')
        || value(minute) < value(scan.number(at).unwrap_or_default());
    if !later {
        return None;
    }
    let next = scan.word(at + 3)?;
    let dotted = scan.data.time.dotted_endings.contains(next);
    let named =
        is_oclock(scan, next) || is_oclock_stem(scan, next) || is_abbreviated_hour(scan, at + 3) || dotted;
    named.then_some(minute)
}

/// Returns AM or PM at `at`, with or without dots, and its number of items.
fn meridiem_at(scan: &Scan<'_>, at: usize) -> Option<(Meridiem, usize)> {
    let word = scan.latin(at)?.to_ascii_lowercase();
    let whole = match word.as_str() {
        "am" => Some(Meridiem::Am),
        "pm" => Some(Meridiem::Pm),
        _ => None,
    };
    if let Some(meridiem) = whole {
        // a suffix of the language may follow, but not another Latin letter
        return (scan.spaced(at + 1) || scan.latin(at + 1).is_none()).then_some((meridiem, 1));
    }
    let meridiem = match word.as_str() {
        "a" => Meridiem::Am,
        "p" => Meridiem::Pm,
        _ => return None,
    };
    let dotted = scan.is_sign(at + 1, '.')
        && scan.joined(at + 1)
        && scan.joined(at + 2)
        && scan.latin(at + 2).is_some_and(|letter| letter.eq_ignore_ascii_case("m"));
    if !dotted {
        return None;
    }
    let last_dot = scan.is_sign(at + 3, '.') && scan.joined(at + 3) && at + 4 < scan.items.len();
    Some((meridiem, 3 + usize::from(last_dot)))
}

/// Removes the minutes and their name from a pattern: दस बजकर तीस सेकंड.
fn without_minutes(pattern: &str) -> String {
    let mut parts: Vec<&str> = pattern.split(' ').collect();
    if let Some(place) = parts.iter().position(|part| part.contains("{minute}")) {
        parts.drain(place..(place + 2).min(parts.len()));
    }
    parts.join(" ")
}

/// Returns an hour with quarters in the words that people use: सवा चार, साढ़े चार, पौने पाँच. Returns `None` for other
/// minutes, for hours after twelve, and if the language has no such words.
fn in_quarters(scan: &Scan<'_>, hour: u32, minute: Option<&str>) -> Option<String> {
    let quarters = match minute? {
        "15" => 1,
        "30" => 2,
        "45" => 3,
        _ => return None,
    };
    if !(1..=12).contains(&hour) {
        return None;
    }
    // a quarter to one is three quarters without a whole hour
    let before_one = hour == 12 && quarters == 3 && scan.data.fraction.three_quarters_before.is_some();
    let hours = if before_one { 0 } else { u128::from(hour) };
    fraction::in_quarters(scan, hours, quarters, false)
}

/// Returns the words for the part of the day: दोपहर के.
fn day_part<'a>(scan: &'a Scan<'_>, hour: u32, meridiem: Meridiem) -> Option<&'a str> {
    let of_day = match meridiem {
        Meridiem::Am => hour % 12,
        Meridiem::Pm => hour % 12 + 12,
    };
    let parts = &scan.data.time.day_parts;
    parts.iter().rev().find(|(from, _)| *from <= of_day).map(|(_, words)| words.as_str())
}
