//! Peak limiter that keeps samples under a ceiling, smoothly and independently of the block size.
//!
//! The gain falls before a peak arrives: the limiter takes the minimum of the gains that the samples of the next 2 ms
//! need, lets this minimum recover only slowly, and averages it over 2 ms. If nothing exceeds the ceiling, samples pass
//! unchanged.

use std::collections::VecDeque;

/// Maximum amplitude: -1 dB of full scale.
const CEILING: f32 = 0.891_250_9;
/// Look-ahead in samples: 2 ms at 24,000 Hz.
const AHEAD: usize = 48;
/// Fraction of the distance to 1 by which the gain recovers per sample: half of the distance in 29 ms.
const RELEASE: f64 = 0.001;

/// A limiter for one utterance.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    /// Delayed samples, whose gain depends on the samples that follow them.
    waiting: VecDeque<f32>,
    /// Required gains that can still be the minimum of a window, in ascending order, with their positions.
    least: VecDeque<(u64, f64)>,
    /// Released gains of the window; their total is `sum`.
    window: VecDeque<f64>,
    sum: f64,
    released: f64,
    taken: u64,
}

impl Limiter {
    pub(crate) fn new() -> Self {
        let window = VecDeque::from(vec![1.0; AHEAD + 1]);
        let sum = window.len() as f64;
        Self { waiting: VecDeque::new(), least: VecDeque::new(), window, sum, released: 1.0, taken: 0 }
    }

    /// Processes more samples, with full scale at ±1. The output lags by 2 ms.
    pub(crate) fn process(&mut self, samples: &[f32], out: &mut Vec<i16>) {
        for &sample in samples {
            self.push(sample, out);
        }
    }

    /// Writes the remaining samples and resets the limiter.
    pub(crate) fn finish(&mut self, out: &mut Vec<i16>) {
        for _ in 0..AHEAD {
            self.push(0.0, out);
        }
        *self = Self::new();
    }

    fn push(&mut self, sample: f32, out: &mut Vec<i16>) {
        let peak = f64::from(sample.abs());
        let needed = if peak > f64::from(CEILING) { f64::from(CEILING) / peak } else { 1.0 };
        while self.least.back().is_some_and(|&(_, gain)| gain >= needed) {
            self.least.pop_back();
        }
        self.least.push_back((self.taken, needed));
        // the window covers this sample and the `AHEAD` samples before it
        while self.least.front().is_some_and(|&(place, _)| place + (AHEAD as u64) < self.taken) {
            self.least.pop_front();
        }
        let least = self.least.front().map_or(1.0, |&(_, gain)| gain);
        self.released = least.min(self.released + (1.0 - self.released) * RELEASE);
        self.sum += self.released - self.window.pop_front().unwrap_or(1.0);
        self.window.push_back(self.released);
        self.taken += 1;
        self.waiting.push_back(sample);
        if self.waiting.len() > AHEAD
            && let Some(sample) = self.waiting.pop_front()
        {
            let gain = (self.sum / (AHEAD + 1) as f64) as f32;
            let limited = (sample * gain).clamp(-CEILING, CEILING);
            out.push((limited * 32_767.0).round() as i16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(samples: &[f32], block: usize) -> Vec<i16> {
        let (mut limiter, mut out) = (Limiter::new(), Vec::new());
        samples.chunks(block).for_each(|block| limiter.process(block, &mut out));
        limiter.finish(&mut out);
        out
    }

    fn sine(amplitude: f32, samples: usize) -> Vec<f32> {
        (0..samples).map(|n| amplitude * (n as f32 * 0.05).sin()).collect()
    }

    #[test]
    fn samples_below_the_ceiling_are_unchanged() {
        for samples in [0, 1, 47, 48, 49, 5_000] {
            let sound = sine(0.89, samples);
            let expected: Vec<i16> = sound.iter().map(|x| (x * 32_767.0).round() as i16).collect();
            assert_eq!(limited(&sound, 100), expected, "{samples} samples");
        }
    }

    #[test]
    fn peaks_stay_below_the_ceiling_without_a_jump() {
        let mut sound = sine(0.3, 24_000);
        sound[6_000..12_000].copy_from_slice(&sine(4.0, 6_000));
        let out = limited(&sound, 480);
        assert_eq!(out.len(), sound.len());
        let most = out.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0);
        assert!((28_000..=29_204).contains(&most), "the peak is {most}");
        // clipping would leave runs of equal samples at the ceiling
        let flat =
            out.windows(3).filter(|w| w[0] == w[1] && w[1] == w[2] && w[0].unsigned_abs() > 28_000).count();
        assert_eq!(flat, 0, "peaks are clipped");
        assert_eq!(out[..5_900], limited(&sound[..5_900], 480)[..]);
        let after = out[12_000..12_200].iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0);
        assert!((2_000..5_000).contains(&after), "the level jumps to {after} after the peak");
        assert!(
            (i32::from(out[23_000]) - (sound[23_000] * 32_767.0) as i32).abs() < 20,
            "the gain does not recover"
        );
    }

    #[test]
    fn samples_are_independent_of_block_size() {
        let sound = sine(1.7, 3_000);
        let expected = limited(&sound, 3_000);
        for block in [1, 7, 48, 1_111] {
            assert_eq!(limited(&sound, block), expected, "blocks of {block}");
        }
    }
}
