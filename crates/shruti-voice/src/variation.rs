//! What differs from sentence to sentence.

use shruti_text::utterance::Utterance;

/// What differs from sentence to sentence without any reason but its words, so that the same text sounds the same.
pub(crate) struct Variation {
    state: u32,
    most: f32,
}

impl Variation {
    /// That of an utterance; `most` is how many semitones ends may differ by to either side.
    pub(crate) fn of(utterance: &Utterance, most: f32) -> Self {
        // FNV-1a over the words and the place in the paragraph
        let mut state = 0x811c_9dc5_u32 ^ utterance.sentence.wrapping_mul(0x9e37_79b1);
        for byte in utterance.words.iter().flat_map(|word| word.text.bytes().chain([b' '])) {
            state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        Self { state, most }
    }

    /// The next number from -1 to 1.
    fn next(&mut self) -> f32 {
        self.state = self.state.wrapping_mul(0x2c92_77b5).wrapping_add(0x9e37_79b9);
        let mixed = (self.state ^ (self.state >> 15)).wrapping_mul(0x85eb_ca77);
        (mixed >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Some semitones.
    pub(crate) fn height(&mut self) -> f32 {
        self.next() * self.most
    }

    /// A factor about 1, at most `share` away from it where ends differ by a semitone.
    pub(crate) fn factor(&mut self, share: f32) -> f32 {
        1.0 + share * self.height()
    }
}
