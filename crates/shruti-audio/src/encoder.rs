//! From samples to the bytes of a format, as they come.

/// Encodes the samples of one clip or turn while they come: [`header`](Self::header) once, then
/// [`encode`](Self::encode) for each block, then [`finish`](Self::finish) once. What these give, joined, is the
/// whole; it does not depend on how the samples are cut into blocks.
pub trait Encoder: Send {
    /// What comes before the samples. `samples`: how many there will be, where that is known.
    fn header(&mut self, samples: Option<u64>) -> Vec<u8>;

    /// More samples; may give nothing yet.
    fn encode(&mut self, samples: &[i16]) -> Vec<u8>;

    /// What was held back, once no more samples come.
    fn finish(&mut self) -> Vec<u8>;

    /// How many bytes so many samples will be in all, the header not counted; `None` where that is not known before.
    fn encoded_bytes(&self, samples: u64) -> Option<u64>;
}
