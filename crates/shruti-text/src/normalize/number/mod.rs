//! Whole numbers in words: Indian grouping, the joining forms of the Dravidian languages, and digit-by-digit readings.

pub(crate) mod fraction;
pub(crate) mod numeral;
pub(crate) mod ordinal;
pub(crate) mod roman;
pub(crate) mod span;

use crate::data::{Data, Number, Scale};
use crate::normalize::scan::GROUP_EDGE;
use crate::prosody::group_lengths;

/// Maximum number of digits of a number that is read as a cardinal. Longer numbers are read digit by digit.
const MAX_DIGITS: usize = 21;

/// System of scale words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum System {
    /// Thousand, lakh, crore.
    #[default]
    Indian,
    /// Thousand, million, billion, if the language has these words.
    Western,
}

/// Returns a whole number, passed as ASCII digits, in words. The leading zero of a two-digit number is only padding, as
/// in `05 पद`, and is skipped. A longer number with a leading zero is a code and is read digit by digit.
pub(crate) fn cardinal(number: &Number, digits: &str, system: System) -> String {
    let leading_zero = digits.starts_with('0') && (digits.len() > 2 || digits == "00");
    match digits.parse::<u128>() {
        Ok(value) if !leading_zero && digits.len() <= MAX_DIGITS => words(number, value, system),
        _ => one_by_one(number, digits),
    }
}

/// Returns the result of [`cardinal`] for the digits without leading zeros, for example for `05` in dates, times and
/// money.
pub(crate) fn plain_cardinal(number: &Number, digits: &str, system: System) -> String {
    let trimmed = digits.trim_start_matches('0');
    cardinal(number, if trimmed.is_empty() { "0" } else { trimmed }, system)
}

/// Returns a number in the form used before a counted noun: ஒரு, not ஒன்று.
pub(crate) fn before_noun(number: &Number, digits: &str, system: System) -> String {
    match number.before_noun.get(digits) {
        Some(form) => form.clone(),
        None => with_noun(number, oblique(number, cardinal(number, digits, system))),
    }
}

/// Returns the form of a number before any noun: వేల for వేలు.
pub(crate) fn oblique(number: &Number, words: String) -> String {
    let form = |(ending, before): &(String, String)| {
        Some(format!("{}{before}", words.strip_suffix(ending.as_str())?))
    };
    number.noun_endings.iter().find_map(form).unwrap_or(words)
}

/// Returns the form of a number before a counted noun: இருபத்தொரு for இருபத்தொன்று.
pub(crate) fn with_noun(number: &Number, words: String) -> String {
    let form = |(ending, before): &(String, String)| {
        Some(format!("{}{before}", words.strip_suffix(ending.as_str())?))
    };
    number.counting_endings.iter().find_map(form).unwrap_or(words)
}

/// Returns a number in words.
pub(crate) fn words(number: &Number, value: u128, system: System) -> String {
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
    // the value is below the smallest scale, a thousand, so both indices are in range
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

/// Returns the words for a number of thousands, lakhs and so on. If `joining` is true, a smaller number follows.
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

/// Returns the words for a count from 1 to 999 with its scale word, which may fuse with the count: இருபத்தைந்தாயிரம்.
pub(crate) fn grown(number: &Number, scale: &Scale, count: &str) -> Option<String> {
    let count: u128 = count.parse().ok().filter(|count| (1..1000).contains(count))?;
    Some(scaled(number, &number.scales, scale, count, false))
}

const fn power_of_ten(power: u32) -> u128 {
    10_u128.saturating_pow(power)
}

/// Returns the words of a version, whose parts of at most two digits are read as numbers: 4.12.0.
pub(crate) fn version(data: &Data, parts: &[&str]) -> String {
    let part = |digits: &&str| {
        let short = digits.len() <= 2 && (digits.len() == 1 || !digits.starts_with('0'));
        if short {
            plain_cardinal(&data.number, digits, System::Indian)
        } else {
            one_by_one(&data.number, digits)
        }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(&format!(" {} ", data.electronic.dot))
}

/// Returns the names of the digits, separated by spaces.
pub(crate) fn one_by_one(number: &Number, digits: &str) -> String {
    let names = if number.digits.is_empty() { &number.words } else { &number.digits };
    let spoken: Vec<&str> = digits
        .chars()
        .filter_map(|c| c.to_digit(10))
        .filter_map(|digit| names.get(digit as usize))
        .map(String::as_str)
        .collect();
    spoken.join(" ")
}

/// Returns the names of the digits, in the usual groups for a number of this length.
pub(crate) fn in_groups(number: &Number, digits: &str) -> String {
    let mut rest = digits;
    let groups = group_lengths(digits.len()).into_iter().map(|length| {
        let (group, following) = rest.split_at(length.min(rest.len()));
        rest = following;
        one_by_one(number, group)
    });
    join_groups(groups)
}

/// Joins the words of groups of digits, with a marker between the groups.
pub(crate) fn join_groups(groups: impl Iterator<Item = String>) -> String {
    groups.collect::<Vec<_>>().join(&format!(" {GROUP_EDGE} "))
}

/// Returns a decimal number in words. The decimals are read digit by digit.
pub(crate) fn decimal(number: &Number, integer: &str, decimals: &str, system: System) -> String {
    let decimals = one_by_one(number, decimals);
    if integer.is_empty() {
        return format!("{} {decimals}", number.point);
    }
    let integer = oblique(number, plain_cardinal(number, integer, system));
    format!("{integer} {} {decimals}", number.point)
}

/// Returns a year in words: "nineteen forty-seven", उन्नीस सौ सैंतालीस, or in the same way as any other number.
pub(crate) fn year(data: &Data, digits: &str) -> String {
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

/// Returns whether there is a sandhi rule for the end of these words and the start of this ending.
pub(crate) fn has_sandhi_rule(number: &Number, words: &str, ending: &str) -> bool {
    number
        .endings
        .sandhi
        .iter()
        .any(|(end, start, _)| words.ends_with(end.as_str()) && ending.starts_with(start.as_str()))
}

/// Adds the ending that is written after a number to the last word of the number: பத்து and இல் become பத்தில்.
pub(crate) fn with_ending(number: &Number, words: &str, ending: &str, drop: &[String]) -> String {
    let joined = number.endings.sandhi.iter().find_map(|(end, start, both)| {
        Some(format!("{}{both}{}", words.strip_suffix(end.as_str())?, ending.strip_prefix(start.as_str())?))
    });
    joined.unwrap_or_else(|| attach(words, ending, drop))
}

/// Replaces `{key}` in a pattern with `words`. Text that follows the placeholder without a space is an ending of the
/// language and is added to the words in the same way as to a number: `{a}ರಿಂದ` with ಹತ್ತು becomes ಹತ್ತರಿಂದ.
pub(crate) fn fill(number: &Number, pattern: &str, key: &str, words: &str) -> String {
    let Some((before, after)) = pattern.split_once(key) else { return pattern.to_owned() };
    let (ending, rest) = after.split_at(after.find(' ').unwrap_or(after.len()));
    let joined = if ending.is_empty() { words.to_owned() } else { with_ending(number, words, ending, &[]) };
    format!("{before}{joined}{rest}")
}

/// Returns the words of a range or a ratio, from its pattern with `{a}` and `{b}`.
pub(crate) fn between(number: &Number, pattern: &str, from: &str, to: &str) -> String {
    fill(number, &fill(number, pattern, "{b}", to), "{a}", from)
}

/// Adds `suffix` to the last word, after removing an ending listed in `drop`.
pub(crate) fn attach(words: &str, suffix: &str, drop: &[String]) -> String {
    let stem = drop.iter().find_map(|ending| words.strip_suffix(ending.as_str())).unwrap_or(words);
    format!("{stem}{suffix}")
}
