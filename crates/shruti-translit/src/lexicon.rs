//! The words of a language with their frequencies, found by the skeletons of the ways they are typed.

use crate::code::{Bits, Codes, Word};
use crate::hashed::mix;

/// A word's cost is kept in steps of so many of the others.
pub(crate) const COARSE: u32 = 4;
/// Bits of a word's cost.
pub(crate) const COST_BITS: u32 = 6;
/// What stands in place of a cost behind the last word of a slot.
pub(crate) const END: u32 = (1 << COST_BITS) - 1;

/// The words of a language: for each slot, where its words begin; then the words, by slot, the most frequent of a slot
/// first.
#[derive(Debug)]
pub(crate) struct Lexicon<'a> {
    /// How many slots there are, four bytes; then for each [`BLOCK`] slots where their words begin, three bytes, and
    /// where in those of the block each slot begins, two bytes. One more slot is the end.
    slots: &'a [u8],
    codes: Codes<'a>,
    /// A word is its cost and its letters.
    words: &'a [u8],
}

/// Slots of a block.
pub(crate) const BLOCK: usize = 64;
/// Bytes of a block.
const BLOCK_BYTES: usize = 3 + 2 * BLOCK;

/// The words of a slot, one after the other.
pub(crate) struct Slot<'a> {
    codes: &'a Codes<'a>,
    bits: Bits<'a>,
}

/// The slot of a skeleton among so many.
pub(crate) fn slot_of(skeleton: u64, slots: usize) -> usize {
    mix(skeleton).checked_rem(slots as u64).unwrap_or(0) as usize
}

impl<'a> Lexicon<'a> {
    pub(crate) fn new(slots: &'a [u8], codes: &'a [u8], words: &'a [u8]) -> Self {
        Self { slots, codes: Codes::new(codes), words }
    }

    /// The words that may be typed with this skeleton, and some others.
    pub(crate) fn slot(&self, skeleton: u64) -> Slot<'_> {
        let count = self.slots.first_chunk().map_or(0, |count| u32::from_le_bytes(*count));
        let slot = slot_of(skeleton, count as usize);
        let ends = self.begin(slot).zip(self.begin(slot + 1));
        let bytes = ends.and_then(|(begin, end)| self.words.get(begin..end)).unwrap_or_default();
        Slot { codes: &self.codes, bits: Bits::new(bytes) }
    }

    fn begin(&self, slot: usize) -> Option<usize> {
        let block = self.slots.get(4 + slot / BLOCK * BLOCK_BYTES..)?.get(..BLOCK_BYTES)?;
        let (&[low, middle, high], within) = block.split_first_chunk::<3>()?;
        let within = within.get(slot % BLOCK * 2..)?.first_chunk()?;
        Some(u32::from_le_bytes([low, middle, high, 0]) as usize + usize::from(u16::from_le_bytes(*within)))
    }
}

/// The table of where slots begin: `begins` has the end behind the last one.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write_slots(begins: &[usize]) -> Vec<u8> {
    let mut bytes = (begins.len().saturating_sub(1) as u32).to_le_bytes().to_vec();
    for block in begins.chunks(BLOCK) {
        let base = block[0];
        bytes.extend(&(base as u32).to_le_bytes()[..3]);
        for at in 0..BLOCK {
            let within = block.get(at).map_or(0, |begin| begin - base);
            assert!(u16::try_from(within).is_ok(), "{BLOCK} slots have more than 64 KiB of words");
            bytes.extend((within as u16).to_le_bytes());
        }
    }
    bytes
}

impl Slot<'_> {
    /// Reads the next word into `word`, and says what it costs that a word of a text is this one.
    pub(crate) fn next(&mut self, word: &mut Word) -> Option<u32> {
        let cost = self.bits.number(COST_BITS).filter(|cost| *cost != END)?;
        self.codes.read(&mut self.bits, word)?;
        Some(cost * COARSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_begin_where_they_were_written() {
        let begins: Vec<usize> = (0..300).map(|slot| slot * slot).collect();
        let slots = write_slots(&begins);
        let lexicon = Lexicon::new(&slots, &[], &[]);
        assert!((0..300).all(|slot| lexicon.begin(slot) == Some(begins[slot])));
        assert_eq!(lexicon.begin(10_000), None);
        assert_eq!(Lexicon::new(&[], &[], &[]).begin(0), None);
    }
}
