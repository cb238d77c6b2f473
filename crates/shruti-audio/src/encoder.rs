//! The trait of streaming encoders: samples in, bytes of a format out.

/// Streaming encoder for one clip or turn. Call [`header`](Self::header) once, then [`encode`](Self::encode) for each
/// block, then [`finish`](Self::finish) once. The concatenated output is the complete file. The output does not depend
/// on how the samples are split into blocks.
pub trait Encoder: Send {
    /// Returns the bytes that precede the samples. `samples` is the total number of samples, if known.
    fn header(&mut self, samples: Option<u64>) -> Vec<u8>;

    /// Encodes a block of samples. Returns the bytes that are complete, possibly none.
    fn encode(&mut self, samples: &[i16]) -> Vec<u8>;

    /// Returns the remaining bytes after the last block.
    fn finish(&mut self) -> Vec<u8>;

    /// Returns the total number of bytes for a number of samples, without the header; `None` if the number is not known
    /// in advance.
    fn encoded_bytes(&self, samples: u64) -> Option<u64>;
}
