//! Ranges (`10-15 kg`, `10:30-11:30`, `10%–15%`, `5वीं-8वीं`), scores (`5-3`) and ratios (`3:2`).

use super::numeric;
use crate::class::Class;
use crate::data::naming::Kinds;
use crate::normalize::date::{pairs, year};
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::span::{between, is_repeated_after};
use crate::normalize::number::{self, ordinal};
use crate::normalize::quantity::equation::in_equation;
use crate::normalize::quantity::{measure, money, multiplier, units};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending;
use crate::normalize::time::Clock;
use crate::normalize::{date, time};

fn is_dash(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.sign(at), Some('-' | '–' | '—' | '~')) && scan.spaced(at) == scan.spaced(at + 1)
}

/// Reads a time or a range of times: `10:30`, `10:30-11:30`, `9-5 PM`.
pub(crate) fn of_times(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let clock = Clock::read(scan, at);
    let before_range = |time: &Clock<'_>| {
        let end = at + time.items;
        // the range may end in an hour without minutes: 9.30 से 11 बजे
        let hour = || {
            let to = Clock::read_hour(scan, end + 1);
            to.is_some_and(|to| time::is_hour_word(scan, end + 1 + to.items))
        };
        is_dash(scan, end) || is_repeated_after(scan, end) && (Clock::read(scan, end + 1).is_some() || hour())
    };
    let dotted = || Clock::read_dotted(scan, at).filter(before_range);
    let from = clock.or_else(dotted).or_else(|| Clock::read_hour(scan, at))?;
    let dash = at + from.items;
    if let Some(range) = of_parts_of_day(scan, at, &from) {
        return Some(range);
    }
    // before a joining word, only the start of the range is read: 8.00 से 11.30 बजे
    if clock.is_none() && from.has_minutes() && is_repeated_after(scan, dash) {
        return Some(Reading::new(from.before_stem(scan), from.items));
    }
    let joined = scan.joined(dash) && scan.joined(dash + 1);
    // if the context indicates that the numbers are not a score, a smaller second hour is in the next half of the day:
    // रात 10-6, 10-6 மணி, ਸ਼ਿਫਟ 6-2
    let after_name = || at > 0 && scan.is_one_of(&scan.data.time.scheduled, at - 1);
    let of_day = || {
        time::follows_part_of_day(scan, at) || time::is_hour_word(scan, dash + 2) || joined && after_name()
    };
    // after a dash with spaces, the second number may count the word after it: रात 10 - 6 लोग
    let closed = || joined || !scan.is_word(dash + 2) || time::is_hour_word(scan, dash + 2);
    let night = !from.has_minutes() && is_dash(scan, dash) && of_day() && closed();
    if let Some(to) = Clock::read_last_hour(scan, dash + 1).filter(|to| night && from.is_until_next(to)) {
        let to = to.last_hour(scan, dash + 1);
        return Some(Reading::new(
            between(scan, &from.before_stem(scan), &to.words),
            from.items + 1 + to.items,
        ));
    }
    // the range may end in an hour without minutes: 8:30-9
    if from.has_minutes()
        && clock.is_some()
        && joined
        && is_dash(scan, dash)
        && Clock::read(scan, dash + 1).is_none()
    {
        let last = Clock::read_last_hour(scan, dash + 1).filter(|_| units::at(scan, dash + 2).is_none());
        if let Some(to) = last.map(|to| to.last_hour(scan, dash + 1)) {
            let words = between(scan, &from.before_stem(scan), &to.words);
            return Some(Reading::new(words, from.items + 1 + to.items));
        }
    }
    let dotted_again = || Clock::read_dotted(scan, dash + 1).filter(|_| clock.is_some());
    // the range may start with an hour without minutes: 9-9:30
    let is_end = |to: &Clock<'_>| {
        clock.is_some() || to.has_meridiem() || joined && to.has_minutes() && scan.spaced(at)
    };
    let to = Clock::read(scan, dash + 1).filter(is_end).or_else(dotted_again);
    match to.filter(|_| is_dash(scan, dash)) {
        Some(to) => {
            let own_items = to.items;
            let (from_words, to) = from.words_until(scan, to, dash + 1);
            let from_words = without_oclock(scan, &from_words, &to.words);
            let to_words = if to.items == own_items { without_point(scan, &to.words) } else { &to.words };
            Some(Reading::new(between(scan, from_words, to_words), from.items + 1 + to.items))
        }
        None => clock.map(|clock| {
            let spoken = clock.reading(scan, at);
            // the time starts a range in words: सुबह 6:15 से 7:45 बजे
            let to_at = at + spoken.items + 1;
            // a part of the day may precede the second time: सुबह 10:30 से दोपहर 1:00
            let to_at = to_at + time::part_of_day(scan, to_at).map_or(0, |part| part.items);
            let spans = is_repeated_after(scan, at + spoken.items);
            let starts = spans && scan.number(to_at).is_some();
            let again = Clock::read(scan, to_at).filter(|_| starts);
            match again.map(|to| to.reading(scan, to_at)) {
                Some(to) => Reading::new(without_oclock(scan, &spoken.words, &to.words), spoken.items),
                None if spans && is_last_hour(scan, to_at) || shares_oclock(scan, at + spoken.items) => {
                    Reading::new(split_oclock(scan, &spoken.words).0, spoken.items)
                }
                None if spoken.items == clock.items && (starts || ends_range(scan, at)) => {
                    Reading::new(without_point(scan, &spoken.words), spoken.items)
                }
                None => spoken,
            }
        }),
    }
}

/// Reads a range of times with a part of the day before each: `காலை 10:00 - மாலை 5:45`, `ఉ.10-మ.1`.
fn of_parts_of_day(scan: &Scan<'_>, at: usize, from: &Clock<'_>) -> Option<Reading> {
    let dash = at + from.items;
    let part = time::part_of_day(scan, dash + 1)
        .filter(|_| is_dash(scan, dash) && time::follows_part_of_day(scan, at))?;
    let to_at = dash + 1 + part.items;
    let clock = Clock::read(scan, to_at)
        .or_else(|| Clock::read_dotted(scan, to_at))
        .map(|to| to.reading(scan, to_at));
    let to = clock.or_else(|| Some(Clock::read_last_hour(scan, to_at)?.last_hour(scan, to_at)))?;
    let words = between(scan, &from.before_stem(scan), &format!("{} {}", part.words, to.words));
    Some(Reading::new(words, to_at + to.items - at))
}

/// Reads a fraction or a range of fractions: `1/2`, `4 1/2 lbs`, `1/2-3/4`.
pub(crate) fn of_fractions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let read = |at: usize| Some(measure::of_fraction(scan, at, numeric::fraction(scan, at)?));
    let from = read(at)?;
    let dash = at + from.items;
    // the second number of a score may be an integer: 38½-35
    let whole = || {
        let numeral = Numeral::read(scan, dash + 1).filter(|_| scan.joined(dash))?;
        Some(Reading::new(numeral.words(scan), numeral.items))
    };
    let to = read(dash + 1);
    let is_score = to.is_none();
    match to.or_else(whole).filter(|_| is_dash(scan, dash)) {
        Some(to) if is_score => {
            Some(Reading::new(format!("{} {}", from.words, to.words), from.items + 1 + to.items))
        }
        Some(to) => Some(Reading::new(between(scan, &from.words, &to.words), from.items + 1 + to.items)),
        None => Some(from),
    }
}

/// Returns whether the hour at `at` ends a range of times and does not count the following word: the 8 of
/// `सायं. 5.30 ते 8`, but not that of `शाम 5:30 से 8 लोग`.
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

/// Returns whether the word for "and" at `at` joins a time to a later one, and an unusual word for the hour after the
/// later time belongs to both: સવારે 6:30 અને સાંજે 7:15 કલાકે.
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

/// Returns whether the time at `at` is the end of a range in words: the 11.00 of सकाळी ७.२० ते ११.००.
fn ends_range(scan: &Scan<'_>, at: usize) -> bool {
    let mut starts = [at, at.saturating_sub(1), at.saturating_sub(2)].into_iter();
    starts.any(|start| {
        let follows = start > 1 && is_repeated_after(scan, start - 1) && scan.number(start - 2).is_some();
        let part = || time::part_of_day(scan, start).is_some_and(|part| start + part.items == at);
        follows && (start == at || part())
    })
}

/// Reads a range of numbers: `10-15` or `10–15 kg`, but not `10-5=5`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    // check for a dash first, because this is cheaper than reading forms with units and endings
    if !(at + 1..scan.items.len()).any(|place| is_dash(scan, place)) {
        return None;
    }
    let named =
        ordinal::read(scan, at).or_else(|| measure::read(scan, at)).or_else(|| with_ending(scan, at, &first));
    // the first number may have a k for thousands: 25k-35k
    let thousands = || {
        scan.latin(at + first.items).filter(|letter| matches!(*letter, "k" | "K"))?;
        let read = multiplier::with_multiplier(scan, &first, at + first.items, first.system())?;
        Some(Reading::new(read.words, first.items + read.items))
    };
    let named = named.or_else(thousands);
    let named = named.filter(|named| is_dash(scan, at + named.items));
    let plain = named.is_none();
    let (from, items) =
        named.map_or_else(|| (first.words(scan), first.items), |named| (named.words, named.items));
    let dash = at + items;
    if !is_dash(scan, dash) || in_equation(scan, at) {
        return None;
    }
    let second = Numeral::read(scan, dash + 1)?;
    // three numbers in a row are not a range
    let after = dash + 1 + second.items;
    if matches!(scan.sign(after), Some('-' | '–')) && scan.joined(after) && scan.number(after + 1).is_some()
    {
        return None;
    }
    // an abbreviated currency may follow the range: 10-90 ರೂ.
    let priced = money::read(scan, dash + 1).filter(|amount| plain && amount.items > second.items);
    let to = priced.or_else(|| numeric::read(scan, dash + 1))?;
    // a measure and its price are not a range: 100 ਗ੍ਰਾ. – 58/-
    if !plain && (to.class == Class::Money || money::read(scan, dash + 1).is_some()) {
        return None;
    }
    if !plain && scan.spaced(dash) && is_of_another_kind(scan, dash, to.items) {
        return None;
    }
    let end = dash + 1 + to.items;
    let to_items = to.items;
    // the parts of a code are not a range: 1-413-te-b
    if is_in_code(scan, at) || is_in_code(scan, end) {
        return None;
    }
    let is_score = !(rises(&first, &second) || plain && is_of_hours(scan, at, &first, &second))
        || plain && pairs::are_scores(scan, at, |first, second| value(first) > value(second))
        || plain && scan.is_one_of(&scan.data.context.after_score, end);
    // years before an era may descend: 297-272 BC
    let before_era = first.whole.len() > 2 && year::is_named(scan, end);
    let falls = plain && to_items == second.items && is_score && !before_era;
    // words before the second number apply to both numbers: ಗಂಟೆಗೆ ಐವತ್ತು ಕಿಲೋಮೀಟರ್
    let (before, to) = match to.words.find(&second.words(scan)) {
        Some(start) if plain => to.words.split_at(start),
        _ => ("", to.words.as_str()),
    };
    // two equal numbers are the same amount for each of several things or people: 25-25 हजार
    let same = first.whole == second.whole && first.decimals == second.decimals;
    // in a language other than English, a year and the next one have no range word between them: 2025-26-ம் கல்வியாண்டு
    let is_next_year = year::is_followed_by(&first.whole, &second.whole) && !scan.has_case();
    let words = if falls || same || is_next_year || is_repeated_after(scan, end) {
        format!("{before}{from} {to}")
    } else {
        format!("{before}{}", between(scan, &from, to))
    };
    Some(Reading::new(words, end - at))
}

/// Returns whether the number after the dash at `dash` counts something other than the measure before the dash: 650 mg –
/// 1 tablet, 250 mg - 5 days. The number has `items` items.
fn is_of_another_kind(scan: &Scan<'_>, dash: usize, items: usize) -> bool {
    let is_duration = |place: usize| scan.is_one_of(&scan.data.context.durations, place);
    let end = dash + 1 + items;
    match measure::read(scan, dash + 1) {
        Some(_) => is_duration(dash - 1) != is_duration(end - 1),
        None => scan.word(end).is_some_and(|word| !scan.is_function(word)),
    }
}

/// Returns whether two numbers are opening and closing hours: Timings: 10-9.
fn is_of_hours(scan: &Scan<'_>, at: usize, first: &Numeral, second: &Numeral) -> bool {
    let is_hour = |numeral: &Numeral| numeral.decimals.is_none() && (1..=12).contains(&value(&numeral.whole));
    let opens = scan.names_before(at, Kinds::HOUR) || at == 0 && scan.sentence_context.names_hour;
    is_hour(first)
        && is_hour(second)
        && opens
        && scan.has_case()
        && !scan.is_one_of(&scan.data.context.score, at.saturating_sub(1))
}

/// Returns whether a hyphen joins the item at `at` to the preceding text, or joins the text before `at` to following
/// letters.
fn is_in_code(scan: &Scan<'_>, at: usize) -> bool {
    let joins = |place: usize| scan.is_sign(place, '-') && scan.joined(place) && scan.joined(place + 1);
    at >= 2 && joins(at - 1) || joins(at) && scan.latin(at + 1).is_some()
}

/// Reads a number with its joined ending, if the number after the dash has the same ending: ৯টা-৫টা.
fn with_ending(scan: &Scan<'_>, at: usize, first: &Numeral) -> Option<Reading> {
    let ending = at + first.items;
    let second = Numeral::read(scan, ending + 2)?;
    let again = ending + 2 + second.items;
    let same = scan.word(ending)? == scan.word(again)? && scan.joined(ending) && scan.joined(again);
    let joined = ending::with_ending(scan, at, Reading::new(first.words(scan), first.items));
    (same && joined.items > first.items).then_some(joined)
}

/// Returns whether the second number is larger. Otherwise the numbers are a score or a pair, not a range.
fn rises(first: &Numeral, second: &Numeral) -> bool {
    let value = |numeral: &Numeral| {
        let decimals = numeral.decimals.as_deref().unwrap_or_default();
        format!("{}.{decimals}", numeral.whole).parse::<f64>().unwrap_or(f64::MAX)
    };
    value(first) < value(second)
}

/// Returns whether the segment contains a word for a ratio.
fn names_ratio(scan: &Scan<'_>) -> bool {
    let pattern = &scan.data.number.ratio;
    let names = |word: &str| {
        let is_in_pattern = pattern.split(' ').any(|part| part == word) && !scan.is_function(word);
        is_in_pattern || word.eq_ignore_ascii_case("ratio")
    };
    (0..scan.items.len()).filter_map(|place| scan.word(place)).any(names)
}

/// Reads `36:15` as minutes and seconds if the first number is at least 25, so that it cannot be an hour, and nothing
/// indicates a ratio: no word in the segment, and no sum of 100.
fn minutes_and_seconds(scan: &Scan<'_>, minutes: &Numeral, seconds: &Numeral) -> Option<String> {
    let integer =
        |numeral: &Numeral| numeral.whole.parse::<u32>().ok().filter(|_| numeral.decimals.is_none());
    let (over, under) = (integer(minutes)?, integer(seconds)?);
    let lasts = (25..100).contains(&over) && seconds.whole.len() == 2 && under < 60 && over + under != 100;
    let words = counted_minutes(scan, minutes, seconds)?;
    (lasts && scan.words > 0 && !names_ratio(scan)).then_some(words)
}

/// Returns the words of minutes and seconds with their units.
fn counted_minutes(scan: &Scan<'_>, minutes: &Numeral, seconds: &Numeral) -> Option<String> {
    let counted = |numeral: &Numeral, sign: &str| {
        let unit = units::of_sign(scan, sign, 1)?;
        Some(unit.counted(&numeral.counting(scan, numeral.system()), numeral.is_one()))
    };
    Some(format!("{} {}", counted(minutes, "min")?, counted(seconds, "s")?))
}

/// Reads the minutes and seconds of a race: `8:09.91`.
pub(crate) fn race(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let minutes = scan.number(at).filter(|digits| digits.len() <= 2)?;
    let seconds = Numeral::read(scan, at + 2)
        .filter(|seconds| seconds.whole.len() == 2 && seconds.decimals.is_some())?;
    let joined = scan.is_sign(at + 1, ':') && scan.joined(at + 1) && scan.joined(at + 2);
    let minutes = Numeral::read(scan, at).filter(|numeral| numeral.whole == minutes)?;
    let words = counted_minutes(scan, &minutes, &seconds)?;
    joined.then(|| Reading::new(words, 2 + seconds.items).of(Class::Measure))
}

/// Maximum number of items from the word for a recording to its length after a dash or a colon.
const NEAR_RECORDING: usize = 5;

/// Reads the length of a recording in minutes and seconds: the song Kesariya (4:28), a track that runs for 3:05. In
/// English, the word for minutes may follow. Otherwise the sentence is about a recording, and the length is in
/// brackets, after a dash or a colon, or next to a word for a length.
pub(crate) fn length(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let minutes = scan.number(at).filter(|digits| digits.len() <= 2)?;
    let seconds = scan.number(at + 2).filter(|digits| digits.len() == 2 && value(digits) < 60)?;
    let joined = scan.is_sign(at + 1, ':') && scan.joined(at + 1) && scan.joined(at + 2);
    let goes_on = matches!(scan.sign(at + 3), Some(':' | '.' | '-' | '–')) && scan.number(at + 4).is_some();
    let within = at > 0 && scan.joined(at) && scan.is_sign(at - 1, ':');
    if !joined || goes_on || within {
        return None;
    }
    let [minute, second] = [units::of_sign(scan, "min", 1)?, units::of_sign(scan, "s", 1)?];
    let in_minutes = units::at(scan, at + 3).filter(|unit| unit.name(false) == minute.name(false));
    let spelt_out = [true, false].into_iter().any(|one| scan.word(at + 3) == Some(minute.name(one)));
    let time = &scan.data.time;
    let before = at.checked_sub(1);
    let signed = before.and_then(|before| scan.sign(before));
    let bracketed = signed == Some('(') && scan.is_sign(at + 3, ')');
    let recorded =
        (at.saturating_sub(NEAR_RECORDING)..at).any(|place| scan.is_one_of(&time.recordings, place));
    // round minutes after a sign are more likely a time of day: Bhajan - 6:30
    let is_round = value(seconds).is_multiple_of(15);
    let announced = matches!(signed, Some('-' | '–' | '—' | ':')) && scan.spaced(at) && recorded && !is_round;
    let near = scan.is_one_of(&time.lengths, at + 3)
        || before.is_some_and(|before| scan.is_one_of(&time.lengths, before));
    let of_recording = || (bracketed || announced || near) && scan.mentions(&time.recordings, at..at + 3);
    let of_day = Clock::read(scan, at).is_some_and(|clock| clock.has_meridiem() || clock.in_hours)
        || time::follows_part_of_day(scan, at)
        || time::is_hour_word(scan, at + 3)
        || scan.is_one_of(&scan.data.date.span_words, at + 3)
        || scan.mentions(&time.day_words, at..at + 3);
    // only English reads minutes and seconds here; other languages count minutes in halves and quarters: दौड़ 6:30 मिनट
    let of_minutes = scan.has_case() && (in_minutes.is_some() || spelt_out);
    if of_day || !(of_minutes || of_recording()) {
        return None;
    }
    let counted = |digits: &str, unit: &units::Unit| {
        let digits = value(digits).to_string();
        let count = number::plain_cardinal(&scan.data.number, &digits, number::System::Indian);
        (digits != "0").then(|| unit.counted(&count, digits == "1"))
    };
    let parts = [counted(minutes, &minute), counted(seconds, &second)];
    let words = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let more = in_minutes.map_or(usize::from(spelt_out), |unit| unit.items);
    (!words.is_empty()).then(|| Reading::new(words, 3 + more).of(Class::Measure))
}

/// Reads three numbers with colons that are neither a time of day nor a verse: the mix `1:1.5:3`.
fn proportions(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let part = |at: usize| Numeral::read(scan, at).filter(|part| part.whole.len() <= 2);
    let joins = |place: usize| scan.is_sign(place, ':') && scan.joined(place) && scan.joined(place + 1);
    let first = part(at)?;
    let second_at = at + first.items + 1;
    let second = part(second_at).filter(|_| joins(second_at - 1))?;
    let third_at = second_at + second.items + 1;
    let third = part(third_at).filter(|_| joins(third_at - 1))?;
    let end = third_at + third.items;
    let continues = scan.is_sign(end, ':') && scan.joined(end);
    let pair =
        number::between(&scan.data.number, &scan.data.number.ratio, &first.words(scan), &second.words(scan));
    let words = number::between(&scan.data.number, &scan.data.number.ratio, &pair, &third.words(scan));
    (!continues).then(|| Reading::new(words, end - at).of(Class::Ratio))
}

/// Reads a range of dates with a dash: `01.09.25-30.09.25`, `28 नवंबर - 3 दिसंबर`.
pub(crate) fn of_dates(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // check for a dash first, because this is cheaper than reading dates
    if !(at + 1..scan.items.len()).any(|place| is_dash(scan, place)) {
        return None;
    }
    let from = date::with_day(scan, at)?;
    let dash = at + from.items;
    let to = date::with_day(scan, dash + 1).filter(|_| is_dash(scan, dash))?;
    let end = dash + 1 + to.items;
    let words = if is_repeated_after(scan, end) {
        format!("{} {}", from.words, to.words)
    } else {
        between(scan, &from.words, &to.words)
    };
    Some(Reading::new(words, end - at))
}

/// Reads a ratio: `3:2`, `16:9`.
pub(crate) fn ratio(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(proportions) = proportions(scan, at) {
        return Some(proportions);
    }
    let first = Numeral::read(scan, at)?;
    let colon = at + first.items;
    let spaced = scan.spaced(colon);
    let second = Numeral::read(scan, colon + 1).filter(|_| scan.is_sign(colon, ':'))?;
    let end = colon + 1 + second.items;
    let longer =
        scan.is_sign(end, ':') && scan.joined(end) || at > 0 && scan.joined(at) && scan.is_sign(at - 1, ':');
    if spaced != scan.spaced(colon + 1) || spaced && scan.words > 0 || longer {
        return None;
    }
    if let Some(words) = minutes_and_seconds(scan, &first, &second).filter(|_| !spaced) {
        return Some(Reading::new(words, end - at).of(Class::Time));
    }
    let pattern = &scan.data.number.ratio;
    // "3:2 का अनुपात" already contains the word for a ratio
    let names_ratio = |word: &str| pattern.split(' ').any(|part| part == word) && !scan.is_function(word);
    let named = (0..scan.items.len()).filter_map(|place| scan.word(place)).any(names_ratio);
    let (from, to) = (first.words(scan), second.words(scan));
    let words =
        if named { format!("{from} {to}") } else { number::between(&scan.data.number, pattern, &from, &to) };
    Some(Reading::new(words, end - at).of(Class::Ratio))
}
