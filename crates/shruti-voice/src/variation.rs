//! Variation between sentences.

use shruti_text::utterance::Utterance;

/// Pseudo-random variation between sentences. It depends only on the words and the position in the paragraph, so that
/// the same text always sounds the same.
pub(crate) struct Variation {
    state: u32,
    most: f32,
}

impl Variation {
    /// Creates the variation of an utterance; `most` is the maximum deviation in semitones.
    pub(crate) fn of(utterance: &Utterance, most: f32) -> Self {
        // FNV-1a over the words and the position in the paragraph
        let mut state = 0x811c_9dc5_u32 ^ utterance.sentence.wrapping_mul(0x9e37_79b1);
        for byte in utterance.words.iter().flat_map(|word| word.text.bytes().chain([b' '])) {
            state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        Self { state, most }
    }

    /// Returns the next pseudo-random number from -1 to 1.
    fn next(&mut self) -> f32 {
        self.state = self.state.wrapping_mul(0x2c92_77b5).wrapping_add(0x9e37_79b9);
        let mixed = (self.state ^ (self.state >> 15)).wrapping_mul(0x85eb_ca77);
        (mixed >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns a random deviation in semitones.
    pub(crate) fn height(&mut self) -> f32 {
        self.next() * self.most
    }

    /// Returns a random factor that differs from 1 by at most `share` times the maximum deviation.
    pub(crate) fn factor(&mut self, share: f32) -> f32 {
        1.0 + share * self.height()
    }
}
