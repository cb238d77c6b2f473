//! Names of audio formats.

use std::fmt;
use std::str::FromStr;

use crate::SAMPLE_RATE;
use crate::encoding::{Encoding, OPUS_SAMPLE_RATE};
use crate::error::FormatError;
use crate::format::{Codec, Format};

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.sample_rate();
        match self.codec() {
            Codec::Raw(Encoding::S16Le) => write!(f, "pcm_{rate}"),
            Codec::Raw(Encoding::F32Le) => write!(f, "pcm_f32_{rate}"),
            Codec::Raw(Encoding::MuLaw) => write!(f, "mulaw_{rate}"),
            Codec::Raw(Encoding::ALaw) => write!(f, "alaw_{rate}"),
            Codec::Wav(Encoding::S16Le) => write!(f, "wav_{rate}"),
            Codec::Wav(Encoding::F32Le) => write!(f, "wav_f32_{rate}"),
            Codec::Wav(Encoding::MuLaw) => write!(f, "wav_mulaw_{rate}"),
            Codec::Wav(Encoding::ALaw) => write!(f, "wav_alaw_{rate}"),
            Codec::OggOpus { bit_rate } => write!(f, "opus_{rate}_{bit_rate}"),
            Codec::Mp3 { bit_rate } => write!(f, "mp3_{rate}_{bit_rate}"),
        }
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        let (rest, last) = split_number(name)?;
        match rest {
            "pcm" => Self::raw(Encoding::S16Le, last),
            "pcm_f32" => Self::raw(Encoding::F32Le, last),
            "mulaw" => Self::raw(Encoding::MuLaw, last),
            "alaw" => Self::raw(Encoding::ALaw, last),
            "wav" => Self::wav(Encoding::S16Le, last),
            "wav_f32" => Self::wav(Encoding::F32Le, last),
            "wav_mulaw" => Self::wav(Encoding::MuLaw, last),
            "wav_alaw" => Self::wav(Encoding::ALaw, last),
            _ => {
                let (codec, sample_rate) = split_number(rest)?;
                match codec {
                    "mp3" => Self::mp3(sample_rate, last),
                    "opus" if sample_rate != OPUS_SAMPLE_RATE => Err(FormatError::SampleRate {
                        codec: "opus",
                        sample_rate,
                        allowed: vec![OPUS_SAMPLE_RATE],
                    }),
                    "opus" => Self::ogg_opus(last),
                    _ => Err(FormatError::Name),
                }
            }
        }
    }
}

/// Defaults for names that omit them: sample rate of G.711 in Hz, and bit rates of MP3 and Opus in kbit/s.
const TELEPHONE_RATE: u32 = 8_000;
const MP3_BIT_RATE: u32 = 64;
const OPUS_BIT_RATE: u32 = 32;
/// Maximum number in a format name that is read as a bit rate, in kbit/s. Larger numbers are read as sample rates, in
/// Hz.
const MAX_BIT_RATE: u32 = 999;

impl Format {
    /// Short names of formats, for lists and suggestions.
    pub const SHORT_NAMES: [&str; 7] = ["mp3", "wav", "opus", "ogg", "pcm", "mulaw", "alaw"];

    /// Parses a format name as users and other services write it, ignoring case: its [full name](FromStr), or a name
    /// without rates or with only one rate (`mp3`, `mp3_44100`, `mp3_128`, `wav`, `opus`, `pcm`, `ulaw`). The defaults
    /// are 24,000 Hz (8,000 Hz for G.711), 64 kbit/s for MP3 and 32 kbit/s for Opus.
    pub fn parse_lenient(name: &str) -> Result<Self, FormatError> {
        let name = name.trim().to_ascii_lowercase();
        if let Ok(format) = name.parse() {
            return Ok(format);
        }
        // a trailing number is a rate, not part of the codec's name
        let (codec, number) = match split_number(&name) {
            Ok((codec, number)) => (codec, Some(number)),
            Err(_) => (name.as_str(), None),
        };
        let native = number.unwrap_or(SAMPLE_RATE);
        let telephone = number.unwrap_or(TELEPHONE_RATE);
        match codec {
            "pcm" | "raw" | "l16" | "linear16" | "s16le" | "pcm_s16le" => Self::raw(Encoding::S16Le, native),
            "f32le" | "pcm_f32" | "pcm_f32le" => Self::raw(Encoding::F32Le, native),
            "wav" | "wave" => Self::wav(Encoding::S16Le, native),
            "wav_f32" => Self::wav(Encoding::F32Le, native),
            "mulaw" | "ulaw" | "mu-law" | "pcmu" | "pcm_mulaw" => Self::raw(Encoding::MuLaw, telephone),
            "alaw" | "a-law" | "pcma" | "pcm_alaw" => Self::raw(Encoding::ALaw, telephone),
            "wav_mulaw" | "wav_ulaw" => Self::wav(Encoding::MuLaw, telephone),
            "wav_alaw" => Self::wav(Encoding::ALaw, telephone),
            "mp3" | "mpeg" => match number {
                Some(bit_rate) if bit_rate <= MAX_BIT_RATE => Self::mp3(SAMPLE_RATE, bit_rate),
                _ => Self::mp3(native, MP3_BIT_RATE),
            },
            "opus" | "ogg" => match number {
                None | Some(OPUS_SAMPLE_RATE) => Self::ogg_opus(OPUS_BIT_RATE),
                Some(bit_rate) if bit_rate <= MAX_BIT_RATE => Self::ogg_opus(bit_rate),
                Some(sample_rate) => Err(FormatError::SampleRate {
                    codec: "opus",
                    sample_rate,
                    allowed: vec![OPUS_SAMPLE_RATE],
                }),
            },
            // for a name with both rates or an unknown codec, return the error for the full name
            _ => name.parse(),
        }
    }
}

/// Splits a name at its last `_` into the text before it and the number after it. The number must have no leading
/// zeros.
fn split_number(name: &str) -> Result<(&str, u32), FormatError> {
    let (rest, number) = name.rsplit_once('_').ok_or(FormatError::Name)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse().ok().filter(|_| is_plain).ok_or(FormatError::Name)?;
    Ok((rest, number))
}
