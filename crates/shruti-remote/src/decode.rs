//! Decoder that converts the bytes of a response to samples at 24,000 Hz.

use std::time::Duration;

use shruti_audio::is_audible;
use shruti_audio::{Resampler, SAMPLE_RATE};

use crate::error::RequestError;

/// Maximum size of a WAV header in bytes. The header includes the chunks before the audio data.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// Format codes in the chunk `fmt `: PCM, and the extensible format. The extensible format can also contain PCM.
const PCM: u16 = 1;
const EXTENSIBLE: u16 = 0xfffe;

/// Streaming decoder that accepts input in pieces of any size.
#[derive(Debug)]
pub(crate) struct Decoder {
    rate: u32,
    head: Head,
    /// Bytes that are not yet processed: the first bytes of the stream, part of a header, or half of a sample.
    held: Vec<u8>,
    resampler: Option<Resampler>,
    /// Remaining number of bytes of audio data, if a header specifies it.
    left: Option<u64>,
    /// Number of samples at 24,000 Hz so far. `most` is the maximum duration of the audio.
    made: u64,
    most: Duration,
    is_audible: bool,
}

/// Current part of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// The first four bytes. They distinguish WAV from raw samples.
    Unknown,
    /// An incomplete WAV header.
    Wav,
    Samples,
}

impl Decoder {
    /// Creates a decoder for samples at `rate`, in samples per second. `resampler` converts them to 24,000 Hz, if
    /// necessary. The audio may last at most `most`.
    pub(crate) fn new(rate: u32, resampler: Option<Resampler>, most: Duration) -> Self {
        let (head, held) = (Head::Unknown, Vec::new());
        Self { rate, head, held, resampler, left: None, made: 0, most, is_audible: false }
    }

    /// Returns the duration of the audio so far, in milliseconds.
    pub(crate) fn produced_ms(&self) -> u64 {
        self.made * 1_000 / u64::from(SAMPLE_RATE)
    }

    /// Decodes more bytes. The result may be empty.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<i16>, RequestError> {
        self.held.extend_from_slice(bytes);
        if self.head == Head::Unknown {
            let magic = b"RIFF";
            let seen = self.held.len().min(magic.len());
            if self.held[..seen] == magic[..seen] {
                if seen < magic.len() {
                    return Ok(Vec::new());
                }
                self.head = Head::Wav;
            } else {
                self.head = Head::Samples;
            }
        }
        if self.head == Head::Wav && !self.read_header()? {
            return Ok(Vec::new());
        }
        self.samples()
    }

    /// Returns the remaining samples at the end of the input. Half a sample is dropped.
    pub(crate) fn finish(&mut self) -> Result<Vec<i16>, RequestError> {
        if self.head == Head::Wav {
            return Err(RequestError::InvalidAudio("an incomplete WAV header".to_owned()));
        }
        let mut samples = if self.head == Head::Unknown { self.samples()? } else { Vec::new() };
        if let Some(mut resampler) = self.resampler.take() {
            samples.extend(resampler.finish());
        }
        self.count(&samples)?;
        if self.is_audible { Ok(samples) } else { Err(RequestError::Silence) }
    }

    fn samples(&mut self) -> Result<Vec<i16>, RequestError> {
        let mut complete = self.held.len() / 2 * 2;
        if let Some(left) = &mut self.left {
            complete = complete.min(usize::try_from(*left).unwrap_or(usize::MAX) / 2 * 2);
            *left -= complete as u64;
        }
        let (pairs, _) = self.held[..complete].as_chunks::<2>();
        let samples: Vec<i16> = pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        self.held.drain(..complete);
        if self.left.is_some_and(|left| left < 2) {
            // chunks of the file after the audio data are ignored
            self.held.clear();
        }
        let samples = match &mut self.resampler {
            Some(resampler) => resampler.process(&samples),
            None => samples,
        };
        self.count(&samples)?;
        Ok(samples)
    }

    fn count(&mut self, samples: &[i16]) -> Result<(), RequestError> {
        self.made += samples.len() as u64;
        self.is_audible |= samples.iter().copied().any(is_audible);
        let most = self.most.as_millis() as u64;
        if self.produced_ms() > most { Err(RequestError::TooMuch(self.most)) } else { Ok(()) }
    }

    /// Parses a WAV header. Returns `false` if it is incomplete.
    fn read_header(&mut self) -> Result<bool, RequestError> {
        let wrong = |what: &str| Err(RequestError::InvalidAudio(what.to_owned()));
        let held = &self.held;
        let number = |at: usize, bytes: usize| {
            held[at..at + bytes].iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte))
        };
        if held.len() < 12 {
            return Ok(false);
        }
        if &held[8..12] != b"WAVE" {
            return wrong("a RIFF file that is not WAV");
        }
        let (mut at, mut has_format) = (12, false);
        while at + 8 <= held.len() {
            let (id, length) = (&held[at..at + 4], number(at + 4, 4));
            if id == b"data" {
                if !has_format {
                    return wrong("a WAV file without a format");
                }
                // in a stream of unknown length, this field is zero or near its maximum
                self.left =
                    Some(u64::from(length)).filter(|&left| left != 0 && left < u64::from(u32::MAX) - 64);
                self.held.drain(..at + 8);
                self.head = Head::Samples;
                return Ok(true);
            }
            if id == b"fmt " {
                if at + 24 > held.len() {
                    return Ok(false);
                }
                let (format, channels) = (number(at + 8, 2) as u16, number(at + 10, 2));
                let (rate, bits) = (number(at + 12, 4), number(at + 22, 2));
                if !matches!(format, PCM | EXTENSIBLE) || bits != 16 || channels != 1 {
                    let found = format!("WAV of {channels} channels and {bits} bits, format {format}");
                    return Err(RequestError::InvalidAudio(found));
                }
                if rate != self.rate {
                    return Err(RequestError::Rate { found: rate, expected: self.rate });
                }
                has_format = true;
            }
            at = at.saturating_add(8).saturating_add(length as usize).saturating_add(length as usize % 2);
        }
        if at.max(held.len()) > MAX_HEADER_BYTES { wrong("a WAV file without audio data") } else { Ok(false) }
    }
}
