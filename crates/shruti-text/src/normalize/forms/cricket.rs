//! Dismissals of a batter, and the balls faced and the hits: `c Gill b Varun`, `lbw b Maharaj`, `104* (112b, 9x4)`, `104
//! (61 ಎ, 10 ಬೌಂ)`.

use std::ops::Range;

use crate::normalize::number::{self, System};
use crate::normalize::quantity::units;
use crate::normalize::scan::{Reading, Scan};

/// Number of items before or after an abbreviation that are searched for the other part of a dismissal.
const NEAR: usize = 8;

/// Maximum number of characters from the runs of a batter to one of the numbers in brackets after them.
const LONGEST_FIGURES: usize = 60;

/// Reads an abbreviation before the name of a fielder or a bowler, or a number in the brackets after the runs of a
/// batter.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    dismissal(scan, at).or_else(|| balls(scan, at)).or_else(|| figure(scan, at))
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
    let (one, many) = scan.data.cricket.as_ref()?.balls.as_ref()?;
    let digits = scan.number(at)?;
    let opened =
        at > 1 && scan.is_sign(at - 1, '(') && (scan.number(at - 2).is_some() || scan.is_sign(at - 2, '*'));
    let counted = scan.latin(at + 1) == Some("b") && scan.joined(at + 1);
    let closed = matches!(scan.sign(at + 2), Some(')' | ','));
    let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let name = if digits == "1" { one } else { many };
    (opened && counted && closed).then(|| Reading::new(format!("{count} {name}"), 2))
}

/// Reads a number with an abbreviation in the brackets after the runs of a batter, in a sentence about cricket: the 61 ಎ
/// of `104 (61 ಎ, 10 ಬೌಂ)`.
fn figure(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let figures = &scan.data.cricket.as_ref()?.figures;
    let digits = scan.number(at).filter(|digits| digits.len() <= 3)?;
    let (one, many) = units::names(figures.get(scan.word(at + 1)?)?);
    let dot = usize::from(scan.is_sign(at + 2, '.') && scan.joined(at + 2));
    let closed = matches!(scan.sign(at + 2 + dot), Some(')' | ',' | ';'));
    if !closed || !is_in_figures(scan, at) || !is_mentioned(scan, at..at + 2) {
        return None;
    }
    let count = number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let name = if digits == "1" { one } else { many };
    Some(Reading::new(format!("{count} {name}"), 2 + dot))
}

/// Returns whether the sentence has a word about scores, or about a batter, outside the given items.
pub(crate) fn is_mentioned(scan: &Scan<'_>, except: Range<usize>) -> bool {
    let cricket = scan.data.cricket.as_ref();
    scan.mentions(&scan.data.context.score, except.clone())
        || cricket.is_some_and(|cricket| scan.mentions(&cricket.words, except))
}

/// Returns whether a number is in the brackets after the runs of a batter, with only such numbers before it.
pub(crate) fn is_in_figures(scan: &Scan<'_>, at: usize) -> bool {
    let Some(cricket) = &scan.data.cricket else { return false };
    let tail = |text: &str| {
        let start = text.char_indices().rev().nth(LONGEST_FIGURES - 1).map_or(0, |(start, _)| start);
        text[start..].to_owned()
    };
    let start = at.saturating_sub(LONGEST_FIGURES);
    let before = if start == 0 { tail(scan.sentence_before()) } else { String::new() };
    let text = tail(&format!("{before}{}", scan.raw(start, at)));
    let Some((runs, inside)) = text.rsplit_once('(') else { return false };
    let is_figure = |part: &str| {
        let is_cross = |c: char| matches!(c, 'x' | 'X' | '×');
        part.chars().all(is_cross) || cricket.figures.contains_key(part)
    };
    let is_separator = |c: char| c.is_ascii_digit() || matches!(c, ' ' | ',' | ';' | '.');
    let batted = runs.trim_end().ends_with(|c: char| c.is_ascii_digit() || c == '*');
    batted && inside.split(is_separator).all(is_figure)
}

/// Returns whether the part of the sentence before a segment gives the balls that a batter faced: `45 (62b, `.
pub(crate) fn follows_balls(scan: &Scan<'_>) -> bool {
    let before = scan.sentence_before();
    let inside = before.rsplit_once('(').map(|(_, inside)| inside).filter(|inside| !inside.contains(')'));
    inside
        .and_then(|inside| inside.split_once("b,"))
        .is_some_and(|(count, _)| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}
