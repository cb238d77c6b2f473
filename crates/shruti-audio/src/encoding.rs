//! Encodings and rates of samples.

/// Sample rates that all formats except Opus support, in Hz.
pub const SAMPLE_RATES: [u32; 8] = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/// Nominal sample rate of Opus streams, regardless of the input rate, in Hz.
pub const OPUS_SAMPLE_RATE: u32 = 48_000;

/// Encoding of a sample in formats that encode each sample separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Signed 16-bit integers, little-endian.
    S16Le,
    /// 32-bit floating-point numbers, little-endian, full scale at ±1.
    F32Le,
    /// ITU-T G.711 µ-law, 8 bits.
    MuLaw,
    /// ITU-T G.711 A-law, 8 bits.
    ALaw,
}

impl Encoding {
    /// Returns the size of a sample, in bytes.
    pub const fn bytes(self) -> u16 {
        match self {
            Self::S16Le => 2,
            Self::F32Le => 4,
            Self::MuLaw | Self::ALaw => 1,
        }
    }

    /// Returns the name: `pcm_s16le`, `pcm_f32le`, `pcm_mulaw` or `pcm_alaw`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S16Le => "pcm_s16le",
            Self::F32Le => "pcm_f32le",
            Self::MuLaw => "pcm_mulaw",
            Self::ALaw => "pcm_alaw",
        }
    }
}
