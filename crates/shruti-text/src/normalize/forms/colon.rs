//! Numbers joined by colons that are not a time of day: ratios (`3:2`), proportions (`1:1.5:3`), durations of
//! recordings (`the song Kesariya (4:28)`) and race times (`8:09.91`).

use shruti_lang::Language;

use crate::class::Class;
use crate::data;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::units;
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::time::{self, Clock};

/// Reads a ratio: `3:2`, `16:9`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    let (from, to) = (first.words(scan), second.words(scan));
    let words = if has_pattern_word(scan) {
        format!("{from} {to}")
    } else {
        number::between(&scan.data.number, &scan.data.number.ratio, &from, &to)
    };
    Some(Reading::new(words, end - at).of(Class::Ratio))
}

/// Reads three numbers with colons that are neither a time of day nor a reference to a verse: the mix `1:1.5:3`.
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

/// Returns whether the segment contains a content word of the pattern for ratios: 3:2 का अनुपात.
fn has_pattern_word(scan: &Scan<'_>) -> bool {
    let is_in_pattern =
        |word: &str| scan.data.number.ratio.split(' ').any(|part| part == word) && !scan.is_function(word);
    (0..scan.items.len()).filter_map(|place| scan.word(place)).any(is_in_pattern)
}

/// Returns whether the segment contains a word for a ratio.
fn names_ratio(scan: &Scan<'_>) -> bool {
    let is_ratio = |word: &str| word.eq_ignore_ascii_case("ratio");
    has_pattern_word(scan) || (0..scan.items.len()).filter_map(|place| scan.word(place)).any(is_ratio)
}

/// Reads `36:15` as minutes and seconds if the first number is at least 25, so that it cannot be an hour, and neither a
/// word in the segment nor a sum of 100 indicates a ratio.
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

/// Reads a race time in minutes and seconds: `8:09.91`.
pub(crate) fn race(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let minutes = scan.number(at).filter(|digits| digits.len() <= 2)?;
    let seconds = Numeral::read(scan, at + 2)
        .filter(|seconds| seconds.whole.len() == 2 && seconds.decimals.is_some())?;
    let joined = scan.is_sign(at + 1, ':') && scan.joined(at + 1) && scan.joined(at + 2);
    let minutes = Numeral::read(scan, at).filter(|numeral| numeral.whole == minutes)?;
    let words = counted_minutes(scan, &minutes, &seconds)?;
    joined.then(|| Reading::new(words, 2 + seconds.items).of(Class::Measure))
}

/// Returns whether the numbers at `at` are the time of a timer in minutes and seconds, because there are no minutes and
/// the sentence is about a timer: resend the code in 0:30, but not the train leaves at 0:30.
fn is_timer(scan: &Scan<'_>, at: usize) -> bool {
    let timers = [&scan.data.time.timers, &data::of(Language::English).time.timers];
    let follows_at = at > 0 && scan.is_one_of(&scan.data.time.at_words, at - 1);
    scan.number(at) == Some("0")
        && !follows_at
        && timers.into_iter().any(|words| scan.mentions(words, at..at + 3))
}

/// Maximum number of items from the word for a recording to its length after a dash or a colon.
const NEAR_RECORDING: usize = 5;

/// Reads the length of a recording in minutes and seconds: the song Kesariya (4:28), a track that runs for 3:05. In
/// English, the word for minutes may follow the numbers. Without that word, the sentence must be about a recording, and
/// the length must be in brackets, after a dash or a colon, or next to a word for a length. The remaining time of
/// a timer is read in the same way.
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
    if of_day || !(of_minutes || of_recording() || is_timer(scan, at)) {
        return None;
    }
    let counted = |digits: &str, unit: &units::Unit| {
        let digits = value(digits).to_string();
        let count = number::plain_cardinal(&scan.data.number, &digits, System::Indian);
        (digits != "0").then(|| unit.counted(&count, digits == "1"))
    };
    let parts = [counted(minutes, &minute), counted(seconds, &second)];
    let words = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let more = in_minutes.map_or(usize::from(spelt_out), |unit| unit.items);
    (!words.is_empty()).then(|| Reading::new(words, 3 + more).of(Class::Measure))
}
