//! Numbers with a slash that are not a fraction: the cricket score `287/6`, marks `487/500`, the house `42/3`, the
//! blood pressure `120/80`.

use std::ops::Range;

use super::address;
use crate::class::Class;
use crate::data;
use crate::data::keywords::Kinds;
use crate::normalize::identifier::name;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::equation::in_equation;
use crate::normalize::quantity::measure;
use crate::normalize::quantity::units;
use crate::normalize::scan::calendar::{is_month, value};
use crate::normalize::scan::{GROUP_EDGE, Reading, Scan};
use crate::normalize::spelling::{initials, is_capital};
use crate::normalize::{date, time};
use crate::script::Script;
use crate::table::Set;

/// Number of items before and after two numbers that are searched for a word that identifies them.
const NEAR: usize = 8;
/// Maximum distance, in items, from section numbers to a following word for a law.
const NEAR_LAW: usize = 3;
/// Maximum number of wickets in a score.
const MAX_WICKETS: u32 = 10;
/// Number of runs that a team rarely exceeds.
const MAX_RUNS: u32 = 450;
/// Minimum number of runs of a score that needs no cricket word nearby.
const TELLING_RUNS: u32 = 60;

/// Range of years in file and order numbers: no. 23/2024.
const YEARS: Range<u32> = 1900..2100;
/// Value that the numerator and the denominator of a fraction rarely exceed.
const MAX_PARTS: u32 = 100;

/// Number of months. A larger second number is not the month of a date.
const MONTHS: u32 = 12;

/// Pattern of two numbers without a word between them.
const SIDE_BY_SIDE: &str = "{a} {b}";

/// Value from which maximum marks must be a multiple of 25. Smaller maximum marks may be a multiple of 10. 950/1200 are
/// marks, but 28/1530 is a house number.
const LARGE_MAXIMUM: u32 = 1000;

/// Meaning of two numbers with a slash between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pair {
    /// Runs and wickets.
    Score,
    /// Wickets of a bowler and the runs conceded.
    Bowling,
    /// Marks out of a maximum.
    OutOf,
    /// Blood pressure.
    Pressure,
    /// House number and the part after the slash.
    House,
    /// Number of a case, a letter or a plot, and the year or the part after the slash: ନଂ ୮୬/୨୫.
    Record,
    /// File number and its year.
    File,
    /// Two sizes with one unit, two consecutive grades, or the numbers of a land record.
    Sizes,
}

/// Reads two numbers with a slash between them. A score may have a dash instead: `180-5`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = Numeral::read(scan, at)?;
    let sign = at + first.items;
    let slash = scan.is_sign(sign, '/');
    let dash = matches!(scan.sign(sign), Some('-' | '–'));
    if !(slash || dash) || scan.spaced(sign) || scan.spaced(sign + 1) {
        return None;
    }
    let second = scan.number(sign + 1)?;
    let end = sign + 2;
    // a pair of train numbers, one for each direction, is read digit by digit: 12727/12728
    let trains = slash
        && scan.number(at).is_some_and(|digits| digits.len() == name::TRAIN)
        && second.len() == name::TRAIN
        && (name::is_train(scan, at) || name::is_train(scan, sign + 1));
    if trains {
        let spoken = |digits| number::one_by_one(&scan.data.number, digits);
        let words = format!("{} {GROUP_EDGE} {}", spoken(&first.whole), spoken(second));
        return Some(Reading::new(words, end - at).of(Class::Code));
    }
    let more =
        scan.joined(end) && matches!(scan.sign(end), Some('/' | '-' | '.')) && scan.number(end + 1).is_some();
    let lettered = follows_letter(scan, at, |letter| scan.latin(letter).is_some_and(is_capital));
    // the name of a letter may precede the numbers: এ-১/২৩
    let named = follows_letter(scan, at, |letter| initials::is_latin_letter(scan, letter));
    // a label may precede the numbers: વર્ગ-૧/૨
    let labelled = follows_letter(scan, at, |label| is_label(scan, label));
    // the dot of an abbreviation may precede the numbers: Kh.No.28/20
    let dotted = at > 1 && scan.is_sign(at - 1, '.') && scan.is_word(at - 2);
    let following = at > 0
        && scan.joined(at)
        && matches!(scan.sign(at - 1), Some('/' | '-' | '.' | '₹' | '$'))
        && !dotted
        && !(lettered || named || labelled);
    let of_year = slash && is_of_year(scan, at, second);
    // a file number may start with a zero: মেমো নং 07/2025
    let dated =
        !of_year && scan.number(at).is_some_and(|digits| digits.starts_with('0')) || second.starts_with('0');
    if more || following || dated || second.len() > 4 {
        return None;
    }
    if slash && (date::is_in_span_of_days(scan, at) || time::is_slash_time(scan, at, second)) {
        return None;
    }
    let pair = match slash {
        true if of_year => Pair::File,
        true if lettered => Pair::House,
        true if are_grades(scan, at..end, labelled, &first, second) => Pair::Sizes,
        true if labelled => Pair::House,
        true if named => pair(scan, at..end, &first, second, slash)
            .filter(|&pair| pair == Pair::House)
            .unwrap_or(Pair::Record),
        _ => pair(scan, at..end, &first, second, slash)?,
    };
    // a house number with a letter is not read digit by digit: 23/4-बी, बी-47/2
    let with_letter = lettered || named || address::has_letter_after(scan, end);
    let say = |digits: &str| {
        let padded = digits.len() > 1 && digits.starts_with('0');
        if pair == Pair::House && scan.data.number.house_digits && !with_letter || padded {
            number::one_by_one(&scan.data.number, digits)
        } else {
            number::plain_cardinal(&scan.data.number, digits, System::Indian)
        }
    };
    let from = if first.decimals.is_some() { first.words(scan) } else { say(&first.whole) };
    let patterns = &scan.data.slash;
    let pattern = match pair {
        Pair::Score if speaks_of_runs(scan, at, end, &first) => {
            patterns.score_of_runs.as_ref().unwrap_or(&patterns.score).of(is_one(second))
        }
        Pair::Score => patterns.score.of(is_one(second)),
        Pair::Bowling => patterns.bowling.as_ref().unwrap_or(&patterns.score).of(is_one(&first.whole)),
        Pair::OutOf => &patterns.out_of,
        Pair::Pressure => &patterns.pressure,
        Pair::House | Pair::Record | Pair::File => &patterns.house,
        Pair::Sizes => SIDE_BY_SIDE,
    };
    let to = if pair == Pair::File { number::year(scan.data, second) } else { say(second) };
    // if the pattern adds an ending to the runs, the runs come first: 27ಕ್ಕೆ 3
    let swapped = pair == Pair::Bowling && patterns.bowling.is_none() && !pattern.starts_with("{a} ");
    let (from, to) = if swapped { (to, from) } else { (from, to) };
    let words = number::between(&scan.data.number, pattern, &from, &to);
    // a unit may follow the blood pressure: 120/80 mmHg
    let unit = if pair == Pair::Pressure { units::at(scan, end) } else { None };
    // short units are ignored, because "140/90 in the last months" has no unit
    let unit = unit.filter(|unit| unit.sign.len() > 2);
    let unit = if pair == Pair::Sizes { units::at(scan, end) } else { unit };
    // two laboratory results may have a unit with a slash: 118/164 mg/dl
    let results =
        || units::at(scan, end).filter(|unit| unit.sign.len() > 1 && scan.is_sign(end + unit.items, '/'));
    let unit = unit.or_else(|| results().filter(|_| pair == Pair::House));
    let star = usize::from(pair == Pair::OutOf && scan.is_sign(end, '★') && scan.joined(end));
    // the word for wickets is not repeated: 3-52 विकेट
    let repeated = matches!(pair, Pair::Score | Pair::Bowling)
        && scan
            .word(end)
            .is_some_and(|next| !scan.is_function(next) && words.split(' ').any(|word| word == next));
    let end = end + usize::from(repeated);
    let items = end + star - at + unit.as_ref().map_or(0, |unit| unit.items);
    let words = unit.map_or_else(|| words.clone(), |unit| unit.counted(&words, false));
    Some(match measure::per(scan, at + items).filter(|_| items > end - at) {
        Some((per, more)) => Reading::new(measure::with_per(scan, &words, &per), items + more),
        None => Reading::new(words, items),
    })
}

/// Reads the score of a batter who is not out: `82* रन`. A word for runs or the number of balls faced follows the
/// score, or the words for "not out" precede it.
pub(crate) fn not_out(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let slash = &scan.data.slash;
    let not_out = slash.not_out.as_ref()?;
    let digits = scan.number(at)?;
    let starred = scan.is_sign(at + 1, '*') && scan.joined(at + 1);
    let said = at > 0 && scan.word(at - 1).is_some_and(|word| word == not_out);
    // the balls faced may follow in parentheses: 71* (58)
    let closes = |place: usize| matches!(scan.sign(place), Some(')' | ',' | ';'));
    let closed = closes(at + 4) || scan.is_word(at + 4) && closes(at + 5);
    let balls = scan.is_sign(at + 2, '(') && scan.number(at + 3).is_some() && closed;
    // in a sentence, the balls faced may follow without a space: સાઈ 84*(49)
    let joined_balls = balls && at > 0 && scan.is_word(at - 1) && !in_equation(scan, at);
    let marked = starred && (scan.spaced(at + 2) || joined_balls);
    let counted = scan.is_one_of(&slash.runs, at + 2);
    if !marked || !(said || balls || counted) {
        return None;
    }
    let number = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let number = if counted { number::with_noun(&scan.data.number, number) } else { number };
    // English says "not out" after the runs (seventy five not out), and other languages before them
    let words = match scan.script() {
        _ if said => number,
        Script::Latin => format!("{number} {not_out}"),
        _ => format!("{not_out} {number}"),
    };
    Some(Reading::new(words, 2))
}

/// Returns whether `at` is in brackets after the runs and the wickets of a team: ভারত ২৮৬/৭ (কোহলি ১১৮*, রাহুল ৫৬).
pub(crate) fn is_in_brackets_after_score(scan: &Scan<'_>, at: usize) -> bool {
    let mut inside = (0..at).rev().take_while(|&place| !scan.is_sign(place, ')'));
    let Some(open) = inside.find(|&place| scan.is_sign(place, '(')) else { return false };
    let number = |place: usize| scan.number(place).and_then(|digits| digits.parse::<u32>().ok());
    let slash = open >= 3 && scan.is_sign(open - 2, '/') && scan.joined(open - 2) && scan.joined(open - 1);
    let score = if slash { number(open - 3).zip(number(open - 1)) } else { None };
    score.is_some_and(|(runs, wickets)| runs >= TELLING_RUNS && wickets <= MAX_WICKETS)
}

/// Returns whether a hyphen directly precedes the number at `at`, after an item that satisfies `is_letter`: A-1/23.
fn follows_letter(scan: &Scan<'_>, at: usize, is_letter: impl Fn(usize) -> bool) -> bool {
    at > 1 && scan.is_sign(at - 1, '-') && scan.joined(at - 1) && scan.joined(at) && is_letter(at - 2)
}

/// Returns whether two consecutive numbers are grades or school classes after the word for them: વર્ગ-૩/૪, ધોરણ ૧૧/૧૨.
/// If `labelled` is true, a hyphen joins the word to the numbers.
fn are_grades(scan: &Scan<'_>, place: Range<usize>, labelled: bool, first: &Numeral, second: &str) -> bool {
    let Range { start: at, end } = place;
    let named = labelled || at > 0 && scan.spaced(at) && is_label(scan, at - 1);
    let follow = || first.whole.parse::<u32>().ok().zip(second.parse::<u32>().ok());
    named
        && !scan.has_case()
        && !scan.names_address
        && first.decimals.is_none()
        && units::at(scan, end).is_none()
        && !scan.word(end).is_some_and(|word| scan.data.units.quartered.iter().any(|unit| unit == word))
        && follow().is_some_and(|(from, to)| to == from + 1 && to < MAX_PARTS)
}

fn is_one(digits: &str) -> bool {
    value(digits) == 1
}

/// Returns whether two integers are a rating, because of the signs and words next to them.
fn is_rating(scan: &Scan<'_>, place: Range<usize>, over: u32, under: u32) -> bool {
    let Range { start: at, end } = place;
    // a rating may start a segment and precede its review, 4/5 – good battery; any rating may precede a star, 4/5 ⭐
    let reviewed = at == 0 && matches!(scan.sign(end), Some('-' | '–' | '—')) && scan.spaced(end);
    // a rating at the start of a sentence may precede a word that is typical of ratings: 2/5 from my side
    let starts = at == 0 || scan.spaced(at) && matches!(scan.sign(at - 1), Some('.' | '!' | '?'));
    let before_reason = starts && scan.is_one_of(&scan.data.slash.after_rating, end);
    let rated = reviewed && scan.words > 0 || before_reason || scan.is_sign(end, '★');
    // two equal round numbers are a rating: 10/10 condition
    let full = over == under && matches!(under, 5 | 10 | 20 | 25 | 50 | 100);
    full || rated && over <= under && matches!(under, 5 | 10)
}

/// Determines the meaning of the numbers from their values and the nearby words.
fn pair(scan: &Scan<'_>, place: Range<usize>, first: &Numeral, second: &str, slash: bool) -> Option<Pair> {
    let Range { start: at, end } = place;
    let context = &scan.data.context;
    let over: u32 = first.whole.parse().ok()?;
    let under: u32 = second.parse().ok()?;
    let is_integer = first.decimals.is_none();
    let record = || scan.data.slash.land_records.get(format!("{}/{second}", first.whole).as_str());
    if slash && is_integer && record().is_some_and(|after| scan.is_one_of(after, end)) {
        return Some(Pair::Sizes);
    }
    let score = is_near(scan, at, &context.score);
    // in a sentence about cricket, a capitalised word before the numbers may be the bowler: Bumrah 5/62. In scripts
    // without capitals, any word may be a name, and the second number must not be a month: ਅਰਸ਼ਦੀਪ 3/29
    let bowler = || {
        let capital = |name: &str| name.len() > 2 && name.starts_with(|c: char| c.is_ascii_uppercase());
        let named = |place: usize| {
            let word = scan.word(place).filter(|_| under > MONTHS && !is_label(scan, place));
            word.is_some_and(|word| !word.is_ascii() && !scan.is_function(word))
                && !scan.names(place).has(Kinds::NAMES)
        };
        at > 0 && (scan.latin(at - 1).is_some_and(capital) || named(at - 1))
    };
    let score = score
        || over <= MAX_WICKETS && under > MAX_WICKETS && bowler() && scan.mentions(&context.score, at..end);
    // in a language without capitals, the numbers near a cricket word are not a score if they are a date, a named
    // fraction, or the number of a labelled thing: મેચ તા. 3/12 ના રોજ, મેચ જોવા ગેટ 3/29
    let dated = || date::is_named_day(scan, at) && is_month(second);
    let named_part = || scan.data.fraction.named.contains_key(&format!("{over}/{under}"));
    let is_other = || !scan.has_case() && (dated() || named_part() || at > 0 && is_label(scan, at - 1));
    let score = score && !is_other();
    // a cricket word without an ending directly before the numbers names a match or an examination, not a bowler, unless
    // it has a number of its own: ગણિત ટેસ્ટ 7/25, but 4 ઓવર 3/29
    let titled = !scan.has_case()
        && at > 0
        && scan.word(at - 1).is_some_and(|word| context.score.contains(word))
        && !(at > 1 && scan.number(at - 2).is_some());
    let bowled = over <= MAX_WICKETS && under > over && score && !titled;
    let runs = if bowled { Pair::Bowling } else { Pair::Score };
    let batted = under <= MAX_WICKETS && over > under && over > MAX_WICKETS;
    // the bus runs every 10-12 mins
    let measured = || units::at(scan, end).is_some_and(|unit| unit.sign.len() > 2);
    if !slash && (date::is_result(scan, at) || measured()) {
        return None;
    }
    if !slash {
        let telling = (TELLING_RUNS..=MAX_RUNS).contains(&over) && scan.words > 0 && !scan.names_address;
        let closed = end >= scan.items.len() || scan.sign(end).is_some();
        let scored = batted && (score || telling && closed) || bowled && under > MAX_WICKETS;
        return (is_integer && scored).then_some(runs);
    }
    if !is_integer {
        return (over < under && matches!(under, 5 | 10 | 20 | 50 | 100)).then_some(Pair::OutOf);
    }
    if is_rating(scan, at..end, over, under) {
        return Some(Pair::OutOf);
    }
    if titled && score && over < under && under > MONTHS && under.is_multiple_of(5) {
        return Some(Pair::OutOf);
    }
    let marks = is_near(scan, at, &context.marks);
    if over <= under && under >= 5 && marks && !scan.names_address {
        return Some(Pair::OutOf);
    }
    if (80..=250).contains(&over) && (40..=150).contains(&under) && over > under {
        return Some(Pair::Pressure);
    }
    // two numbers before GB or TB are the memory and storage of a telephone: 6/128 GB
    let stored = units::at(scan, end).is_some_and(|unit| matches!(unit.sign.as_str(), "GB" | "gb" | "TB"));
    if stored && over < under && under >= 16 {
        return Some(Pair::Sizes);
    }
    // two sections of a law are not a fraction: 25/27 Arms Act
    let law = (end..end + NEAR_LAW).any(|place| scan.names(place).has(Kinds::STATUTE));
    if law && scan.data.number.slash_between_words {
        return Some(Pair::House);
    }
    let fraction = over < under && under <= 8;
    // two numbers above a hundred are not read as a fraction: 154/423
    let parts = scan.data.number.slash_between_words && scan.words > 0;
    let parts = parts && over > MAX_PARTS && under > MAX_PARTS && !under.is_multiple_of(10);
    let labelled = (at.saturating_sub(4)..at).any(|place| is_label(scan, place)) || is_dotted_label(scan, at);
    let house = parts || scan.names_address || labelled;
    // an order number with its year: order no. 23/2024, W.P. 123/2024; 5/2024 may be a month
    let is_year = || over > 12 && !under.is_multiple_of(100) && !score;
    let of_year = second.len() == 4 && YEARS.contains(&under) && (is_numbered(scan, at) || is_year());
    if of_year {
        return Some(Pair::File);
    }
    if house && !fraction && !score {
        return Some(Pair::House);
    }
    if is_numbered(scan, at) && !scan.data.number.slash_between_words {
        return Some(Pair::Record);
    }
    // a score may be alone on a line if the language speaks slashes between words
    let alone =
        scan.data.number.slash_between_words && over <= MAX_RUNS && over + under != 100 && scan.numbers == 2;
    let telling =
        over >= TELLING_RUNS && (scan.words > 0 || alone) && !in_equation(scan, at) && !is_numbered(scan, at);
    if bowled || batted && (score || telling) {
        return Some(runs);
    }
    if scan.words > 0
        && over <= under
        && over > MAX_WICKETS
        && !YEARS.contains(&under)
        && under >= 20
        && (under.is_multiple_of(25) || under.is_multiple_of(10) && under < LARGE_MAXIMUM)
    {
        return Some(Pair::OutOf);
    }
    None
}

/// Returns whether the word for "number", in full or abbreviated, precedes the number at `at`.
pub(crate) fn is_numbered(scan: &Scan<'_>, at: usize) -> bool {
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.'));
    at > dot && scan.names(at - 1 - dot).has(Kinds::NUMBER.and(Kinds::COUNT))
}

/// Returns whether the word for "number" precedes the number at `at`, and `second` is a year that is not a round maximum
/// of marks: केस नंबर 5/2023, but not नंबर 1450/2000.
fn is_of_year(scan: &Scan<'_>, at: usize, second: &str) -> bool {
    let year = second.parse().is_ok_and(|year: u32| YEARS.contains(&year) && !year.is_multiple_of(100));
    year && second.len() == 4 && scan.names_before(at, Kinds::NUMBER.and(Kinds::COUNT))
}

fn is_label(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_one_of(&scan.data.context.labels, at)
}

/// Returns whether the dotted letters before `at` are a label for a number: the ടി.സി. (TC) of ടി.സി. 24/512.
fn is_dotted_label(scan: &Scan<'_>, at: usize) -> bool {
    let mut letters = Vec::new();
    let mut start = at;
    while start > 1 && scan.is_sign(start - 1, '.') && (start == at || scan.joined(start)) {
        let Some(letter) = scan.word(start - 2) else { break };
        letters.push(letter);
        start -= 2;
    }
    letters.reverse();
    letters.len() > 1 && data::is_in(&scan.data.context.labels, &letters.concat())
}

/// Returns whether the score at `at..end` is read with the word for wickets: a word for runs follows it, or the runs are
/// implied. Up to 31, the first number may be a day, a house number or the runs that a bowler conceded. Before a word
/// for wickets, the reading would contain it twice: 45/5 వికెట్లు.
fn speaks_of_runs(scan: &Scan<'_>, at: usize, end: usize, first: &Numeral) -> bool {
    /// Maximum number of days of a month.
    const DAYS: u32 = 31;
    let score = &scan.data.context.score;
    let implied = || {
        scan.data.slash.runs_implied
            && first.whole.parse::<u32>().is_ok_and(|runs| runs > DAYS)
            && !scan.is_one_of(score, end)
            && is_near(scan, at, score)
    };
    scan.is_one_of(&scan.data.slash.runs, end) || implied()
}

fn is_near(scan: &Scan<'_>, at: usize, list: &Set<String>) -> bool {
    let near = at.saturating_sub(NEAR)..(at + NEAR).min(scan.items.len());
    near.into_iter().any(|place| scan.is_one_of(list, place))
}
