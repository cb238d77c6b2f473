//! Measurements of audio clips.

use std::fmt;
use std::time::Duration;

use shruti_audio::is_audible;
use shruti_lang::SAMPLE_RATE;

/// Samples of a clip at 24 kHz, one channel.
#[derive(Clone, PartialEq, Eq)]
pub struct Audio {
    /// Samples of the clip.
    pub samples: Vec<i16>,
}

/// Formats the measurements, so that a failed test does not print thousands of samples.
impl fmt::Debug for Audio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audio({} samples, {:.1} dB)", self.samples.len(), self.level_db())
    }
}

impl Audio {
    /// Reads raw samples, 16-bit little-endian. Panics if the last sample is incomplete.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        assert!(bytes.len().is_multiple_of(2), "{} bytes are not a whole number of samples", bytes.len());
        let samples = bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        Self { samples }
    }

    /// Returns the duration.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(SAMPLE_RATE))
    }

    /// Returns the level over all samples in dBFS; minus infinity for silence.
    pub fn level_db(&self) -> f64 {
        let squares: f64 = self.samples.iter().map(|&sample| (f64::from(sample) / 32_768.0).powi(2)).sum();
        10.0 * (squares / self.samples.len().max(1) as f64).log10()
    }

    /// Returns the duration of the silence before the first audible sample.
    pub fn lead(&self) -> Duration {
        let silent = self.samples.iter().take_while(|&&sample| !is_audible(sample)).count();
        Duration::from_secs_f64(silent as f64 / f64::from(SAMPLE_RATE))
    }

    /// Returns the duration of the longest silence between two audible samples.
    pub fn longest_gap(&self) -> Duration {
        let audible = |&sample: &i16| is_audible(sample);
        let Some(first) = self.samples.iter().position(audible) else { return Duration::ZERO };
        let last = self.samples.iter().rposition(audible).unwrap_or(first);
        let (mut longest, mut current) = (0_usize, 0_usize);
        for sample in &self.samples[first..=last] {
            current = if audible(sample) { 0 } else { current + 1 };
            longest = longest.max(current);
        }
        Duration::from_secs_f64(longest as f64 / f64::from(SAMPLE_RATE))
    }

    /// Returns the number of samples with the minimum or maximum value.
    pub fn clipped(&self) -> usize {
        self.samples.iter().filter(|&&sample| sample == i16::MAX || sample == i16::MIN).count()
    }

    /// Panics with `what` in the message if the clip does not sound like speech. Speech is longer than 100 ms, is
    /// louder than −40 dBFS, begins within 20 ms, has no silence of a second or more, and is not clipped.
    pub fn assert_speech(&self, what: &str) {
        assert!(self.duration() > Duration::from_millis(100), "{what}: lasts only {:?}", self.duration());
        assert!(self.level_db() > -40.0, "{what}: level {:.1} dB", self.level_db());
        assert!(self.lead() <= Duration::from_millis(20), "{what}: begins with {:?} of silence", self.lead());
        assert!(self.longest_gap() < Duration::from_secs(1), "{what}: {:?} of silence", self.longest_gap());
        assert_eq!(self.clipped(), 0, "{what}: clipped samples");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_known_clip() {
        let mut samples = vec![0; 240];
        samples.extend([16_384; 2_400]);
        samples.extend([0; 4_800]);
        samples.extend([i16::MIN; 2_400]);
        samples.extend(vec![0; 12_000]);
        let audio = Audio { samples };
        assert_eq!(audio.lead(), Duration::from_millis(10));
        assert_eq!(audio.longest_gap(), Duration::from_millis(200));
        assert_eq!(audio.clipped(), 2_400);
        assert_eq!(audio.duration(), Duration::from_millis(910));
        assert!((Audio { samples: vec![16_384; 10] }.level_db() + 6.02).abs() < 0.01);
        assert_eq!(Audio::from_bytes(&[0, 1, 255, 255]).samples, [256, -1]);
        assert_eq!(Audio { samples: Vec::new() }.longest_gap(), Duration::ZERO);
    }
}
