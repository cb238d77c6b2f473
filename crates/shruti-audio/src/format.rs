//! Audio formats and their encoders.

use std::borrow::Cow;
use std::time::Duration;

use crate::SAMPLE_RATE;
use crate::encoder::Encoder;
use crate::encoding::{Encoding, OPUS_SAMPLE_RATE, SAMPLE_RATES};
use crate::error::FormatError;
use crate::frames::Framed;
use crate::g711;
use crate::mp3::{self, Mp3Encoder};
use crate::opus::{self, OggOpusEncoder};
use crate::pcm::{PcmEncoder, WavEncoder};
use crate::resample::{self, Resampled};

/// Sample rate of telephone audio, in Hz.
const TELEPHONE_RATE: u32 = 8_000;
/// Size of 20 ms of G.711 at [`TELEPHONE_RATE`], in bytes.
const TELEPHONE_FRAME_BYTES: usize = 160;
/// Bit rates that compressed formats support, in kbit/s; see also [`Format::mp3_bit_rates`].
pub const BIT_RATES: [u32; 6] = [32, 48, 64, 96, 128, 192];

/// Container and encoding of the audio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Raw samples without a container.
    Raw(Encoding),
    /// Samples after a WAV header.
    Wav(Encoding),
    /// Opus in Ogg.
    OggOpus {
        /// Average bit rate, in kbit/s.
        bit_rate: u32,
    },
    /// MPEG layer III frames.
    Mp3 {
        /// Constant bit rate, in kbit/s.
        bit_rate: u32,
    },
}

/// A mono audio format: codec, sample rate and bit rate. Every value can be encoded.
///
/// [`Display`](std::fmt::Display) writes the name of a format and [`FromStr`](std::str::FromStr) parses a name:
/// `pcm_24000`, `pcm_f32_24000`, `mulaw_8000`, `alaw_8000`, `wav_24000`, `wav_f32_24000`, `wav_mulaw_8000`,
/// `wav_alaw_8000`, `opus_48000_32`, `mp3_24000_64` (samples per second, then kbit/s).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    codec: Codec,
    sample_rate: u32,
}

impl Format {
    /// The engine's native format: raw 16-bit samples at 24,000 Hz.
    pub const NATIVE: Self = Self { codec: Codec::Raw(Encoding::S16Le), sample_rate: SAMPLE_RATE };
    /// The engine's native samples after a WAV header.
    pub const NATIVE_WAV: Self = Self { codec: Codec::Wav(Encoding::S16Le), sample_rate: SAMPLE_RATE };

    /// Creates a format of raw samples at one of [`SAMPLE_RATES`].
    pub fn raw(encoding: Encoding, sample_rate: u32) -> Result<Self, FormatError> {
        Self { codec: Codec::Raw(encoding), sample_rate }.at_known_rate(encoding.name())
    }

    /// Creates a WAV format at one of [`SAMPLE_RATES`].
    pub fn wav(encoding: Encoding, sample_rate: u32) -> Result<Self, FormatError> {
        Self { codec: Codec::Wav(encoding), sample_rate }.at_known_rate("wav")
    }

    /// Creates an Ogg Opus format at one of [`BIT_RATES`], in kbit/s; its sample rate is [`OPUS_SAMPLE_RATE`].
    pub fn ogg_opus(bit_rate: u32) -> Result<Self, FormatError> {
        let format = Self { codec: Codec::OggOpus { bit_rate }, sample_rate: OPUS_SAMPLE_RATE };
        format.at_bit_rate_of("opus", bit_rate, BIT_RATES.to_vec())
    }

    /// Creates an MP3 format at one of [`SAMPLE_RATES`] and one of its [bit rates](Self::mp3_bit_rates), in kbit/s.
    pub fn mp3(sample_rate: u32, bit_rate: u32) -> Result<Self, FormatError> {
        let format = Self { codec: Codec::Mp3 { bit_rate }, sample_rate }.at_known_rate("mp3")?;
        format.at_bit_rate_of("mp3", bit_rate, Self::mp3_bit_rates(sample_rate))
    }

    /// Returns the [`BIT_RATES`] that MP3 supports at a sample rate: all of them from 32,000 Hz (MPEG-1), up to 128
    /// kbit/s from 16,000 Hz (MPEG-2), and up to 64 kbit/s below (MPEG-2.5).
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

    /// Returns the container and encoding.
    pub const fn codec(self) -> Codec {
        self.codec
    }

    /// Returns the sample rate of the encoded audio, in Hz.
    pub const fn sample_rate(self) -> u32 {
        self.sample_rate
    }

    /// Returns the bit rate of a compressed format, in kbit/s.
    pub const fn bit_rate(self) -> Option<u32> {
        match self.codec {
            Codec::OggOpus { bit_rate } | Codec::Mp3 { bit_rate } => Some(bit_rate),
            Codec::Raw(_) | Codec::Wav(_) => None,
        }
    }

    /// Returns the encoding, regardless of the container: `pcm_s16le`, `pcm_f32le`, `pcm_mulaw`, `pcm_alaw`, `opus` or
    /// `mp3`.
    pub const fn coding(self) -> &'static str {
        match self.codec {
            Codec::Raw(encoding) | Codec::Wav(encoding) => encoding.name(),
            Codec::OggOpus { .. } => "opus",
            Codec::Mp3 { .. } => "mp3",
        }
    }

    /// Returns the content type. `audio/basic` is defined only for µ-law at 8,000 Hz (RFC 2046), so G.711 at other
    /// rates uses the types of RFC 4856, which specify the rate.
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

    /// Returns whether the header contains the length of the audio. The length should then be known before the first
    /// byte is sent.
    pub const fn has_length(self) -> bool {
        matches!(self.codec, Codec::Wav(_))
    }

    /// Returns the number of encoded samples for a number of samples at 24,000 Hz.
    pub const fn samples(self, native: u64) -> u64 {
        resample::resampled_len(native, self.sample_rate)
    }

    /// Returns the number of encoded bytes for a number of samples at 24,000 Hz, without the header; `None` if the
    /// number is not known in advance.
    pub fn encoded_bytes(self, native: u64) -> Option<u64> {
        match self.codec {
            Codec::Raw(_) | Codec::Wav(_) => self.encoder().encoded_bytes(native),
            Codec::OggOpus { .. } | Codec::Mp3 { .. } => None,
        }
    }

    /// Returns the duration of the silence that a player plays before the audio because of encoding and decoding. The
    /// duration is non-zero only for MP3, because an MP3 stream cannot signal the silence to players. Opus signals the
    /// silence as the pre-skip in the header, and players remove it.
    pub fn encoder_delay(self) -> Duration {
        match self.codec {
            Codec::Mp3 { .. } => mp3::encoder_delay(self.sample_rate),
            Codec::Raw(_) | Codec::Wav(_) | Codec::OggOpus { .. } => Duration::ZERO,
        }
    }

    /// Returns the duration of the audio that must be encoded before the first bytes are available: the reach of the
    /// resampling filter, if there is one, plus a frame of the codec, if it has frames. Later in a stream, Opus sends
    /// several frames at a time: 100 ms of audio.
    pub fn latency(self) -> Duration {
        let resampling = resample::latency(self.sample_rate);
        match self.codec {
            Codec::Raw(_) | Codec::Wav(_) => resampling,
            Codec::OggOpus { .. } => opus::FRAME,
            Codec::Mp3 { .. } => resampling + mp3::frame(self.sample_rate),
        }
    }

    /// Returns an encoder for samples at 24,000 Hz.
    pub fn encoder(self) -> Box<dyn Encoder> {
        match self.codec {
            Codec::Raw(encoding) => self.resampled(PcmEncoder::new(encoding)),
            Codec::Wav(encoding) => self.resampled(WavEncoder::new(encoding, self.sample_rate)),
            Codec::OggOpus { bit_rate } => Box::new(OggOpusEncoder::new(bit_rate)),
            Codec::Mp3 { bit_rate } => self.resampled(Mp3Encoder::new(self.sample_rate, bit_rate)),
        }
    }

    /// Returns an encoder for audio that is sent in messages. G.711 at 8,000 Hz is sent in frames of 20 ms, as
    /// telephone carriers require; the last frame is padded with silence.
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
