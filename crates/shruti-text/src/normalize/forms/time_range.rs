//! Times (`10:30`) and ranges of times (`10:30-11:30`, `9-5 PM`, `காலை 10 - மாலை 5`).

use crate::normalize::number::span::{between, is_dash, is_repeated_after};
use crate::normalize::quantity::units;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::time::{self, Clock};

/// Reads a time or a range of times: `10:30`, `10:30-11:30`, `9-5 PM`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let start = Start::read(scan, at)?;
    start
        .with_hour_words()
        .or_else(|| start.with_parts_of_day())
        .or_else(|| start.before_joining_word())
        .or_else(|| start.to_next_half_of_day())
        .or_else(|| start.to_hour())
        .or_else(|| start.to_time())
        .or_else(|| start.alone())
}

/// Time that may start a range.
struct Start<'s, 'text> {
    scan: &'s Scan<'text>,
    /// Index of the first item of the time.
    at: usize,
    time: Clock<'s>,
    /// Whether the time has a colon or other signs of a time, so that it is recognised as a time even without a range.
    is_certain: bool,
    /// Index of the item after the time. In a range, this item is the dash or the joining word.
    dash: usize,
}

impl<'s, 'text> Start<'s, 'text> {
    fn read(scan: &'s Scan<'text>, at: usize) -> Option<Self> {
        let certain = Clock::read(scan, at);
        let dotted = || Clock::read_dotted(scan, at).filter(|time| starts_range(scan, at + time.items));
        let time = certain.or_else(dotted).or_else(|| Clock::read_hour(scan, at))?;
        Some(Self { scan, at, is_certain: certain.is_some(), dash: at + time.items, time })
    }

    /// Returns the reading of the range from this time to a second time. `to`: spoken form of the second time; `end`:
    /// index after its last item.
    fn range(&self, to: &str, end: usize) -> Reading {
        Reading::new(between(self.scan, &self.time.before_stem(self.scan), to), end - self.at)
    }

    /// Returns whether the dash has no spaces around it.
    fn is_joined(&self) -> bool {
        self.scan.joined(self.dash) && self.scan.joined(self.dash + 1)
    }

    /// Reads a range whose first time has the word for the hour before the dash: ১১টা–১২.৩০টা, 11 बजे–12.30 बजे,
    /// সকাল ১০টা–বিকাল ৫টা. If that word is joined to the hours, two numbers without minutes may count something:
    /// ৫টা-৬টা আম.
    fn with_hour_words(&self) -> Option<Reading> {
        let Self { scan, at, .. } = *self;
        let hour_word = at + self.time.items;
        let is_named = |place: usize| scan.word(place).is_some_and(|word| time::is_oclock(scan, word));
        let dash = hour_word + 1;
        if self.time.has_meridiem() || !is_named(hour_word) || !is_dash(scan, dash) {
            return None;
        }
        let from = self.time.reading(scan, at);
        let part = time::part_of_day(scan, dash + 1);
        let to_at = dash + 1 + part.as_ref().map_or(0, |part| part.items);
        let is_of_day = part.is_some() || scan.spaced(hour_word) || time::follows_part_of_day(scan, at);
        // without the word for the hour, a number with a dot may be an amount: কলা ৬টা - ২.৫০
        let dotted = || {
            let closed =
                |end: usize| scan.item(end).is_none() || matches!(scan.sign(end), Some(',' | ';' | ')'));
            Clock::read_dotted(scan, to_at).filter(|to| is_of_day && closed(to_at + to.items))
        };
        let hour = || Clock::read_last_hour(scan, to_at).filter(|to| is_named(to_at + to.items));
        let to = Clock::read(scan, to_at).or_else(dotted).or_else(hour)?;
        let has_minutes = self.time.has_minutes() || to.has_minutes();
        if at + from.items != dash || !(has_minutes || part.is_some() || scan.spaced(hour_word)) {
            return None;
        }
        let to = to.reading(scan, to_at);
        let words = part.map_or_else(|| to.words.clone(), |part| format!("{} {}", part.words, to.words));
        let from = without_oclock(scan, &from.words, &to.words);
        Some(Reading::new(between(scan, from, &words), to_at + to.items - at))
    }

    /// Reads a range of times with a part of the day before each: `காலை 10:00 - மாலை 5:45`, `ఉ.10-మ.1`.
    fn with_parts_of_day(&self) -> Option<Reading> {
        let Self { scan, at, dash, .. } = *self;
        let part = time::part_of_day(scan, dash + 1)
            .filter(|_| is_dash(scan, dash) && time::follows_part_of_day(scan, at))?;
        let to_at = dash + 1 + part.items;
        let clock = Clock::read(scan, to_at)
            .or_else(|| Clock::read_dotted(scan, to_at))
            .map(|to| to.reading(scan, to_at));
        let to = clock.or_else(|| Some(Clock::read_last_hour(scan, to_at)?.last_hour(scan, to_at)))?;
        Some(self.range(&format!("{} {}", part.words, to.words), to_at + to.items))
    }

    /// Reads the start of a range before a joining word: the 8.00 of 8.00 से 11.30 बजे.
    fn before_joining_word(&self) -> Option<Reading> {
        let reads = !self.is_certain && self.time.has_minutes() && is_repeated_after(self.scan, self.dash);
        reads.then(|| Reading::new(self.time.before_stem(self.scan), self.time.items))
    }

    /// Reads a range whose second hour is smaller than the first and therefore in the next half of the day: रात 10-6,
    /// 10-6 மணி, ਸ਼ਿਫਟ 6-2. The context must indicate that the numbers are not a score.
    fn to_next_half_of_day(&self) -> Option<Reading> {
        let Self { scan, at, dash, .. } = *self;
        let to_meridiem = Clock::read(scan, dash + 1).is_some_and(|to| to.has_meridiem());
        if self.time.has_minutes() || to_meridiem || !is_dash(scan, dash) {
            return None;
        }
        let joined = self.is_joined();
        let named = || at > 0 && scan.is_one_of(&scan.data.time.scheduled, at - 1);
        let of_day =
            time::follows_part_of_day(scan, at) || time::is_hour_word(scan, dash + 2) || joined && named();
        // after a dash with spaces, the second number may count the word after it: रात 10 - 6 लोग
        let ends = joined || !scan.is_word(dash + 2) || time::is_hour_word(scan, dash + 2);
        let to = Clock::read_last_hour(scan, dash + 1)
            .filter(|to| of_day && ends && self.time.is_until_next(to))?
            .last_hour(scan, dash + 1);
        Some(self.range(&to.words, dash + 1 + to.items))
    }

    /// Reads a range that ends in an hour without minutes: `8:30-9`.
    fn to_hour(&self) -> Option<Reading> {
        let Self { scan, dash, .. } = *self;
        let reads = self.is_certain
            && self.time.has_minutes()
            && self.is_joined()
            && is_dash(scan, dash)
            && Clock::read(scan, dash + 1).is_none();
        let to = Clock::read_last_hour(scan, dash + 1)
            .filter(|_| reads && units::at(scan, dash + 2).is_none())?
            .last_hour(scan, dash + 1);
        Some(self.range(&to.words, dash + 1 + to.items))
    }

    /// Reads a range that ends in a time. It may start with an hour without minutes: `9-9:30`.
    fn to_time(&self) -> Option<Reading> {
        let Self { scan, at, dash, is_certain, .. } = *self;
        if !is_dash(scan, dash) {
            return None;
        }
        let is_end = |to: &Clock<'_>| {
            is_certain || to.has_meridiem() || self.is_joined() && to.has_minutes() && scan.spaced(at)
        };
        let dotted = || Clock::read_dotted(scan, dash + 1).filter(|_| is_certain);
        let to = Clock::read(scan, dash + 1).filter(is_end).or_else(dotted)?;
        let own_items = to.items;
        let (from, to) = self.time.words_until(scan, at, to, dash + 1);
        let from = without_oclock(scan, &from, &to.words);
        let to_words = if to.items == own_items { without_point(scan, &to.words) } else { &to.words };
        Some(Reading::new(between(scan, from, to_words), dash + 1 + to.items - at))
    }

    /// Reads the time on its own. It may be the start or the end of a range in words: सुबह 6:15 से 7:45 बजे.
    fn alone(&self) -> Option<Reading> {
        if !self.is_certain {
            return None;
        }
        let Self { scan, at, .. } = *self;
        let spoken = self.time.reading(scan, at);
        let end = at + spoken.items;
        let to_at = end + 1;
        // a part of the day may precede the second time: सुबह 10:30 से दोपहर 1:00
        let to_at = to_at + time::part_of_day(scan, to_at).map_or(0, |part| part.items);
        let spans = is_repeated_after(scan, end);
        let starts = spans && scan.number(to_at).is_some();
        if let Some(to) = Clock::read(scan, to_at).filter(|_| starts) {
            let to = to.reading(scan, to_at);
            return Some(Reading::new(without_oclock(scan, &spoken.words, &to.words), spoken.items));
        }
        if spans && is_last_hour(scan, to_at) || shares_oclock(scan, end) {
            return Some(Reading::new(split_oclock(scan, &spoken.words).0, spoken.items));
        }
        if spoken.items == self.time.items && (starts || time::ends_range(scan, at)) {
            return Some(Reading::new(without_point(scan, &spoken.words), spoken.items));
        }
        Some(spoken)
    }
}

/// Returns whether a dash or a joining word is at `end` and the second time of a range follows it. This time may be an
/// hour without minutes: 9.30 से 11 बजे.
fn starts_range(scan: &Scan<'_>, end: usize) -> bool {
    let hour = || {
        let to = Clock::read_hour(scan, end + 1);
        to.is_some_and(|to| time::is_hour_word(scan, end + 1 + to.items))
    };
    is_dash(scan, end) || is_repeated_after(scan, end) && (Clock::read(scan, end + 1).is_some() || hour())
}

/// Returns whether the hour at `at` ends a range of times and is not a count of the following word: the 8 of
/// `सायं. 5.30 ते 8`, but not the 8 of `शाम 5:30 से 8 लोग`.
fn is_last_hour(scan: &Scan<'_>, at: usize) -> bool {
    // in English, the words "ten to six" are a time, not a range
    let Some(hour) = Clock::read_last_hour(scan, at).filter(|_| !scan.has_case()) else { return false };
    let follows = |word: &str| {
        scan.is_function(word)
            || scan.data.prosody.phrase_after.has_exactly(word)
            || scan.data.time.oclock.ends_with(word)
    };
    let end = at + hour.items;
    units::at(scan, end).is_none() && scan.word(end).is_none_or(follows)
}

/// Returns whether the word for "and" at `at` joins two times, and the word for the hour after the second time is
/// unusual and applies to both: સવારે 6:30 અને સાંજે 7:15 કલાકે.
fn shares_oclock(scan: &Scan<'_>, at: usize) -> bool {
    let and = scan.data.fraction.and.as_str();
    let to_at = at + 1 + time::part_of_day(scan, at + 1).map_or(0, |part| part.items);
    if and.is_empty() || scan.word(at) != Some(and) {
        return false;
    }
    let Some(to) = Clock::read(scan, to_at) else { return false };
    scan.word(to_at + to.items)
        .is_some_and(|word| time::is_oclock(scan, word) && !scan.data.time.oclock.ends_with(word))
}

/// Removes the word for the hour from a time if the following time ends in the same word, or if the word marks a point
/// in time: नौ (बजे) से पाँच बजे, नऊ (वाजता) ते पाच वाजेपर्यंत.
fn without_oclock<'a>(scan: &Scan<'_>, from: &'a str, to: &str) -> &'a str {
    let from = without_point(scan, from);
    match split_oclock(scan, from) {
        (hour, Some(oclock)) if to.ends_with(oclock) => hour,
        _ => from,
    }
}

/// Splits the usual word for the hour from the end of a time.
fn split_oclock<'a>(scan: &Scan<'_>, time: &'a str) -> (&'a str, Option<&'a str>) {
    let oclock = scan.data.time.oclock.rsplit(' ').next().unwrap_or_default();
    match time.rsplit_once(' ') {
        Some((hour, last)) if last == oclock => (hour, Some(last)),
        _ => (time, None),
    }
}

/// Removes the word for the hour from a time of a range if that word marks a point in time: नऊ ते अकरा.
fn without_point<'a>(scan: &Scan<'_>, to: &'a str) -> &'a str {
    let time = &scan.data.time;
    let (_, oclock) = time.oclock.split_once("{hour}").unwrap_or_default();
    to.strip_suffix(oclock).filter(|_| time.ranges_without_oclock).unwrap_or(to)
}
