//! Errors for invalid formats.

use std::fmt::Write as _;

/// Error for a format that cannot be encoded. The message lists the valid names or rates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No format has this name.
    #[error(
        "is not a valid audio format; expected {FORMS}, optionally followed by the sample rate and, for compressed \
         formats, the bit rate in kbit/s, such as mp3, wav_16000, mulaw_8000, mp3_24000_64 or opus_48000_32"
    )]
    Name,
    /// The codec does not support the sample rate.
    #[error("has a sample rate that {codec} does not support: {sample_rate}; supported rates are {}", list(.allowed))]
    SampleRate {
        /// Requested codec.
        codec: &'static str,
        /// Requested sample rate, in Hz.
        sample_rate: u32,
        /// Supported sample rates, in Hz.
        allowed: Vec<u32>,
    },
    /// The codec does not support the bit rate at this sample rate.
    #[error(
        "has a bit rate that {codec} does not support at {sample_rate} Hz: {bit_rate} kbit/s; supported rates are {}",
        list(.allowed)
    )]
    BitRate {
        /// Requested codec.
        codec: &'static str,
        /// Requested sample rate, in Hz.
        sample_rate: u32,
        /// Requested bit rate, in kbit/s.
        bit_rate: u32,
        /// Supported bit rates, in kbit/s.
        allowed: Vec<u32>,
    },
}

/// Valid prefixes of format names.
const FORMS: &str = "pcm, pcm_f32, mulaw, alaw, wav, wav_f32, wav_mulaw, wav_alaw, mp3 or opus";

fn list(numbers: &[u32]) -> String {
    let mut text = String::new();
    for (at, number) in numbers.iter().enumerate() {
        let before = match at {
            0 => "",
            _ if at + 1 == numbers.len() => " and ",
            _ => ", ",
        };
        // writing to a string cannot fail
        let _ = write!(text, "{before}{number}");
    }
    text
}
