//! Fractions: `1/2`, `3 1/2`, `२२ ३१/१७`, `2½`.

use super::item::{Reading, Scan};
use super::number::{self, System};
use super::ordinal;

/// A fraction, with a whole number before it where one is written.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some((over, under)) = parts(scan, at) {
        let items = 3 + usize::from(
            scan.joined(at + 3) && scan.word(at + 3).is_some_and(|word| ordinal::is_suffix(scan, word)),
        );
        return Some(Reading::new(simple(scan, over, under), items));
    }
    let whole = scan.number(at).filter(|digits| digits.len() <= 6)?;
    if let Some((over, under)) = vulgar(scan, at + 1) {
        return Some(Reading::new(mixed(scan, whole, over, under), 2));
    }
    let (over, under) = parts(scan, at + 1).filter(|_| scan.spaced(at + 1))?;
    Some(Reading::new(mixed(scan, whole, over, under), 4))
}

/// `a/b` at `at`: not part of a date or of an address.
fn parts<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let over = scan.number(at)?;
    let under = scan
        .number(at + 2)
        .filter(|_| scan.is_sign(at + 1, '/') && scan.spaced(at + 1) == scan.spaced(at + 2))?;
    let longer =
        matches!(scan.sign(at + 3), Some('/')) && scan.joined(at + 3) && scan.number(at + 4).is_some();
    let behind = at > 0 && scan.joined(at) && scan.is_sign(at - 1, '/');
    (!longer && !behind).then_some((over, under))
}

fn vulgar(scan: &Scan<'_>, at: usize) -> Option<(&'static str, &'static str)> {
    match scan.sign(at)? {
        '½' => Some(("1", "2")),
        '¼' => Some(("1", "4")),
        '¾' => Some(("3", "4")),
        _ => None,
    }
}

fn simple(scan: &Scan<'_>, over: &str, under: &str) -> String {
    let fraction = &scan.data.fraction;
    if let Some(name) = fraction.named.get(&format!("{over}/{under}")) {
        return name.clone();
    }
    let number = &scan.data.number;
    let above = number::plain_cardinal(number, over, System::Indian);
    let one = over == "1";
    if let Some((single, many)) = fraction.denominators.get(under) {
        return format!("{above} {}", if one { single } else { many });
    }
    // a language that has names for some denominators makes the others of ordinals
    if !fraction.denominators.is_empty() && !matches!(under, "0" | "1") && !under.starts_with('0') {
        return format!("{above} {}{}", ordinal::plain(scan, under), if one { "" } else { "s" });
    }
    format!("{above} {} {}", fraction.over, number::plain_cardinal(number, under, System::Indian))
}

fn mixed(scan: &Scan<'_>, whole: &str, over: &str, under: &str) -> String {
    let fraction = &scan.data.fraction;
    let number = &scan.data.number;
    let value: u128 = whole.parse().unwrap_or(0);
    let words = |n: u128| number::words(number, n, System::Indian);
    let before =
        |prefix: &Option<String>, n: u128| prefix.as_ref().map(|prefix| format!("{prefix} {}", words(n)));
    let idiom = match (over, under) {
        ("1", "2") if value > 0 && (value as usize) < fraction.halves.len() => {
            fraction.halves.get(value as usize).cloned()
        }
        ("1", "2") => before(&fraction.half_before, value).or_else(|| {
            fraction.half_after.as_ref().map(|after| format!("{} {} {after}", words(value), fraction.and))
        }),
        ("1", "4") => before(&fraction.quarter_before, value),
        ("3", "4") => before(&fraction.three_quarters_before, value.saturating_add(1)),
        _ => None,
    };
    let plain = || {
        format!(
            "{} {} {}",
            number::plain_cardinal(number, whole, System::Indian),
            fraction.and,
            simple(scan, over, under)
        )
    };
    idiom.unwrap_or_else(plain)
}
