//! Spelling model of a language: an n-gram model over letters, used for words that are not in the lexicon.
//!
//! The model uses interpolated absolute discounting (Kneser & Ney, 1995), stored as a back-off table: each n-gram has a
//! cost and, if it is also a context, a back-off cost for letters that were not seen after it. The n-grams form a tree: a
//! context is a child of the context without its last letter, and contains all letters that were seen after it.

use std::ops::Range;

use crate::units::{EDGE, UNITS, Unit};

/// Maximum number of letters in an n-gram, which consists of a context and the letter after it.
pub(crate) const ORDER: usize = 6;

/// Maximum number of letters in a context.
pub(crate) const LONGEST_CONTEXT: usize = ORDER - 1;
/// Maximum length, in letters, of contexts that many partial words share.
pub(crate) const SHORT_CONTEXT: usize = 2;
/// Size in bytes of an n-gram that is also a context: its letter, its cost, its back-off cost, and the offset of its
/// context.
const INNER: usize = 6;
/// Size in bytes of an n-gram that is not a context: its letter and its cost.
const PLAIN: usize = 2;
/// Cost of a letter that is missing from the table, in steps.
const UNSEEN: u16 = 1 << 12;

/// Last letters of a partial word, seven bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History(u64);

impl History {
    /// History at the start of a word.
    pub(crate) const START: Self = Self(EDGE as u64);

    pub(crate) fn then(self, unit: Unit) -> Self {
        let digits = self.0 << 7 | u64::from(unit);
        Self(digits & ((1 << (7 * (ORDER - 1))) - 1))
    }

    /// Returns the second to last letter and the last letter.
    pub(crate) fn last_two(self) -> [Unit; 2] {
        [(self.0 >> 7 & 0x7F) as Unit, (self.0 & 0x7F) as Unit]
    }
}

/// Spelling model of a language.
///
/// In the table, a context begins with two one-byte numbers: the number of its n-grams that are also contexts, and the
/// number of the others. The n-grams of the first kind follow, then those of the second, each in the order of their
/// letters. The empty context is first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling<'a> {
    contexts: &'a [u8],
}

/// Cost of each letter after a partial word.
pub(crate) type Costs = [u16; UNITS];

/// Known contexts at the end of a partial word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownContexts {
    /// Offset and back-off cost of the context of each length, indexed by the length minus one.
    known: [Option<(u32, u8)>; LONGEST_CONTEXT],
}

impl<'a> Spelling<'a> {
    pub(crate) fn new(contexts: &'a [u8]) -> Self {
        Self { contexts }
    }

    /// Returns the n-grams of a context: those that are also contexts, and the others.
    fn ngrams(&self, context: u32) -> Option<(&'a [u8], &'a [u8])> {
        let (&[inner, plain], rest) = self.contexts.get(context as usize..)?.split_first_chunk::<2>()?;
        let (inner, rest) = rest.split_at_checked(usize::from(inner) * INNER)?;
        Some((inner, rest.get(..usize::from(plain) * PLAIN)?))
    }

    /// Returns the offset and the back-off cost of the context that extends `context` by a letter.
    fn longer(&self, context: u32, unit: Unit) -> Option<(u32, u8)> {
        let (inner, _) = self.ngrams(context)?;
        let (mut low, mut high) = (0, inner.len() / INNER);
        while low < high {
            let middle = usize::midpoint(low, high);
            let &[letter, _, back, first, second, third] =
                inner.get(middle * INNER..)?.first_chunk::<INNER>()?;
            match letter.cmp(&unit) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return Some((u32::from_le_bytes([first, second, third, 0]), back));
                }
            }
        }
        None
    }

    /// Returns the contexts at the start of a word.
    pub(crate) fn start(&self) -> KnownContexts {
        let mut known = [None; LONGEST_CONTEXT];
        known[0] = self.longer(0, EDGE);
        KnownContexts { known }
    }

    /// Returns the contexts after `unit` has been added to the word.
    pub(crate) fn then(&self, contexts: &KnownContexts, unit: Unit) -> KnownContexts {
        let mut known = [None; LONGEST_CONTEXT];
        known[0] = self.longer(0, unit);
        for (longer, context) in known[1..].iter_mut().zip(&contexts.known) {
            *longer = context.and_then(|(context, _)| self.longer(context, unit));
        }
        KnownContexts { known }
    }

    /// Returns the costs of letters without context.
    pub(crate) fn alone(&self) -> Costs {
        let mut costs = [UNSEEN; UNITS];
        self.lay_over(0, &mut costs);
        costs
    }

    /// Returns the cost of each letter after `contexts`. `shorter` contains the costs after shorter contexts, from
    /// [`Spelling::alone`] or an earlier call. `lengths` contains the lengths of the contexts to add, minus one.
    pub(crate) fn costs(&self, contexts: &KnownContexts, shorter: &Costs, lengths: Range<usize>) -> Costs {
        let mut costs = *shorter;
        for &(context, back) in contexts.known[lengths].iter().flatten() {
            for cost in &mut costs {
                *cost += u16::from(back);
            }
            self.lay_over(context, &mut costs);
        }
        costs
    }

    fn lay_over(&self, context: u32, costs: &mut Costs) {
        let Some((inner, plain)) = self.ngrams(context) else { return };
        for ngram in inner.chunks_exact(INNER).chain(plain.chunks_exact(PLAIN)) {
            costs[usize::from(ngram[0]) % UNITS] = u16::from(ngram[1]);
        }
    }
}

/// Returns the table of `ngrams`. Each n-gram is given by its letters, with its cost and, if it is a context, its
/// back-off cost.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write(ngrams: &std::collections::BTreeMap<Vec<Unit>, (u8, Option<u8>)>) -> Vec<u8> {
    fn context(
        letters: &mut Vec<Unit>,
        ngrams: &std::collections::BTreeMap<Vec<Unit>, (u8, Option<u8>)>,
        bytes: &mut Vec<u8>,
    ) {
        let contexts = ngrams.range(letters.clone()..).take_while(|(ngram, _)| ngram.starts_with(letters));
        let contexts: Vec<_> = contexts
            .filter(|(ngram, _)| ngram.len() == letters.len() + 1)
            .filter_map(|(ngram, (cost, back))| Some((*ngram.last()?, *cost, *back)))
            .collect();
        let inner: Vec<_> =
            contexts.iter().filter_map(|&(unit, cost, back)| Some((unit, cost, back?))).collect();
        bytes.extend([inner.len() as u8, (contexts.len() - inner.len()) as u8]);
        let begin = bytes.len();
        bytes.extend(inner.iter().flat_map(|&(unit, cost, back)| [unit, cost, back, 0, 0, 0]));
        let plain = contexts.iter().filter(|(_, _, back)| back.is_none());
        bytes.extend(plain.flat_map(|&(unit, cost, _)| [unit, cost]));
        for (place, &(unit, ..)) in inner.iter().enumerate() {
            let at = (bytes.len() as u32).to_le_bytes();
            bytes[begin + place * INNER + 3..][..3].copy_from_slice(&at[..3]);
            letters.push(unit);
            context(letters, ngrams, bytes);
            letters.pop();
        }
    }
    let mut bytes = Vec::new();
    context(&mut Vec::new(), ngrams, &mut bytes);
    bytes
}

/// Sizes in bytes of an n-gram that is a context, including the two numbers at the start of the context, and of an
/// n-gram that is not a context.
#[cfg(feature = "train")]
pub(crate) const NGRAM_BYTES: (usize, usize) = (INNER + 2, PLAIN);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_letter_unseen_after_a_context_costs_a_back_off() {
        let ngrams: BTreeMap<Vec<Unit>, (u8, Option<u8>)> = [
            (vec![EDGE], (30, Some(3))),
            (vec![1], (10, Some(4))),
            (vec![2], (20, None)),
            (vec![1, 2], (5, Some(7))),
            (vec![EDGE, 1], (6, None)),
            (vec![1, 2, 1], (1, None)),
        ]
        .into();
        let table = write(&ngrams);
        let spelling = Spelling::new(&table);
        let alone = spelling.alone();
        let costs = |contexts: &KnownContexts| {
            let costs = spelling.costs(contexts, &alone, 0..LONGEST_CONTEXT);
            let shorter = spelling.costs(contexts, &alone, 0..SHORT_CONTEXT);
            assert_eq!(costs, spelling.costs(contexts, &shorter, SHORT_CONTEXT..LONGEST_CONTEXT));
            [costs[0], costs[1], costs[2]]
        };
        let start = spelling.start();
        assert_eq!(costs(&start), [33, 6, 23]);
        let one = spelling.then(&start, 1);
        assert_eq!(costs(&one), [34, 14, 5]);
        let two = spelling.then(&one, 2);
        // the last letter alone is not a context, but both letters together are
        assert_eq!(costs(&two), [37, 1, 27]);
        assert_eq!(costs(&spelling.then(&two, 9)), [30, 10, 20]);
    }

    #[test]
    fn damaged_tables_return_bounded_costs() {
        for bytes in [&[][..], &[200, 200, 0], &[1, 0, EDGE, 4, 4, 0, 0, 0]] {
            let spelling = Spelling::new(bytes);
            let mut contexts = spelling.start();
            for unit in 0..12 {
                contexts = spelling.then(&contexts, unit % 3);
                let costs = spelling.costs(&contexts, &spelling.alone(), 0..LONGEST_CONTEXT);
                assert!(costs.iter().all(|cost| *cost <= UNSEEN + 4 * 255));
            }
        }
    }
}
