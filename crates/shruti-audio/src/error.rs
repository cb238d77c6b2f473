//! What is wrong with a format that was asked for.

use std::fmt::Write as _;

/// A format that cannot be made. The message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No format has this name.
    #[error(
        "is not the name of a format: a name is {FORMS}, alone or with the sample rate and, of what is compressed, \
         kbit/s, such as mp3, wav_16000, mulaw_8000, mp3_24000_64 or opus_48000_32"
    )]
    Name,
    /// The codec has no such sample rate.
    #[error("has a sample rate that {codec} does not have: {sample_rate}; the rates are {}", list(.allowed))]
    SampleRate {
        /// What was to be made.
        codec: &'static str,
        /// What was asked for, in Hz.
        sample_rate: u32,
        /// What there is, in Hz.
        allowed: Vec<u32>,
    },
    /// The codec has no such bit rate at that sample rate.
    #[error(
        "has a bit rate that {codec} does not have at {sample_rate} Hz: {bit_rate} kbit/s; the rates are {}",
        list(.allowed)
    )]
    BitRate {
        /// What was to be made.
        codec: &'static str,
        /// At which rate, in Hz.
        sample_rate: u32,
        /// What was asked for, in kbit/s.
        bit_rate: u32,
        /// What there is, in kbit/s.
        allowed: Vec<u32>,
    },
}

/// The beginnings of names.
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
