//! MP3: MPEG layer III frames of a constant bit rate.
//!
//! Each frame is independent (there is no bit reservoir), so a stream can be joined and cut at any frame. There is no
//! LAME tag, because the tag contains the length and is at the beginning of the stream, where the length is not yet
//! known. As a result, players do not know the encoder delay and do not remove it.

use std::time::Duration;

use rusty_mp3::encode::Mp3Encode;
use rusty_mp3::encode::lametag::{DECODER_DELAY, ENCODER_DELAY};
use rusty_mp3::header::FrameHeader;

use crate::encoder::Encoder;

/// Number of samples of silence that encoding and decoding add before the audio.
const DELAY: usize = ENCODER_DELAY + DECODER_DELAY;

/// Returns the duration of a frame.
pub(crate) fn frame(sample_rate: u32) -> Duration {
    let samples = if sample_rate < 32_000 { 576.0 } else { 1_152.0 };
    Duration::from_secs_f64(samples / f64::from(sample_rate))
}

/// Returns the duration of the silence that encoding and decoding add before the audio.
pub(crate) fn encoder_delay(sample_rate: u32) -> Duration {
    Duration::from_secs_f64(DELAY as f64 / f64::from(sample_rate))
}

/// Encoder from samples at the stream's sample rate to MP3 frames.
pub(crate) struct Mp3Encoder {
    encoder: Mp3Encode,
    header: FrameHeader,
    /// Samples of an incomplete frame.
    waiting: Vec<f32>,
    /// Difference between the nominal and the actual size of the frames so far, in units of 1/(8 × sample rate) bytes;
    /// less than one byte.
    owed: u64,
    has_sound: bool,
}

impl Mp3Encoder {
    /// Creates an encoder for a sample rate and a bit rate, in kbit/s, that MP3 supports.
    pub(crate) fn new(sample_rate: u32, bit_rate: u32) -> Self {
        let header = rusty_mp3::encoder_header(sample_rate, 1, bit_rate)
            .expect("the format has a sample rate that MP3 supports");
        let waiting = Vec::with_capacity(header.version.samples_per_frame());
        Self { encoder: Mp3Encode::new(), header, waiting, owed: 0, has_sound: false }
    }

    /// Adds samples and returns the complete frames.
    fn push(&mut self, samples: impl Iterator<Item = f32>) -> Vec<u8> {
        let full = self.header.version.samples_per_frame();
        let mut bytes = Vec::new();
        for sample in samples {
            self.waiting.push(sample);
            if self.waiting.len() == full {
                self.pad();
                let frame = self.encoder.encode_frame(&self.header, &[&self.waiting], None);
                bytes.extend(frame.expect("the frame has the length that the header requires"));
                self.waiting.clear();
            }
        }
        bytes
    }

    /// Sets the padding of the next frame. Frames consist of whole bytes; some are a byte longer, so that the average
    /// matches the bit rate.
    fn pad(&mut self) {
        let rate = 8 * u64::from(self.header.sample_rate);
        let bits =
            self.header.version.samples_per_frame() as u64 * u64::from(self.header.bitrate_kbps) * 1_000;
        self.owed += bits % rate;
        self.header.padding = self.owed >= rate;
        if self.header.padding {
            self.owed -= rate;
        }
    }
}

impl Encoder for Mp3Encoder {
    fn header(&mut self, _samples: Option<u64>) -> Vec<u8> {
        Vec::new()
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        self.has_sound |= !samples.is_empty();
        self.push(samples.iter().map(|&sample| f32::from(sample) / 32_768.0))
    }

    fn finish(&mut self) -> Vec<u8> {
        if !self.has_sound {
            return Vec::new();
        }
        let full = self.header.version.samples_per_frame();
        let silence = (self.waiting.len() + DELAY).next_multiple_of(full) - self.waiting.len();
        self.push(std::iter::repeat_n(0.0, silence))
    }

    fn encoded_bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use rusty_mp3::Mp3Decoder;

    use crate::tests::{agreement, encoded, sound};
    use crate::{BIT_RATES, Codec, Format, Resampler, SAMPLE_RATES};

    fn mp3_formats() -> impl Iterator<Item = Format> {
        let formats = SAMPLE_RATES.into_iter().flat_map(|rate| BIT_RATES.map(|kbit| Format::mp3(rate, kbit)));
        formats.filter_map(Result::ok)
    }

    fn decoded(stream: &[u8]) -> Vec<f32> {
        let mut decoder = Mp3Decoder::new();
        decoder.push(stream);
        decoder.flush();
        std::iter::from_fn(|| decoder.next_frame().ok()).flat_map(|frame| frame.samples).collect()
    }

    #[test]
    fn all_audio_follows_the_reported_delay() {
        let samples = sound(24_000);
        for format in mp3_formats() {
            let mut resampler = Resampler::new(format.sample_rate());
            let expected = [resampler.process(&samples), resampler.finish()].concat();
            let sound = decoded(&encoded(&mut *format.encoder(), &samples, 480, false));
            let delay =
                (format.encoder_delay().as_secs_f64() * f64::from(format.sample_rate())).round() as usize;
            let agreement = agreement(&expected, &sound[delay..]);
            assert!(agreement > 0.98, "{format}: {agreement}");
            let beyond = sound.len() - delay - expected.len();
            assert!(beyond < 1_152, "{format}: {beyond} samples more");
        }
    }

    #[test]
    fn the_bit_rate_is_constant() {
        for format in mp3_formats() {
            let Codec::Mp3 { bit_rate } = format.codec() else { continue };
            let bytes = encoded(&mut *format.encoder(), &sound(5 * 24_000), 480, false);
            let seconds = decoded(&bytes).len() as f64 / f64::from(format.sample_rate());
            let apart = bytes.len() as f64 * 8.0 / seconds / 1_000.0 / f64::from(bit_rate) - 1.0;
            assert!(apart.abs() < 1e-4, "{format}: {apart}");
        }
    }

    #[test]
    fn a_stream_can_be_decoded_from_any_frame() {
        let format = Format::mp3(44_100, 64).unwrap();
        let mut encoder = format.encoder();
        let mut frames = sound(24_000).chunks(480).map(|block| encoder.encode(block)).collect::<Vec<_>>();
        frames.retain(|frame| !frame.is_empty());
        let complete = decoded(&frames.concat());
        let cut = decoded(&frames[10..].concat());
        let same = &complete[complete.len() - cut.len()..];
        // the first frame overlaps with a frame that was cut off
        assert!(cut[1_152..].iter().zip(&same[1_152..]).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
