//! Encoders that encode each sample separately, raw or after a WAV header.

use crate::encoder::Encoder;
use crate::encoding::Encoding;
use crate::{g711, wav};

/// Encoder for PCM and G.711 without a header.
#[derive(Clone, Copy, Debug)]
pub struct PcmEncoder {
    encoding: Encoding,
}

impl PcmEncoder {
    /// Creates an encoder.
    pub const fn new(encoding: Encoding) -> Self {
        Self { encoding }
    }
}

impl Encoder for PcmEncoder {
    fn header(&mut self, _samples: Option<u64>) -> Vec<u8> {
        Vec::new()
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        match self.encoding {
            Encoding::S16Le => wav::bytes(samples),
            Encoding::F32Le => samples.iter().flat_map(|&sample| float(sample).to_le_bytes()).collect(),
            Encoding::MuLaw => samples.iter().map(|&sample| g711::mu_law(sample)).collect(),
            Encoding::ALaw => samples.iter().map(|&sample| g711::a_law(sample)).collect(),
        }
    }

    fn finish(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        samples.checked_mul(self.encoding.bytes().into())
    }
}

/// Converts a sample to floating point, with full scale at ±1.
fn float(sample: i16) -> f32 {
    f32::from(sample) / 32_768.0
}

/// Encoder for a WAV stream. If the length was not given, the header marks it as unknown.
#[derive(Clone, Copy, Debug)]
pub struct WavEncoder {
    encoding: Encoding,
    sample_rate: u32,
    /// Whether the header announced an odd number of bytes: RIFF chunks are padded to even length.
    is_padded: bool,
}

impl WavEncoder {
    /// Creates an encoder for mono samples at a sample rate.
    pub const fn new(encoding: Encoding, sample_rate: u32) -> Self {
        Self { encoding, sample_rate, is_padded: false }
    }
}

impl Encoder for WavEncoder {
    fn header(&mut self, samples: Option<u64>) -> Vec<u8> {
        let data = samples.and_then(|samples| PcmEncoder::new(self.encoding).encoded_bytes(samples));
        self.is_padded = data.is_some_and(|data| data % 2 == 1);
        wav::header(self.encoding, self.sample_rate, samples)
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        PcmEncoder::new(self.encoding).encode(samples)
    }

    fn finish(&mut self) -> Vec<u8> {
        vec![0; self.is_padded.into()]
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        PcmEncoder::new(self.encoding).encoded_bytes(samples).map(|data| data + data % 2)
    }
}
