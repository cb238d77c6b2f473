//! Groups of blood: `O-`, `AB+`.

use super::electronic;
use super::scan::{Reading, Scan};
use crate::script::Script;

/// How many items around a group are looked at for a word that speaks of blood.
const NEAR: usize = 5;

/// The group at `at`. Between `A+` and `B+`, which may be marks, and `+` of a sum, a word beside them decides.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let group = scan.latin(at).filter(|word| matches!(*word, "A" | "B" | "AB" | "O"))?;
    let sign = scan.sign(at + 1).filter(|_| scan.joined(at + 1))?;
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
    let letters =
        if scan.script() == Script::Latin { group.to_owned() } else { electronic::letters(scan, group) };
    Some(Reading::new(format!("{letters} {name}"), 2))
}
