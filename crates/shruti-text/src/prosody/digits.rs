//! Grouping of digits: as written, or otherwise in the usual groups of a number of that length.

use crate::data;
use crate::utterance::{Break, Word};

/// Maximum number of digits in a number that is read as one group.
const ONE_GROUP: usize = 5;

/// Maximum number of digits per group in a longer number.
const LONGEST_GROUP: usize = 4;

/// Returns the lengths of the groups of a number that is written without groups: threes for a password, fives for a
/// mobile number, fours for a card.
pub(crate) fn lengths(digits: usize) -> Vec<usize> {
    match digits {
        0 => Vec::new(),
        10 => vec![5, 5],
        _ if digits <= ONE_GROUP => vec![digits],
        _ => {
            let groups = digits.div_ceil(LONGEST_GROUP);
            let (each, longer) = (digits / groups, digits % groups);
            (0..groups).map(|group| each + usize::from(group + longer >= groups)).collect()
        }
    }
}

/// Groups runs of digits that are written as words or separately: `nine four five eight two one`.
pub(super) fn divide(words: &mut [Word]) {
    let mut start = 0;
    while start < words.len() {
        let mut end = start;
        while end < words.len() && is_digit(&words[end]) {
            end += 1;
            if words[end - 1].break_after > Break::None {
                break;
            }
        }
        // the words of one expansion are already grouped, or belong to a number that ends in the name of a digit
        let own =
            |place: usize, other: usize| words.get(other).is_none_or(|w| w.source != words[place].source);
        let apart = (start..end).all(|at| own(at, at + 1) && (at == 0 || own(at, at - 1)));
        let lengths = lengths(end - start);
        if apart && lengths.len() > 1 {
            let mut at = start;
            for length in &lengths[..lengths.len() - 1] {
                at += length;
                words[at - 1].break_after = Break::Group;
            }
        }
        start = end.max(start + 1);
    }
}

/// Returns whether a word is the name of a digit in its language.
fn is_digit(word: &Word) -> bool {
    data::of(word.language).number.is_digit(&word.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_common_digit_groups() {
        for (digits, expected) in [
            (0, vec![]),
            (4, vec![4]),
            (5, vec![5]),
            (6, vec![3, 3]),
            (7, vec![3, 4]),
            (8, vec![4, 4]),
            (9, vec![3, 3, 3]),
            (10, vec![5, 5]),
            (12, vec![4, 4, 4]),
            (14, vec![3, 3, 4, 4]),
            (16, vec![4, 4, 4, 4]),
        ] {
            assert_eq!(lengths(digits), expected, "{digits} digits");
        }
        assert!((6..2000).all(|digits| lengths(digits).iter().sum::<usize>() == digits));
    }
}
