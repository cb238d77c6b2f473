//! How a language spells its words: an n-gram model over letters, with which words are read that no list has.
//!
//! Interpolated absolute discounting (Kneser & Ney, 1995), written as a back-off table: an n-gram has its own cost, and
//! what it costs to go on from it with a letter that was not seen there. The n-grams are a tree: a context is found
//! behind the context without its last letter, and has all letters that were seen behind it side by side.

use std::ops::Range;

use crate::units::{EDGE, UNITS, Unit};

/// Letters of an n-gram, the last one included.
pub(crate) const ORDER: usize = 6;

/// The most letters of a context.
pub(crate) const LONGEST_CONTEXT: usize = ORDER - 1;
/// The contexts of so many letters and fewer are shared by many beginnings of a word.
pub(crate) const SHORT_CONTEXT: usize = 2;
/// Bytes of an n-gram that is a context too: its letter, its cost, the cost of backing off, and where its context lies.
const INNER: usize = 6;
/// Bytes of one that is none: its letter and its cost.
const PLAIN: usize = 2;
/// The cost of a letter that the table does not have at all.
const UNSEEN: u16 = 1 << 12;

/// The last letters of a word's beginning, seven bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History(u64);

impl History {
    /// The beginning of a word.
    pub(crate) const START: Self = Self(EDGE as u64);

    pub(crate) fn then(self, unit: Unit) -> Self {
        let digits = self.0 << 7 | u64::from(unit);
        Self(digits & ((1 << (7 * (ORDER - 1))) - 1))
    }

    /// The letter before the last, and the last.
    pub(crate) fn last_two(self) -> [Unit; 2] {
        [(self.0 >> 7 & 0x7F) as Unit, (self.0 & 0x7F) as Unit]
    }
}

/// The model of a language.
///
/// A context is two numbers, one byte each, of the n-grams behind it that are contexts too and of those that are none,
/// then those, then these, each by their letters. The context of no letters lies first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling<'a> {
    contexts: &'a [u8],
}

/// What each letter costs behind the beginning of a word.
pub(crate) type Costs = [u16; UNITS];

/// The contexts that are known behind the beginning of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behind {
    /// For each length of context, less one, where it lies and what backing off from it costs.
    known: [Option<(u32, u8)>; LONGEST_CONTEXT],
}

impl<'a> Spelling<'a> {
    pub(crate) fn new(contexts: &'a [u8]) -> Self {
        Self { contexts }
    }

    /// The n-grams of a context: those that are contexts too, and the others.
    fn ngrams(&self, context: u32) -> Option<(&'a [u8], &'a [u8])> {
        let (&[inner, plain], rest) = self.contexts.get(context as usize..)?.split_first_chunk::<2>()?;
        let (inner, rest) = rest.split_at_checked(usize::from(inner) * INNER)?;
        Some((inner, rest.get(..usize::from(plain) * PLAIN)?))
    }

    /// The context of this letter behind another one, and what backing off from it costs.
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

    /// What is known at the beginning of a word.
    pub(crate) fn start(&self) -> Behind {
        let mut known = [None; LONGEST_CONTEXT];
        known[0] = self.longer(0, EDGE);
        Behind { known }
    }

    /// What is known when a letter has followed.
    pub(crate) fn then(&self, behind: &Behind, unit: Unit) -> Behind {
        let mut known = [None; LONGEST_CONTEXT];
        known[0] = self.longer(0, unit);
        for (longer, context) in known[1..].iter_mut().zip(&behind.known) {
            *longer = context.and_then(|(context, _)| self.longer(context, unit));
        }
        Behind { known }
    }

    /// What letters cost anywhere.
    pub(crate) fn alone(&self) -> Costs {
        let mut costs = [UNSEEN; UNITS];
        self.lay_over(0, &mut costs);
        costs
    }

    /// What each letter costs there, given what it costs behind the last letters alone ([`Spelling::alone`], or what this said of
    /// shorter contexts): `lengths` are the contexts that are still to be looked at, by their lengths less one.
    pub(crate) fn costs(&self, behind: &Behind, shorter: &Costs, lengths: Range<usize>) -> Costs {
        let mut costs = *shorter;
        for &(context, back) in behind.known[lengths].iter().flatten() {
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

/// The table of these n-grams, by their letters: what each costs, and what backing off from it costs where it is a
/// context.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write(ngrams: &std::collections::BTreeMap<Vec<Unit>, (u8, Option<u8>)>) -> Vec<u8> {
    fn context(
        letters: &mut Vec<Unit>,
        ngrams: &std::collections::BTreeMap<Vec<Unit>, (u8, Option<u8>)>,
        bytes: &mut Vec<u8>,
    ) {
        let behind = ngrams.range(letters.clone()..).take_while(|(ngram, _)| ngram.starts_with(letters));
        let behind: Vec<_> = behind
            .filter(|(ngram, _)| ngram.len() == letters.len() + 1)
            .filter_map(|(ngram, (cost, back))| Some((*ngram.last()?, *cost, *back)))
            .collect();
        let inner: Vec<_> =
            behind.iter().filter_map(|&(unit, cost, back)| Some((unit, cost, back?))).collect();
        bytes.extend([inner.len() as u8, (behind.len() - inner.len()) as u8]);
        let begin = bytes.len();
        bytes.extend(inner.iter().flat_map(|&(unit, cost, back)| [unit, cost, back, 0, 0, 0]));
        let plain = behind.iter().filter(|(_, _, back)| back.is_none());
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

/// How many bytes an n-gram takes that is a context, and one that is none.
#[cfg(feature = "train")]
pub(crate) const NGRAM_BYTES: (usize, usize) = (INNER + 2, PLAIN);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_letter_that_was_not_seen_behind_a_context_costs_backing_off() {
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
        let costs = |behind: &Behind| {
            let costs = spelling.costs(behind, &alone, 0..LONGEST_CONTEXT);
            let shorter = spelling.costs(behind, &alone, 0..SHORT_CONTEXT);
            assert_eq!(costs, spelling.costs(behind, &shorter, SHORT_CONTEXT..LONGEST_CONTEXT));
            [costs[0], costs[1], costs[2]]
        };
        let start = spelling.start();
        assert_eq!(costs(&start), [33, 6, 23]);
        let one = spelling.then(&start, 1);
        assert_eq!(costs(&one), [34, 14, 5]);
        let two = spelling.then(&one, 2);
        // the letter alone is no context, both letters are one
        assert_eq!(costs(&two), [37, 1, 27]);
        assert_eq!(costs(&spelling.then(&two, 9)), [30, 10, 20]);
    }

    #[test]
    fn no_table_knows_no_context() {
        for bytes in [&[][..], &[200, 200, 0], &[1, 0, EDGE, 4, 4, 0, 0, 0]] {
            let spelling = Spelling::new(bytes);
            let mut behind = spelling.start();
            for unit in 0..12 {
                behind = spelling.then(&behind, unit % 3);
                let costs = spelling.costs(&behind, &spelling.alone(), 0..LONGEST_CONTEXT);
                assert!(costs.iter().all(|cost| *cost <= UNSEEN + 4 * 255));
            }
        }
    }
}
