//! The names of formats.

use std::fmt;
use std::str::FromStr;

use crate::error::FormatError;
use crate::format::{Codec, Encoding, Format, OPUS_SAMPLE_RATE};

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

/// What stands before the last `_`, and the number behind it, written as numbers are.
fn split_number(name: &str) -> Result<(&str, u32), FormatError> {
    let (rest, number) = name.rsplit_once('_').ok_or(FormatError::Name)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse().ok().filter(|_| is_plain).ok_or(FormatError::Name)?;
    Ok((rest, number))
}
