//! Lists of pairs of numbers: the sets of a match, `21-18, 19-21, 21-16`.

use super::numeric::is_named_day;
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::value;

/// Maximum number of sets that are checked before and after a set of a match.
const MOST_SETS: usize = 4;

/// Number of items of a pair and the comma after it.
const LENGTH: usize = 4;

/// Maximum number of items from a result to the verb.
const NEAR_VERB: usize = 4;

/// Returns whether the pair of numbers with a dash at `at` is the result of a match: it descends, and a word for winning
/// or losing follows the ending or postposition after it: 14-11થી ફાઇનલ જીતી, 14-11 से हराया.
pub(crate) fn is_result(scan: &Scan<'_>, at: usize) -> bool {
    let number = |at: usize| scan.number(at).filter(|digits| !digits.starts_with('0') || digits.len() == 1);
    let end = at + 3;
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.joined(at + 1) && scan.joined(at + 2);
    let falls = number(at).zip(number(at + 2)).is_some_and(|(first, second)| value(first) > value(second));
    let context = &scan.data.context;
    let by = || scan.word(end).is_some_and(|word| context.result_by.contains(word));
    dash && falls
        && by()
        && !is_named_day(scan, at)
        && (end + 1..end + NEAR_VERB).any(|place| scan.is_one_of(&context.result_verbs, place))
}

/// Returns whether the pair of numbers with a hyphen at `at` is in a list of scores: another pair of the list satisfies
/// `is_score`, or the list continues a list of scores that starts before the segment.
pub(crate) fn are_scores(scan: &Scan<'_>, at: usize, is_score: impl Fn(&str, &str) -> bool) -> bool {
    let pair = |at: usize| {
        let joined = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
        scan.number(at).zip(scan.number(at + 2)).filter(|_| joined)
    };
    let is_after_comma = |at: usize| at > 0 && scan.is_sign(at - 1, ',');
    let before = (0..MOST_SETS).map_while(|place| {
        let next = at.checked_sub(LENGTH * place).filter(|&next| is_after_comma(next))?;
        let start = next.checked_sub(LENGTH)?;
        Some((start, pair(start)?))
    });
    let after = (1..=MOST_SETS)
        .map(|place| at + LENGTH * place)
        .map_while(|start| pair(start).filter(|_| is_after_comma(start)).map(|pair| (start, pair)));
    let continues = |start: usize| start == 0 && scan.sentence_context.ends_in_scores;
    continues(at)
        || before.chain(after).any(|(start, (first, second))| continues(start) || is_score(first, second))
}
