//! Words of a language with their frequencies, indexed by the skeletons of their romanisations.

use crate::code::{Bits, Codes, Word};
use crate::hashed::mix;

/// Number of cost steps per step of a stored word cost.
pub(crate) const COARSE: u32 = 4;
/// Size of a stored word cost, in bits.
pub(crate) const COST_BITS: u32 = 6;
/// Marker that replaces the cost after the last word of a slot.
pub(crate) const END: u32 = (1 << COST_BITS) - 1;

/// Words of a language: a table of the start of each slot, then the words by slot, the most frequent first.
#[derive(Debug)]
pub(crate) struct Lexicon<'a> {
    /// Number of slots in four bytes. Then, for each block of [`BLOCK`] slots, the start of its words in three bytes
    /// and the start of each slot relative to the block in two bytes. One additional slot marks the end.
    slots: &'a [u8],
    codes: Codes<'a>,
    /// Words, each as its cost and its letters.
    words: &'a [u8],
}

/// Number of slots per block.
pub(crate) const BLOCK: usize = 64;
/// Size of a block in bytes.
const BLOCK_BYTES: usize = 3 + 2 * BLOCK;

/// Reader of the words of a slot.
pub(crate) struct Slot<'a> {
    codes: &'a Codes<'a>,
    bits: Bits<'a>,
}

/// Returns the index of the slot for a skeleton in a table of `slots` slots.
pub(crate) fn slot_of(skeleton: u64, slots: usize) -> usize {
    mix(skeleton).checked_rem(slots as u64).unwrap_or(0) as usize
}

impl<'a> Lexicon<'a> {
    pub(crate) fn new(slots: &'a [u8], codes: &'a [u8], words: &'a [u8]) -> Self {
        Self { slots, codes: Codes::new(codes), words }
    }

    /// Returns the slot with the words whose romanisations have the given skeleton. The slot may also contain other
    /// words.
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

/// Returns the bytes of the table of slot starts. The last entry of `begins` is the end of the last slot.
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
    /// Reads the next word into `word`, and returns the cost that corresponds to its frequency, or `None` at the end of
    /// the slot.
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
    fn slots_start_at_their_written_positions() {
        let begins: Vec<usize> = (0..300).map(|slot| slot * slot).collect();
        let slots = write_slots(&begins);
        let lexicon = Lexicon::new(&slots, &[], &[]);
        assert!((0..300).all(|slot| lexicon.begin(slot) == Some(begins[slot])));
        assert_eq!(lexicon.begin(10_000), None);
        assert_eq!(Lexicon::new(&[], &[], &[]).begin(0), None);
    }
}
