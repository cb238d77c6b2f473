//! Formats of sound: what may be asked for, and what makes it.

use std::borrow::Cow;
use std::time::Duration;

use crate::SAMPLE_RATE;
use crate::encoder::Encoder;
use crate::error::FormatError;
use crate::frames::Framed;
use crate::g711;
use crate::mp3::{self, Mp3Encoder};
use crate::opus::{self, OggOpusEncoder};
use crate::pcm::{PcmEncoder, WavEncoder};
use crate::resample::{self, Resampled};

/// Sample rates of all formats but Opus, in Hz.
pub const SAMPLE_RATES: [u32; 8] = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/// The rate at which Opus counts, whatever goes in, in Hz.
pub const OPUS_SAMPLE_RATE: u32 = 48_000;
/// The sample rate of telephones, in Hz.
const TELEPHONE_RATE: u32 = 8_000;
/// The bytes of 20 ms of G.711 at that rate.
const TELEPHONE_FRAME_BYTES: usize = 160;
/// Bit rates of what is compressed, in kbit/s.
pub const BIT_RATES: [u32; 6] = [32, 48, 64, 96, 128, 192];

/// How a sample is written, where each is written by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Signed integers of 16 bits, little-endian.
    S16Le,
    /// Floating-point numbers of 32 bits, little-endian, full scale at ±1.
    F32Le,
    /// ITU-T G.711 µ-law, 8 bits.
    MuLaw,
    /// ITU-T G.711 A-law, 8 bits.
    ALaw,
}

impl Encoding {
    /// Bytes of a sample.
    pub const fn bytes(self) -> u16 {
        match self {
            Self::S16Le => 2,
            Self::F32Le => 4,
            Self::MuLaw | Self::ALaw => 1,
        }
    }

    /// The name: `pcm_s16le`, `pcm_f32le`, `pcm_mulaw` or `pcm_alaw`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S16Le => "pcm_s16le",
            Self::F32Le => "pcm_f32le",
            Self::MuLaw => "pcm_mulaw",
            Self::ALaw => "pcm_alaw",
        }
    }
}

/// What holds the sound, and how it is coded there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Bare samples, one behind the other.
    Raw(Encoding),
    /// The same behind a WAV header.
    Wav(Encoding),
    /// Opus in Ogg.
    OggOpus {
        /// kbit/s on average.
        bit_rate: u32,
    },
    /// Frames of MPEG layer III.
    Mp3 {
        /// kbit/s, constant.
        bit_rate: u32,
    },
}

/// A format of sound, of one channel: how it is coded, its sample rate, its bit rate. Only formats that can be made
/// have a value.
///
/// It has a name, which [`Display`](std::fmt::Display) writes and [`FromStr`](std::str::FromStr) reads: `pcm_24000`,
/// `pcm_f32_24000`, `mulaw_8000`, `alaw_8000`, `wav_24000`, `wav_f32_24000`, `wav_mulaw_8000`, `wav_alaw_8000`,
/// `opus_48000_32`, `mp3_24000_64` (samples a second, then kbit/s).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    codec: Codec,
    sample_rate: u32,
}

impl Format {
    /// The samples as they are made: 16 bits, 24,000 a second.
    pub const NATIVE: Self = Self { codec: Codec::Raw(Encoding::S16Le), sample_rate: SAMPLE_RATE };
    /// The samples as they are made, behind a WAV header.
    pub const NATIVE_WAV: Self = Self { codec: Codec::Wav(Encoding::S16Le), sample_rate: SAMPLE_RATE };

    /// Bare samples at one of [`SAMPLE_RATES`].
    pub fn raw(encoding: Encoding, sample_rate: u32) -> Result<Self, FormatError> {
        Self { codec: Codec::Raw(encoding), sample_rate }.at_known_rate(encoding.name())
    }

    /// WAV at one of [`SAMPLE_RATES`].
    pub fn wav(encoding: Encoding, sample_rate: u32) -> Result<Self, FormatError> {
        Self { codec: Codec::Wav(encoding), sample_rate }.at_known_rate("wav")
    }

    /// Opus in Ogg at one of [`BIT_RATES`], in kbit/s; its rate is [`OPUS_SAMPLE_RATE`].
    pub fn ogg_opus(bit_rate: u32) -> Result<Self, FormatError> {
        let format = Self { codec: Codec::OggOpus { bit_rate }, sample_rate: OPUS_SAMPLE_RATE };
        format.at_bit_rate_of("opus", bit_rate, BIT_RATES.to_vec())
    }

    /// MP3 at one of [`SAMPLE_RATES`] and one of its [bit rates](Self::mp3_bit_rates), in kbit/s.
    pub fn mp3(sample_rate: u32, bit_rate: u32) -> Result<Self, FormatError> {
        let format = Self { codec: Codec::Mp3 { bit_rate }, sample_rate }.at_known_rate("mp3")?;
        format.at_bit_rate_of("mp3", bit_rate, Self::mp3_bit_rates(sample_rate))
    }

    /// Those of [`BIT_RATES`] that MP3 has at a sample rate: from 32,000 Hz all (MPEG-1), from 16,000 Hz up to 128
    /// (MPEG-2), below up to 64 (MPEG-2.5).
    pub fn mp3_bit_rates(sample_rate: u32) -> Vec<u32> {
        let highest = match sample_rate {
            ..16_000 => 64,
            16_000..32_000 => 160,
            32_000.. => 320,
        };
        BIT_RATES.into_iter().filter(|&bit_rate| bit_rate <= highest).collect()
    }

    fn at_known_rate(self, codec: &'static str) -> Result<Self, FormatError> {
        if SAMPLE_RATES.contains(&self.sample_rate) {
            return Ok(self);
        }
        Err(FormatError::SampleRate { codec, sample_rate: self.sample_rate, allowed: SAMPLE_RATES.to_vec() })
    }

    fn at_bit_rate_of(
        self,
        codec: &'static str,
        bit_rate: u32,
        allowed: Vec<u32>,
    ) -> Result<Self, FormatError> {
        if allowed.contains(&bit_rate) {
            return Ok(self);
        }
        Err(FormatError::BitRate { codec, sample_rate: self.sample_rate, bit_rate, allowed })
    }

    /// What holds the sound, and how it is coded there.
    pub const fn codec(self) -> Codec {
        self.codec
    }

    /// Samples a second of what is sent.
    pub const fn sample_rate(self) -> u32 {
        self.sample_rate
    }

    /// The bit rate in kbit/s of what is compressed.
    pub const fn bit_rate(self) -> Option<u32> {
        match self.codec {
            Codec::OggOpus { bit_rate } | Codec::Mp3 { bit_rate } => Some(bit_rate),
            Codec::Raw(_) | Codec::Wav(_) => None,
        }
    }

    /// How the sound is coded, whatever holds it: `pcm_s16le`, `pcm_f32le`, `pcm_mulaw`, `pcm_alaw`, `opus` or `mp3`.
    pub const fn coding(self) -> &'static str {
        match self.codec {
            Codec::Raw(encoding) | Codec::Wav(encoding) => encoding.name(),
            Codec::OggOpus { .. } => "opus",
            Codec::Mp3 { .. } => "mp3",
        }
    }

    /// The content type. `audio/basic` is µ-law at 8,000 Hz alone (RFC 2046), so G.711 at other rates has the types of
    /// RFC 4856, which name theirs.
    pub fn content_type(self) -> Cow<'static, str> {
        let rate = self.sample_rate;
        match self.codec {
            Codec::Raw(Encoding::S16Le) if rate == SAMPLE_RATE => "audio/L16; rate=24000; channels=1".into(),
            Codec::Raw(Encoding::S16Le) => format!("audio/L16; rate={rate}; channels=1").into(),
            Codec::Raw(Encoding::F32Le) => {
                format!("audio/pcm; rate={rate}; channels=1; encoding=f32le").into()
            }
            Codec::Raw(Encoding::MuLaw) if rate == 8_000 => "audio/basic".into(),
            Codec::Raw(Encoding::MuLaw) => format!("audio/PCMU; rate={rate}; channels=1").into(),
            Codec::Raw(Encoding::ALaw) if rate == 8_000 => "audio/x-alaw-basic".into(),
            Codec::Raw(Encoding::ALaw) => format!("audio/PCMA; rate={rate}; channels=1").into(),
            Codec::Wav(_) => "audio/wav".into(),
            Codec::OggOpus { .. } => "audio/ogg".into(),
            Codec::Mp3 { .. } => "audio/mpeg".into(),
        }
    }

    /// Whether a clip is better when its length is known before its first byte, because a header tells it.
    pub const fn has_length(self) -> bool {
        matches!(self.codec, Codec::Wav(_))
    }

    /// How many samples of this format's rate so many samples of 24,000 Hz become.
    pub const fn samples(self, native: u64) -> u64 {
        resample::resampled_len(native, self.sample_rate)
    }

    /// How many bytes so many samples of 24,000 Hz become, the header not counted; `None` where that is not known
    /// before.
    pub fn encoded_bytes(self, native: u64) -> Option<u64> {
        match self.codec {
            Codec::Raw(_) | Codec::Wav(_) => self.encoder().encoded_bytes(native),
            Codec::OggOpus { .. } | Codec::Mp3 { .. } => None,
        }
    }

    /// The silence before the sound that decoding adds: of MP3 alone, since a stream of it has nowhere to tell players
    /// of it. Opus states its own (the pre-skip of its header) and players leave it out.
    pub fn encoder_delay(self) -> Duration {
        match self.codec {
            Codec::Mp3 { .. } => mp3::encoder_delay(self.sample_rate),
            Codec::Raw(_) | Codec::Wav(_) | Codec::OggOpus { .. } => Duration::ZERO,
        }
    }

    /// How much sound must have gone in before the first of it comes out: the reach of the resampler's filter, and a
    /// frame of a codec. Opus sends more frames at once later, 100 ms of sound.
    pub fn latency(self) -> Duration {
        let resampling = resample::latency(self.sample_rate);
        match self.codec {
            Codec::Raw(_) | Codec::Wav(_) => resampling,
            Codec::OggOpus { .. } => opus::FRAME,
            Codec::Mp3 { .. } => resampling + mp3::frame(self.sample_rate),
        }
    }

    /// What makes its bytes of samples of 24,000 Hz.
    pub fn encoder(self) -> Box<dyn Encoder> {
        match self.codec {
            Codec::Raw(encoding) => self.resampled(PcmEncoder::new(encoding)),
            Codec::Wav(encoding) => self.resampled(WavEncoder::new(encoding, self.sample_rate)),
            Codec::OggOpus { bit_rate } => Box::new(OggOpusEncoder::new(bit_rate)),
            Codec::Mp3 { bit_rate } => self.resampled(Mp3Encoder::new(self.sample_rate, bit_rate)),
        }
    }

    /// The encoder for sound that is sent in messages: G.711 at 8,000 Hz in frames of 20 ms, as telephone carriers take it,
    /// the last of them filled up with silence.
    pub fn message_encoder(self) -> Box<dyn Encoder> {
        let silence = match self.codec {
            Codec::Raw(Encoding::MuLaw) => g711::mu_law(0),
            Codec::Raw(Encoding::ALaw) => g711::a_law(0),
            _ => return self.encoder(),
        };
        if self.sample_rate == TELEPHONE_RATE {
            Box::new(Framed::new(self.encoder(), TELEPHONE_FRAME_BYTES, silence))
        } else {
            self.encoder()
        }
    }

    fn resampled(self, encoder: impl Encoder + 'static) -> Box<dyn Encoder> {
        if self.sample_rate == SAMPLE_RATE {
            Box::new(encoder)
        } else {
            Box::new(Resampled::new(self.sample_rate, encoder))
        }
    }
}
