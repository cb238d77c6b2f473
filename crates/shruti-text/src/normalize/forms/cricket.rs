//! Dismissals of a batter and the balls faced: `c Gill b Varun`, `lbw b Maharaj`, `104* (112b, 9x4)`.

use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};

/// Number of items before or after an abbreviation that are searched for the other part of a dismissal.
const NEAR: usize = 8;

/// Reads an abbreviation before the name of a fielder or a bowler, or the balls that a batter faced.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    dismissal(scan, at).or_else(|| balls(scan, at))
}

/// Reads an abbreviation of a dismissal: the c or the b of `c Gill b Varun`, `c & b Jadeja` or `c sub b Varun`.
fn dismissal(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let cricket = scan.data.cricket.as_ref()?;
    let written = scan.latin(at).filter(|_| scan.spaced(at) && scan.spaced(at + 1))?;
    let words = cricket.dismissals.get(written)?;
    let is_name = |place: usize| {
        scan.latin(place)
            .is_some_and(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let is_bowler = |place: usize| scan.latin(place) == Some(cricket.bowler.as_str()) && is_name(place + 1);
    let is_dismissal = |place: usize| {
        scan.latin(place).is_some_and(|word| word != written && cricket.dismissals.contains_key(word))
    };
    let complete = if written == cricket.bowler {
        let led = (at.saturating_sub(NEAR)..at).any(is_dismissal);
        is_name(at + 1) && (led || scan.mentions(&scan.data.context.score, at..at + 1))
    } else {
        let both = scan.is_sign(at + 1, '&') && is_bowler(at + 2);
        let substitute = scan.latin(at + 1) == Some(cricket.substitute.as_str());
        both || (at + 2..at + NEAR).any(is_bowler) && (is_name(at + 1) || substitute)
    };
    complete.then(|| Reading::new(words.clone(), 1))
}

/// Reads the balls that a batter faced, in parentheses after the runs: the 112b of `104* (112b, 9x4)`.
fn balls(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (one, many) = &scan.data.cricket.as_ref()?.balls;
    let digits = scan.number(at)?;
    let opened =
        at > 1 && scan.is_sign(at - 1, '(') && (scan.number(at - 2).is_some() || scan.is_sign(at - 2, '*'));
    let counted = scan.latin(at + 1) == Some("b") && scan.joined(at + 1);
    let closed = matches!(scan.sign(at + 2), Some(')' | ','));
    let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let name = if digits == "1" { one } else { many };
    (opened && counted && closed).then(|| Reading::new(format!("{count} {name}"), 2))
}

/// Returns whether the part of the sentence before a segment gives the balls that a batter faced: `45 (62b, `.
pub(crate) fn follows_balls(scan: &Scan<'_>) -> bool {
    let before = scan.sentence_before();
    let inside = before.rsplit_once('(').map(|(_, inside)| inside).filter(|inside| !inside.contains(')'));
    inside
        .and_then(|inside| inside.split_once("b,"))
        .is_some_and(|(count, _)| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}
