//! Words of a time of day.

use super::clock::{Clock, Meridiem};
use super::names::{
    abbreviated_hour, follows_day_word, hour_word, is_hour_word, is_minute, is_oclock, is_oclock_stem,
    is_plain_before, minute_name, minute_unit, names_part_of_day, part_of_day, precedes_minutes,
};
use crate::data::keywords::Kinds;
use crate::data::{Time, is_in};
use crate::normalize::number::{self, System};
use crate::normalize::number::{fraction, span};
use crate::normalize::quantity::{measure, units};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};

impl Clock<'_> {
    /// Returns the reading of an hour without minutes, for use alone or before the word for the hour.
    pub(crate) fn last_hour(&self, scan: &Scan<'_>, at: usize) -> Reading {
        let named = is_hour_word(scan, at + self.items);
        let one = scan.data.time.oclock_one.as_ref().filter(|_| value(self.hour) == 1 && !named);
        Reading::new(one.cloned().unwrap_or_else(|| self.before_stem(scan)), self.items)
    }

    /// Returns the reading of the time, including the word for the hour after it.
    pub(crate) fn reading(&self, scan: &Scan<'_>, at: usize) -> Reading {
        // सुबह 9 AM contains the part of the day twice
        if self.meridiem.is_some() && names_part_of_day(scan, at) {
            let reading = Self { meridiem: None, ..*self }.reading(scan, at);
            // the word for the hour may follow AM or PM; the reading is then complete
            let named = reading.items > self.items;
            return if named { reading } else { self.as_point(scan, at, reading) };
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
        let next = hour_word(scan, at + self.items);
        if let Some((written, items)) = abbreviated_hour(scan, at + self.items) {
            if is_plain_before(scan, at + self.items + items) {
                return Reading::new(self.before_stem(scan), self.items + items);
            }
            if let Some(point) = self.abbreviated_point(scan, at, self.items + items, written) {
                return point;
            }
            if self.minute.is_none() && precedes_minutes(scan, at + self.items + items) {
                let (hour, _) = scan.data.time.minutes.split_once("{minute}").unwrap_or_default();
                return Reading::new(self.fill(scan, hour.trim_end()), self.items + items);
            }
            let one =
                scan.data.time.oclock_one.as_ref().filter(|_| self.minute.is_none() && value(self.hour) == 1);
            if let Some(one) = one {
                return Reading::new(one.clone(), self.items + items);
            }
            let words = if let Some(words) = self.in_minutes(scan, written) {
                words
            } else if is_oclock(scan, written) && !is_oclock_stem(scan, written) {
                with_written_oclock(scan, written, self.words(scan))
            } else {
                format!("{} {written}", self.before_stem(scan))
            };
            return Reading::new(words, self.items + items);
        }
        let in_minutes = self.minute.is_some() && next.is_some_and(|next| is_minute(scan, next));
        if let Some(padded) = self.padded(scan, at) {
            return padded;
        }
        if self.bare && !scan.data.time.oclock_stems.is_empty() && !in_minutes {
            return Reading::new(self.before_stem(scan), self.items);
        }
        // the word for the hour is omitted before some words: 4:15 पर
        let is_short = self.minute.is_none_or(|minute| value(minute) == 0)
            || in_quarters(scan, value(self.hour), self.minute).is_some();
        let minutes = self.meridiem.is_none() && self.minute.is_some_and(|minute| value(minute) > 0);
        let in_place = |word: &str| {
            is_short && self.meridiem.is_none() && is_in(&scan.data.time.bare_before, word)
                || (is_short || scan.spaced(at + self.items)) && is_in(&scan.data.time.plain_before, word)
                || minutes && is_in(&scan.data.time.minutes_plain_before, word)
        };
        if self.second.is_none() && next.is_some_and(|word| is_oclock_stem(scan, word) || in_place(word)) {
            return Reading::new(self.before_stem(scan), self.items);
        }
        if let Some(lasting) = self.lasting(scan, at) {
            return lasting;
        }
        if self.minute.is_some() && next.is_some_and(|next| is_minute(scan, next)) {
            // the word for minutes follows the time: ৬:০৫ মিনিটে, ৪:৩০ মিনিটে
            let words = self.fill(scan, &self.minutes_pattern(&scan.data.time));
            return Reading::new(without_minute(scan, words), self.items);
        }
        let words = self.words(scan);
        match next.filter(|word| is_oclock(scan, word)) {
            Some(written) => {
                let in_minutes = self.in_minutes(scan, written);
                let words = in_minutes.unwrap_or_else(|| with_written_oclock(scan, written, words));
                self.as_point(scan, at, Reading::new(words, self.items + 1))
            }
            None if self.meridiem.is_some() => self.as_point(scan, at, Reading::new(words, self.items)),
            None => Reading::new(words, self.items),
        }
    }

    /// Reads a time with less than ten minutes in a language whose times are otherwise the plain hour and minute: సాయంత్రం
    /// 5.05కు is ఐదు గంటల ఐదు నిమిషాలకు, because ఐదు ఐదుకు lacks the zero. The word for the hour that is written after the
    /// time gives its ending to the word for minutes: 6.05 గంటలకు. A time before something that is scheduled has the same
    /// form, and the ending of a measure before a noun: 6:05 బస్సు.
    fn padded(&self, scan: &Scan<'_>, at: usize) -> Option<Reading> {
        let time = &scan.data.time;
        let stems = &time.oclock_stems;
        let minute = self.minute.filter(|_| !stems.is_empty() && self.second.is_none())?;
        let next = at + self.items;
        let scheduled = scan.spaced(next) && scan.is_one_of(&time.scheduled, next);
        let few = minute.starts_with('0') && value(minute) > 0;
        if scheduled && !self.bare {
            let plain = value(minute) > 0 && !few;
            let words = if plain { self.before_stem(scan) } else { measure::oblique(scan, self.words(scan)) };
            return Some(Reading::new(words, self.items));
        }
        if !few || scan.word(next).is_some_and(|word| is_minute(scan, word)) {
            return None;
        }
        let words = self.words(scan);
        let Some(written) = scan.word(next).filter(|word| is_oclock_stem(scan, word)) else {
            return self.bare.then(|| Reading::new(words, self.items));
        };
        if is_oclock(scan, written) {
            return Some(Reading::new(words, self.items + 1));
        }
        let ending = stems.iter().find_map(|stem| written.strip_prefix(stem.as_str()))?;
        let has_rule = number::has_sandhi_rule(&scan.data.number, &words, ending);
        let joined = || number::with_ending(&scan.data.number, &words, ending, &[]);
        has_rule.then(|| Reading::new(joined(), self.items + 1))
    }

    /// Reads minutes and seconds before the word for minutes: दौड़ 6:30 मिनट में. Returns `None` after a part of the
    /// day, or before a word such as पर that follows times of day, because the numbers are then an hour and its
    /// minutes: सुबह 6:30 मिनट, 6:30 मिनट पर.
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

    /// Returns the words of a time with minutes, in which the word for minutes replaces the written word for the hour
    /// and has the same ending: 6:05 वाजता, 8:10 વાગ્યાની.
    fn in_minutes(&self, scan: &Scan<'_>, written: &str) -> Option<String> {
        let minutes = scan.data.time.minutes_at.get(written)?;
        self.speaks_minutes(scan).then(|| self.with_minutes(scan, minutes))
    }

    /// Returns whether the reading of the time contains the word for minutes.
    fn speaks_minutes(&self, scan: &Scan<'_>) -> bool {
        let spoken = self.minute.is_some_and(|digits| value(digits) > 0) && self.second.is_none();
        spoken && in_quarters(scan, value(self.hour), self.minute).is_none()
    }

    /// Returns the words of a time with another form of the word for minutes.
    fn with_minutes(&self, scan: &Scan<'_>, minutes: &str) -> String {
        let time = self.fill(scan, &self.minutes_pattern(&scan.data.time));
        format!("{} {minutes}", without_minute(scan, time))
    }

    /// Adds the word for a point in time to the reading of a time with minutes, if the sentence states what happens at
    /// this time: 8:10 बजे आएगी, but not 8:10 बजे से and अभी 8:10 बजे हैं.
    fn as_point(&self, scan: &Scan<'_>, at: usize, reading: Reading) -> Reading {
        let point = scan.data.time.point_marker.as_ref();
        match point.filter(|_| self.speaks_minutes(scan) && is_point(scan, at, at + reading.items)) {
            Some(point) => Reading { words: format!("{} {point}", reading.words), ..reading },
            None => reading,
        }
    }

    /// Reads an hour before its abbreviation `written`, and the abbreviated minutes after it, if the sentence states what
    /// happens at this time: १२ वा. २१ मि. होणार.
    fn abbreviated_point(&self, scan: &Scan<'_>, at: usize, items: usize, written: &str) -> Option<Reading> {
        let minutes = scan.data.time.minutes_at.get(written).filter(|_| self.minute.is_none())?;
        let minute = scan.number(at + items).filter(|_| precedes_minutes(scan, at + items))?;
        let unit = minute_unit(scan, at + items + 1).filter(|unit| !is_minute(scan, &unit.sign))?;
        let items = items + 1 + unit.items;
        let clock = Clock::of_parts(self.hour, minute, items);
        is_point(scan, at, at + items).then(|| Reading::new(clock.with_minutes(scan, minutes), items))
    }

    pub(crate) fn fill(&self, scan: &Scan<'_>, pattern: &str) -> String {
        let minute = self.minute.map(|digits| words_of(scan, digits)).unwrap_or_default();
        let spoken = pattern.replace("{hour}", &self.hour_words(scan)).replace("{minute}", &minute);
        self.with_day_part(scan, spoken)
    }

    /// Returns the words of a time before `to`, and the reading of `to`. The AM or PM of `to` applies to both times if
    /// `to` is then the later one. Otherwise, `self` is in the other half of the day. For example, nine is AM in both
    /// `9-11 AM` and `9-5 PM`. If both times have the same part of the day, the reading of `to` does not repeat it, and a
    /// part of the day that is written before `self`, which starts at `at`, is not repeated either.
    pub(crate) fn words_until(
        mut self,
        scan: &Scan<'_>,
        at: usize,
        to: Self,
        to_at: usize,
    ) -> (String, Reading) {
        let named = names_part_of_day(scan, at);
        let words = |time: Self| {
            let time = if named { Self { meridiem: None, ..time } } else { time };
            time.words(scan)
        };
        if self.has_meridiem() || !to.has_meridiem() {
            return (words(self), to.reading(scan, to_at));
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
        (words(self), to.reading(scan, to_at))
    }

    /// Returns the pattern of an hour with its minutes.
    pub(crate) fn minutes_pattern(&self, time: &Time) -> String {
        let one = time.minutes_one.as_ref().filter(|_| value(self.hour) == 1);
        one.unwrap_or(&time.minutes).clone()
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

    /// Returns the words of a time before the word for the hour: பத்தரை (மணிக்கு), பத்து ஐந்து (மணிக்கு).
    pub(crate) fn before_stem(&self, scan: &Scan<'_>) -> String {
        let hour = self.hour_words(scan);
        let quarters = in_quarters(scan, value(self.hour), self.minute);
        let spoken = match (quarters, self.minute.filter(|digits| value(digits) > 0)) {
            (Some(words), _) => words,
            (None, Some(minute)) => format!("{} {}", words_of(scan, self.hour), words_of(scan, minute)),
            (None, None) => hour,
        };
        self.with_day_part(scan, spoken)
    }

    fn hour_words(&self, scan: &Scan<'_>) -> String {
        let irregular = scan.data.time.hours.get(&value(self.hour).to_string());
        irregular.cloned().unwrap_or_else(|| words_of(scan, self.hour))
    }

    pub(crate) fn words(&self, scan: &Scan<'_>) -> String {
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
            (Some(_), None) => with_meridiem(&self.minutes_pattern(time), time.minutes_meridiem.as_ref()),
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

/// Returns whether the word at `end` indicates that the time from `at` to `end` is the time at which something happens.
/// This is not so before a postposition and the verb "to be", after a word for time, at the end of a range, and before a
/// function word that joins another time.
fn is_point(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let time = &scan.data.time;
    let next = end + usize::from(is_focus(scan, end));
    let Some(word) = scan.word(next).filter(|_| scan.spaced(end)) else { return false };
    let of_day = |place: usize| scan.is_one_of(&time.day_words, place);
    let another = next + 1 + usize::from(of_day(next + 1));
    let joins = scan.is_function(word) && scan.number(another).is_some();
    let start = with_day(scan, at);
    let sign = |place: usize| usize::from(place > 0 && matches!(scan.sign(place - 1), Some(':' | '-' | '–')));
    let word_before = |place: usize| place.checked_sub(1 + sign(place)).and_then(|before| scan.word(before));
    // the word for time may itself be a word of the day: समय 9:20 बजे, समय शाम 5:10 बजे
    let named = [at, start]
        .into_iter()
        .any(|place| word_before(place).is_some_and(|word| time.no_point_after.contains(word)));
    !(named || joins || of_day(next) || time.no_point_before.contains(word) || ends_range(scan, at))
}

/// Returns whether a particle that puts the preceding word in focus is at `at`: ही.
fn is_focus(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.prosody.focus_before.has(word))
}

/// Returns the place of the time at `at` with the part of the day before it: शाम 5:40, सुबह के 6:12, दु. 2:10.
fn with_day(scan: &Scan<'_>, at: usize) -> usize {
    if at >= 2 && follows_day_word(scan, at) {
        return at - if scan.is_one_of(&scan.data.time.day_words, at - 1) { 1 } else { 2 };
    }
    let before = at.checked_sub(2).filter(|_| scan.is_sign(at - 1, '.'));
    let short = |&start: &usize| part_of_day(scan, start).is_some_and(|part| start + part.items == at);
    before.filter(short).unwrap_or(at)
}

/// Returns whether the time at `at` is the end of a range of times: 9:20-10:40 बजे, 9:20 बजे से शाम 5:40 बजे.
pub(crate) fn ends_range(scan: &Scan<'_>, at: usize) -> bool {
    let Some(between) = with_day(scan, at).checked_sub(1) else { return false };
    let Some(last) = between.checked_sub(1) else { return false };
    // a number after the word for "number" is not a time: प्लेटफ़ॉर्म नं. 3 से 16:55 बजे
    let is_time = scan.number(last).is_some() && !scan.names_before(last, Kinds::NUMBER)
        || scan.is_sign(last, '.')
        || is_hour_word(scan, last)
        || Meridiem::of(scan.latin(last).unwrap_or_default()).is_some();
    is_time && (span::is_dash(scan, between) || span::is_repeated_after(scan, between))
}

fn words_of(scan: &Scan<'_>, digits: &str) -> String {
    number::plain_cardinal(&scan.data.number, digits, System::Indian)
}

/// Returns a time in words with the word for the hour as written. The ending of the written word may differ from that
/// of the usual word: साडे दहा वाजेपर्यंत.
fn with_written_oclock(scan: &Scan<'_>, written: &str, words: String) -> String {
    let (_, usual) = scan.data.time.oclock.split_once("{hour}").unwrap_or_default();
    match words.strip_suffix(usual) {
        // a word other than the usual one stays separate: দশ ঘটিকায়, but দশটায়
        Some(hour) if !written.starts_with(usual) => format!("{hour} {written}"),
        Some(hour) => format!("{hour}{written}"),
        None if written == usual.trim_start() => words,
        // the ending of টায় belongs to the minutes, which are the last word: ১০:৪০টায়
        None => match written.strip_prefix(usual).filter(|_| !usual.is_empty()) {
            Some(ending) => number::with_ending(&scan.data.number, &words, ending, &[]),
            None => format!("{words} {written}"),
        },
    }
}

/// Removes the minutes and their name from a pattern: दस बजकर तीस सेकंड.
fn without_minutes(pattern: &str) -> String {
    let mut parts: Vec<&str> = pattern.split(' ').collect();
    if let Some(place) = parts.iter().position(|part| part.contains("{minute}")) {
        parts.drain(place..(place + 2).min(parts.len()));
    }
    parts.join(" ")
}

/// Returns an hour with quarters in the usual words for them: सवा चार, साढ़े चार, पौने पाँच. Returns `None` for other
/// minutes, for hours outside the range 1–12, and if the language has no such words.
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
    // at twelve, the form for a quarter to one is three quarters without a whole hour
    let before_one = hour == 12 && quarters == 3 && scan.data.fraction.three_quarters_before.is_some();
    let hours = if before_one { 0 } else { u128::from(hour) };
    fraction::in_quarters(scan, hours, quarters, false)
}

/// Returns the words for the part of the day at an hour: दोपहर के.
fn day_part<'a>(scan: &'a Scan<'_>, hour: u32, meridiem: Meridiem) -> Option<&'a str> {
    let of_day = match meridiem {
        Meridiem::Am => hour % 12,
        Meridiem::Pm => hour % 12 + 12,
    };
    let parts = &scan.data.time.day_parts;
    parts.iter().rev().find(|(from, _)| *from <= of_day).map(|(_, words)| words.as_str())
}

/// Removes the word for minutes from the end of a time in words.
pub(crate) fn without_minute(scan: &Scan<'_>, words: String) -> String {
    match minute_name(scan).and_then(|name| words.strip_suffix(name)) {
        Some(hour) => hour.trim_end().to_owned(),
        None => words,
    }
}
