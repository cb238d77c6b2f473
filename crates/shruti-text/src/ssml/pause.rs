//! Length of a `<break>`.

use super::Tag;

/// Maximum length of a pause in milliseconds, for a single break or for several breaks without a word between them.
pub const LONGEST_PAUSE_MS: u32 = 10_000;

/// Returns the length of a break in milliseconds, from 0 to [`LONGEST_PAUSE_MS`]. Uses `time` if it is valid, otherwise
/// `strength`, otherwise the length of a medium break.
pub(super) fn milliseconds(tag: &Tag) -> u32 {
    let time = tag.attribute("time").and_then(time);
    let strength = || tag.attribute("strength").and_then(strength);
    time.or_else(strength).unwrap_or(MEDIUM)
}

const MEDIUM: u32 = 400;

fn strength(name: &str) -> Option<u32> {
    Some(match name {
        "none" => 0,
        "x-weak" => 100,
        "weak" => 200,
        "medium" => MEDIUM,
        "strong" => 700,
        "x-strong" => 1_200,
        _ => return None,
    })
}

/// Parses `250ms` or `1.5s`. Hours and minutes, which SSML does not define, are accepted and limited to the maximum.
fn time(written: &str) -> Option<u32> {
    let written = written.trim_start_matches('+');
    let (number, unit) = written.split_at(written.find(|c: char| !(c.is_ascii_digit() || c == '.'))?);
    let number: f64 = number.parse().ok()?;
    let milliseconds = match unit.trim().to_ascii_lowercase().as_str() {
        "ms" => number,
        "s" => number * 1e3,
        "m" | "min" => number * 6e4,
        "h" => number * 3.6e6,
        _ => return None,
    };
    // an overflow to infinity is limited as well; the product is never NaN, because no unit factor is zero
    Some(milliseconds.min(f64::from(LONGEST_PAUSE_MS)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_break_length() {
        let cases = [
            ("break", 400, "neither is given"),
            ("break time='250ms'", 250, "milliseconds"),
            ("break time='1.5s'", 1_500, "seconds"),
            ("break time='+2S'", 2_000, "a sign, and capitals"),
            ("break time='.5s'", 500, "no digit before the point"),
            ("break time='0'", 400, "no unit"),
            ("break time='0ms'", 0, "nothing"),
            ("break time='9999h'", 10_000, "longer than the longest"),
            ("break time='99999999999999999999999999999999999999999s'", 10_000, "a large number"),
            ("break time='-5s'", 400, "not a length"),
            ("break time='१s'", 400, "not digits"),
            ("break time='1.2.3s' strength='weak'", 200, "not a number"),
            ("break time='1s' strength='none'", 1_000, "the time counts"),
            ("break strength='none'", 0, "no break"),
            ("break strength='x-strong'", 1_200, "the longest with a name"),
            ("break strength='loud'", 400, "not a strength"),
        ];
        for (tag, wanted, why) in cases {
            assert_eq!(milliseconds(&Tag::parse(tag)), wanted, "{why}: {tag}");
        }
    }
}
