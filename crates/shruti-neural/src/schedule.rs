//! Chunk sizes of a decoder: small at first, so that the audio starts early, then larger, to amortise
//! the cost of the context that is recomputed for each chunk.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Size of the first chunk, in frames.
const FIRST: usize = 25;
/// Maximum size of a chunk, in frames, not counting a short tail that is added to it.
const LARGEST: usize = 100;
/// Minimum size of a last chunk, in frames. A shorter tail is added to the chunk before it.
const SHORTEST_TAIL: usize = 10;

/// Schedule of chunk sizes: the size of the next chunk and the maximum size, in frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunks {
    size: usize,
    largest: usize,
}

impl Chunks {
    /// Returns a schedule that starts with 25 frames. Each further chunk is 50 % larger, up to `largest` frames (at
    /// least 25).
    pub fn up_to(largest: usize) -> Self {
        Self { size: FIRST, largest: largest.max(FIRST) }
    }

    /// Returns a schedule in which every chunk has `frames` frames, at least 1.
    pub fn of(frames: usize) -> Self {
        Self { size: frames.max(1), largest: frames.max(1) }
    }

    /// Returns a schedule with a single chunk of all frames.
    pub fn whole() -> Self {
        Self::of(usize::MAX)
    }

    /// Returns the chunk that begins at a frame. A remaining tail of fewer than 10 frames is added to the chunk.
    pub(crate) fn next(self, start: usize, total: usize) -> Range<usize> {
        let end = start.saturating_add(self.size);
        if end.saturating_add(SHORTEST_TAIL) > total { start..total } else { start..end }
    }

    /// Returns the schedule after the next chunk.
    pub(crate) fn grown(self) -> Self {
        Self { size: (self.size.saturating_add(self.size / 2)).min(self.largest), ..self }
    }
}

impl Default for Chunks {
    fn default() -> Self {
        Self::up_to(LARGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(mut chunks: Chunks, total: usize) -> Vec<usize> {
        let (mut at, mut sizes) = (0, Vec::new());
        while at < total {
            let chunk = chunks.next(at, total);
            assert_eq!(chunk.start, at);
            sizes.push(chunk.len());
            at = chunk.end;
            chunks = chunks.grown();
        }
        sizes
    }

    #[test]
    fn chunks_grow_and_no_tail_is_short() {
        for (chunks, total, expected) in [
            (Chunks::default(), 1, vec![1]),
            (Chunks::default(), 34, vec![34]),
            (Chunks::default(), 35, vec![25, 10]),
            (Chunks::default(), 400, vec![25, 37, 55, 82, 100, 101]),
            (Chunks::up_to(40), 200, vec![25, 37, 40, 40, 40, 18]),
            (Chunks::of(30), 99, vec![30, 30, 39]),
            (Chunks::whole(), 5_000, vec![5_000]),
        ] {
            assert_eq!(sizes(chunks, total), expected, "{chunks:?} of {total}");
        }
    }
}
