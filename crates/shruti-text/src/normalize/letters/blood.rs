//! Blood groups (`O-`, `AB+`, `B-ve`) and test results (`+ve`).

use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling;
use crate::script::Script;

/// Number of items before and after a blood group that are searched for a word about blood.
const NEAR: usize = 5;

/// Reads the blood group or the test result at `at`. A and B with a plus or minus sign are blood groups only near a
/// word about blood, because they may also be grades (`A+`, `B+`).
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // without a group, the sign is a test result: the test is +ve
    if scan.spaced(at)
        && let Some(name) = with_ve(scan, at)
    {
        return Some(Reading::new(name, 2));
    }
    let group = scan.latin(at).filter(|word| matches!(*word, "A" | "B" | "AB" | "O"))?;
    let sign = scan.sign(at + 1).filter(|_| scan.joined(at + 1))?;
    if let Some(name) = with_ve(scan, at + 1) {
        return Some(Reading::new(format!("{} {name}", letters(scan, group)), 3));
    }
    let closed = scan.spaced(at + 2) || !(scan.is_word(at + 2) || scan.number(at + 2).is_some());
    let hyphened = scan.sign(at + 2) == Some('-') && scan.joined(at + 2);
    let ended = scan.is_word(at + 2) && scan.latin(at + 2).is_none();
    if !(closed || hyphened || ended) {
        return None;
    }
    let blood = &scan.data.blood;
    let near = at.saturating_sub(NEAR)..(at + 2 + NEAR).min(scan.items.len());
    let named = near.into_iter().any(|place| scan.is_one_of(&blood.words, place));
    let name = match sign {
        '+' if named || matches!(group, "O" | "AB") => &blood.positive,
        '-' | '−' | '–' if named || matches!(group, "O" | "AB") && closed => &blood.negative,
        _ => return None,
    };
    Some(Reading::new(format!("{} {name}", letters(scan, group)), 2))
}

fn letters(scan: &Scan<'_>, group: &str) -> String {
    if scan.script() == Script::Latin { group.to_owned() } else { spelling::letters(scan, group) }
}

/// Returns the name of the sign at `at` in `+ve` or `-ve`.
fn with_ve<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let ve = scan.joined(at + 1) && scan.latin(at + 1).is_some_and(|word| word.eq_ignore_ascii_case("ve"));
    let blood = &scan.data.blood;
    match scan.sign(at).filter(|_| ve)? {
        '+' => Some(&blood.positive),
        '-' | '−' | '–' => Some(&blood.negative),
        _ => None,
    }
}
