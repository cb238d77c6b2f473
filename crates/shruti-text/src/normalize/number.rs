//! Whole numbers in words: Indian grouping, the joining forms of the Dravidian languages, digits one by one.

use super::data::{Data, Number, Scale};
use super::numeral::Numeral;
use super::scan::GROUP_EDGE;
use crate::prosody::group_lengths;

/// The largest number of digits that is said as a number; longer ones are read digit by digit.
const MOST_DIGITS: usize = 21;

/// Which scale words count: thousand, lakh, crore, or thousand, million, billion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum System {
    /// Thousand, lakh, crore.
    #[default]
    Indian,
    /// Thousand, million, billion, where the language has them.
    Western,
}

/// A whole number, given as ASCII digits, in words. The zero of two digits fills a column, `05 पद`; more of them are
/// those of a code.
pub(super) fn cardinal(number: &Number, digits: &str, system: System) -> String {
    let leading_zero = digits.starts_with('0') && (digits.len() > 2 || digits == "00");
    match digits.parse::<u128>() {
        Ok(value) if !leading_zero && digits.len() <= MOST_DIGITS => words(number, value, system),
        _ => one_by_one(number, digits),
    }
}

/// As [`cardinal`], but leading zeros are passed over: `05` in dates, times and money.
pub(super) fn plain_cardinal(number: &Number, digits: &str, system: System) -> String {
    let trimmed = digits.trim_start_matches('0');
    cardinal(number, if trimmed.is_empty() { "0" } else { trimmed }, system)
}

/// A number before what it counts: ஒரு, not ஒன்று.
pub(super) fn before_noun(number: &Number, digits: &str, system: System) -> String {
    match number.before_noun.get(digits) {
        Some(form) => form.clone(),
        None => with_noun(number, oblique(number, cardinal(number, digits, system))),
    }
}

/// The form that a number takes before any noun: వేల for వేలు.
pub(super) fn oblique(number: &Number, words: String) -> String {
    let form = |(ending, before): &(String, String)| {
        Some(format!("{}{before}", words.strip_suffix(ending.as_str())?))
    };
    number.noun_endings.iter().find_map(form).unwrap_or(words)
}

/// The form that a number takes before a noun that it counts: இருபத்தொரு for இருபத்தொன்று.
pub(super) fn with_noun(number: &Number, words: String) -> String {
    let form = |(ending, before): &(String, String)| {
        Some(format!("{}{before}", words.strip_suffix(ending.as_str())?))
    };
    number.counting_endings.iter().find_map(form).unwrap_or(words)
}

/// A number in words.
pub(super) fn words(number: &Number, value: u128, system: System) -> String {
    if let (100, Some(exact)) = (value, number.hundreds_exact.first()) {
        return exact.clone();
    }
    let scales = match system {
        System::Western if !number.western.is_empty() => &number.western,
        _ => &number.scales,
    };
    compose(number, scales, value)
}

fn compose(number: &Number, scales: &[Scale], value: u128) -> String {
    let fitting = scales.iter().rev().find(|scale| value >= power_of_ten(scale.power));
    if let Some(scale) = fitting {
        let unit = power_of_ten(scale.power);
        let (count, rest) = (value / unit, value % unit);
        let head = scaled(number, scales, scale, count, rest > 0);
        return if rest == 0 { head } else { join(number, &head, rest, &compose(number, scales, rest)) };
    }
    // below the smallest scale, a thousand, both indices are in range
    let below_hundred = number.words.get((value % 100) as usize).cloned().unwrap_or_default();
    if value < 100 {
        return below_hundred;
    }
    let hundreds = if !value.is_multiple_of(100) && !number.hundreds_joining.is_empty() {
        &number.hundreds_joining
    } else {
        &number.hundreds
    };
    let head = hundreds.get((value / 100 - 1) as usize).cloned().unwrap_or_default();
    if value.is_multiple_of(100) { head } else { join(number, &head, value % 100, &below_hundred) }
}

fn join(number: &Number, head: &str, rest: u128, tail: &str) -> String {
    match &number.and {
        Some(and) if rest < 100 => format!("{head} {and} {tail}"),
        _ => format!("{head} {tail}"),
    }
}

/// So many thousands, lakhs and so on.
fn scaled(number: &Number, scales: &[Scale], scale: &Scale, count: u128, joining: bool) -> String {
    if let Some((alone, joined)) = scale.irregular.get(&count.to_string()) {
        return if joining { joined.clone() } else { alone.clone() };
    }
    let word = if joining { scale.joining.as_ref().unwrap_or(&scale.alone) } else { &scale.alone };
    if count == 1 {
        let one = if joining {
            scale.one_joining.as_ref().or(scale.one_final.as_ref())
        } else {
            scale.one_final.as_ref()
        };
        if let Some(one) = one {
            return one.clone();
        }
    }
    let counted = match number.before_noun.get(&count.to_string()) {
        Some(form) => form.clone(),
        None => compose(number, scales, count),
    };
    let attached = if joining {
        scale.attach_joining.as_ref().or(scale.attach_final.as_ref())
    } else {
        scale.attach_final.as_ref()
    };
    let stem = scale.drop.iter().find_map(|ending| counted.strip_suffix(ending.as_str()));
    if let (Some(stem), Some(attached)) = (stem, attached) {
        return format!("{stem}{attached}");
    }
    format!("{} {word}", with_noun(number, counted))
}

/// So many of a scale whose word grows onto its count: இருபத்தைந்தாயிரம்.
pub(super) fn grown(number: &Number, scale: &Scale, numeral: &Numeral) -> Option<String> {
    let count: u128 = numeral.whole.parse().ok().filter(|count| (1..1000).contains(count))?;
    Some(scaled(number, &number.scales, scale, count, false))
}

const fn power_of_ten(power: u32) -> u128 {
    10_u128.saturating_pow(power)
}

/// Digits, one by one.
pub(super) fn one_by_one(number: &Number, digits: &str) -> String {
    let names = if number.digits.is_empty() { &number.words } else { &number.digits };
    let said: Vec<&str> = digits
        .chars()
        .filter_map(|c| c.to_digit(10))
        .filter_map(|digit| names.get(digit as usize))
        .map(String::as_str)
        .collect();
    said.join(" ")
}

/// Digits, one by one, in the groups in which so many are usually said.
pub(super) fn in_groups(number: &Number, digits: &str) -> String {
    let mut rest = digits;
    let groups = group_lengths(digits.len()).into_iter().map(|length| {
        let (group, behind) = rest.split_at(length.min(rest.len()));
        rest = behind;
        one_by_one(number, group)
    });
    join_groups(groups)
}

/// Groups of digits with their edges between them.
pub(super) fn join_groups(groups: impl Iterator<Item = String>) -> String {
    groups.collect::<Vec<_>>().join(&format!(" {GROUP_EDGE} "))
}

/// A whole number and its decimals, which are said one by one.
pub(super) fn decimal(number: &Number, whole: &str, decimals: &str, system: System) -> String {
    let decimals = one_by_one(number, decimals);
    if whole.is_empty() {
        return format!("{} {decimals}", number.point);
    }
    format!("{} {} {decimals}", plain_cardinal(number, whole, system), number.point)
}

/// A year: "nineteen forty-seven", उन्नीस सौ सैंतालीस, or as any other number.
pub(super) fn year(data: &Data, digits: &str) -> String {
    let number = &data.number;
    let date = &data.date;
    let Ok(value) = digits.parse::<u128>() else { return plain_cardinal(number, digits, System::Indian) };
    let below_hundred = |n: u128| number.words.get(n as usize).cloned().unwrap_or_default();
    let (century, rest) = (value / 100, value % 100);
    let of_centuries = (11..100).contains(&century) && century % 10 != 0;
    if date.year_hundreds && of_centuries {
        let century_word = date.century_alone.as_ref().filter(|_| rest == 0).or(date.century.as_ref());
        let hundred = century_word.map_or("", String::as_str);
        let count = below_hundred(century);
        let head = if hundred.contains("{n}") {
            hundred.replace("{n}", &count)
        } else {
            format!("{count} {hundred}")
        };
        return if rest == 0 { head } else { format!("{head} {}", below_hundred(rest)) };
    }
    let paired = of_centuries || (matches!(century, 10 | 20) && rest >= 10);
    if date.year_pairs && paired {
        let head = below_hundred(century);
        return match rest {
            0 => format!("{head} {}", date.year_hundred.as_deref().unwrap_or_default()),
            1..10 => {
                format!("{head} {} {}", date.year_oh.as_deref().unwrap_or_default(), below_hundred(rest))
            }
            _ => format!("{head} {}", below_hundred(rest)),
        };
    }
    if date.year_pairs && century == 20 && rest > 0 {
        return format!("{} {}", words(number, 2000, System::Western), below_hundred(rest));
    }
    plain_cardinal(number, digits, System::Indian)
}

/// Whether a joint says how an ending joins these words.
pub(super) fn is_joint(number: &Number, words: &str, ending: &str) -> bool {
    number
        .endings
        .joints
        .iter()
        .any(|(end, start, _)| words.ends_with(end.as_str()) && ending.starts_with(start.as_str()))
}

/// Puts the ending that is written behind a number onto its last word: பத்து and இல் make பத்தில்.
pub(super) fn with_ending(number: &Number, words: &str, ending: &str, drop: &[String]) -> String {
    let joined = number.endings.joints.iter().find_map(|(end, start, both)| {
        Some(format!("{}{both}{}", words.strip_suffix(end.as_str())?, ending.strip_prefix(start.as_str())?))
    });
    joined.unwrap_or_else(|| attach(words, ending, drop))
}

/// Puts `words` in the place of `{key}` in a pattern. What follows the place without a space is an ending of the
/// language, and joins the words as it would join a number: `{a}ರಿಂದ` makes ಹತ್ತರಿಂದ of ಹತ್ತು.
pub(super) fn fill(number: &Number, pattern: &str, key: &str, words: &str) -> String {
    let Some((before, after)) = pattern.split_once(key) else { return pattern.to_owned() };
    let (ending, rest) = after.split_at(after.find(' ').unwrap_or(after.len()));
    let joined = if ending.is_empty() { words.to_owned() } else { with_ending(number, words, ending, &[]) };
    format!("{before}{joined}{rest}")
}

/// The words of a span or a ratio, by its pattern with `{a}` and `{b}`.
pub(super) fn between(number: &Number, pattern: &str, from: &str, to: &str) -> String {
    fill(number, &fill(number, pattern, "{b}", to), "{a}", from)
}

/// Grows `suffix` onto the last word, taking off an ending in `drop` first.
pub(super) fn attach(words: &str, suffix: &str, drop: &[String]) -> String {
    let stem = drop.iter().find_map(|ending| words.strip_suffix(ending.as_str())).unwrap_or(words);
    format!("{stem}{suffix}")
}
