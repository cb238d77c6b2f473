//! From samples to the bytes of a format, as they come.

use crate::wav;

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

/// The bare samples, little-endian.
#[derive(Clone, Copy, Debug, Default)]
pub struct PcmEncoder;

impl Encoder for PcmEncoder {
    fn header(&mut self, _samples: Option<u64>) -> Vec<u8> {
        Vec::new()
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        wav::bytes(samples)
    }

    fn finish(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        samples.checked_mul(2)
    }
}

/// A WAV stream: its header says that the length is not known, where it was not given.
#[derive(Clone, Copy, Debug)]
pub struct WavEncoder {
    sample_rate: u32,
}

impl WavEncoder {
    /// One channel of so many samples a second.
    pub fn new(sample_rate: u32) -> Self {
        Self { sample_rate }
    }
}

impl Encoder for WavEncoder {
    fn header(&mut self, samples: Option<u64>) -> Vec<u8> {
        wav::header(self.sample_rate, samples)
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        PcmEncoder.encode(samples)
    }

    fn finish(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        PcmEncoder.encoded_bytes(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_do_not_depend_on_the_blocks_and_their_number_is_known() {
        let samples: Vec<i16> = (0..1_000).map(|n| (n * 37 % 4_001 - 2_000) as i16).collect();
        let encoders: [fn() -> Box<dyn Encoder>; 2] =
            [|| Box::new(PcmEncoder), || Box::new(WavEncoder::new(24_000))];
        for (new, header) in encoders.into_iter().zip([0, wav::HEADER_BYTES]) {
            let encoded = |block: usize| {
                let mut encoder = new();
                let mut bytes = encoder.header(Some(1_000));
                assert_eq!(bytes.len(), header);
                samples.chunks(block).for_each(|block| bytes.extend(encoder.encode(block)));
                bytes.extend(encoder.finish());
                assert_eq!(encoder.encoded_bytes(1_000), Some((bytes.len() - header) as u64));
                bytes
            };
            assert_eq!(encoded(7), encoded(1_000));
            assert_eq!(encoded(480)[header..], wav::bytes(&samples));
        }
    }
}
