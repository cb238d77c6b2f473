//! Time-scale modification: faster audio at the same pitch.

use std::collections::VecDeque;

/// Shortest and longest pitch period that is searched for, in samples at 24,000 Hz: 400 Hz and 65 Hz.
const SHORTEST: usize = 60;
const LONGEST: usize = 369;
/// Step of the coarse search for a period, in samples.
const STRIDE: usize = 4;
/// Number of input samples that a step needs.
const SPAN: usize = 2 * LONGEST + STRIDE;

/// Time-scale modification that removes pitch periods of a voice and cross-fades at the joins: pointer interval
/// controlled overlap and add (PICOLA; Morita and Itakura 1986). The average magnitude difference function (Ross et al.
/// 1974) finds the period.
///
/// All arithmetic uses integers, so that the same input gives the same output on every processor. The output does not
/// depend on how the input is divided into pieces.
#[derive(Debug)]
pub struct TimeScale {
    /// Speed factor, in units of 1/65,536; at least 1.0.
    factor: u64,
    /// Input samples that are not consumed yet.
    pending: VecDeque<i16>,
    /// Number of input samples consumed, and number of output samples produced.
    used: u64,
    made: u64,
    /// Number of samples to copy unchanged before the next step.
    copied: usize,
    /// Start of each recent step, as the numbers of samples consumed and produced.
    steps: VecDeque<(u64, u64)>,
}

/// The factor 1.0 in units of 1/65,536.
const UNIT: u64 = 1 << 16;

/// Maximum number of steps kept for [`TimeScale::position`]. One chunk of the engine contains fewer steps.
const MOST_STEPS: usize = 256;

impl TimeScale {
    /// Creates a time scale with a speed factor from 1.0 (unchanged) to 6.0. Other factors are clamped; NaN counts as
    /// 1.0.
    pub fn new(factor: f32) -> Self {
        let factor = if factor.is_nan() { 1.0 } else { factor.clamp(1.0, 6.0) };
        Self {
            factor: (factor * UNIT as f32) as u64,
            pending: VecDeque::new(),
            used: 0,
            made: 0,
            copied: 0,
            steps: VecDeque::from([(0, 0)]),
        }
    }

    /// Accepts input samples and appends the resulting output to `out`.
    pub fn push(&mut self, samples: &[i16], out: &mut Vec<i16>) {
        if self.factor == UNIT {
            out.extend_from_slice(samples);
            self.used += samples.len() as u64;
            self.made = self.used;
            return;
        }
        self.pending.extend(samples);
        loop {
            let count = self.copied.min(self.pending.len());
            self.copy(count, out);
            if self.copied > 0 || self.pending.len() < SPAN {
                return;
            }
            self.step(out);
        }
    }

    /// Ends the input and appends the remaining output to `out`.
    pub fn finish(&mut self, out: &mut Vec<i16>) {
        let rest = self.pending.len();
        if rest > 0 {
            self.mark();
            self.copy(rest, out);
        }
    }

    /// Returns `true` if the input sample has been consumed, so that its output position is final.
    pub fn has_passed(&self, sample: u64) -> bool {
        sample < self.used
    }

    /// Returns the output position of an input sample. If the sample is not consumed yet, this is the end of the output
    /// so far.
    pub fn position(&self, sample: u64) -> u64 {
        let behind = self.steps.partition_point(|&(used, _)| used <= sample);
        let &(used, made) = self.steps.get(behind.saturating_sub(1)).unwrap_or(&(0, 0));
        let end = self.steps.get(behind).copied().unwrap_or((self.used, self.made));
        let (length, scaled) = (end.0 - used, end.1 - made);
        let within = sample.saturating_sub(used).min(length);
        made + within.saturating_mul(scaled).checked_div(length).unwrap_or(0)
    }

    /// Copies `count` pending samples to the output.
    fn copy(&mut self, count: usize, out: &mut Vec<i16>) {
        out.extend(self.pending.drain(..count));
        self.copied -= count.min(self.copied);
        self.used += count as u64;
        self.made += count as u64;
    }

    /// Records the start of a step.
    fn mark(&mut self) {
        if self.steps.len() == MOST_STEPS {
            self.steps.pop_front();
        }
        self.steps.push_back((self.used, self.made));
    }

    /// Cross-fades one period into the next and removes one period. Sets the number of samples that are then copied
    /// unchanged, so that the speed factor is met on average.
    fn step(&mut self, out: &mut Vec<i16>) {
        self.mark();
        let sound = &*self.pending.make_contiguous();
        let period = period(sound);
        // `period + faded` input samples become `faded` output samples; then `length - faded` samples are copied, so
        // that the factor is met
        let beyond = self.factor - UNIT;
        let length = (period as u64 * UNIT / beyond) as usize;
        let faded = length.clamp(1, period);
        // a fade is at most one period long, so `i32` cannot overflow
        let divisor = i32::try_from(faded).unwrap_or(1);
        let pairs = sound.iter().zip(&sound[period..]).zip(0..divisor);
        out.extend(pairs.map(|((&before, &after), share)| {
            ((i32::from(before) * (divisor - share) + i32::from(after) * share) / divisor) as i16
        }));
        self.pending.drain(..period + faded);
        self.used += (period + faded) as u64;
        self.made += faded as u64;
        self.copied = length.saturating_sub(faded);
    }
}

/// Returns the pitch period at the start of the audio, in samples: the shift with the smallest average magnitude
/// difference.
fn period(sound: &[i16]) -> usize {
    let difference = |shift: usize, stride: usize| {
        let length = shift;
        let pairs = (0..length).step_by(stride).map(|at| (sound[at], sound[at + shift]));
        let sum: u64 = pairs.map(|(a, b)| u64::from(i32::from(a).abs_diff(i32::from(b)))).sum();
        // mean difference, in units of 1/256 of a sample value
        sum * 256 * stride as u64 / length as u64
    };
    let rough = (SHORTEST..=LONGEST).step_by(STRIDE).min_by_key(|&shift| difference(shift, STRIDE));
    let rough = rough.unwrap_or(SHORTEST);
    let near = rough.saturating_sub(STRIDE).max(SHORTEST)..=(rough + STRIDE).min(LONGEST);
    near.min_by_key(|&shift| difference(shift, 1)).unwrap_or(rough)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns audio that resembles a voice: the given number of decaying pulses, at 125 Hz.
    fn pulses(periods: usize) -> Vec<i16> {
        let one: Vec<i16> =
            (0..192).map(|at| (12_000 >> (at / 24)) * if at / 12 % 2 == 0 { 1 } else { -1 }).collect();
        one.repeat(periods)
    }

    fn scaled(sound: &[i16], factor: f32, piece: usize) -> (Vec<i16>, TimeScale) {
        let mut scale = TimeScale::new(factor);
        let mut out = Vec::new();
        for piece in sound.chunks(piece) {
            scale.push(piece, &mut out);
        }
        scale.finish(&mut out);
        (out, scale)
    }

    #[test]
    fn audio_is_shortened_by_the_factor() {
        let sound = pulses(500);
        for factor in [1.0, 1.3, 1.5, 2.0, 2.5, 3.0, 6.0] {
            let (out, _) = scaled(&sound, factor, 480);
            let wanted = sound.len() as f32 / factor;
            assert!(
                (out.len() as f32 - wanted).abs() < wanted * 0.02 + SPAN as f32,
                "{factor}: {}",
                out.len()
            );
        }
    }

    #[test]
    fn the_pitch_is_unchanged() {
        let sound = pulses(200);
        for factor in [1.5, 2.0, 3.0] {
            let (out, _) = scaled(&sound, factor, 480);
            assert_eq!(period(&out[2_000..]) % 192, 0, "{factor}");
        }
    }

    #[test]
    fn output_is_independent_of_chunks() {
        let sound = pulses(60);
        for factor in [1.5, 3.0] {
            assert_eq!(scaled(&sound, factor, 7).0, scaled(&sound, factor, 5_000).0, "{factor}");
        }
    }

    #[test]
    fn input_positions_map_to_output_positions() {
        let sound = pulses(100);
        let (out, scale) = scaled(&sound, 3.0, 480);
        assert_eq!(scale.position(u64::MAX), out.len() as u64);
        let middle = scale.position(sound.len() as u64 / 2);
        assert!(middle.abs_diff(out.len() as u64 / 2) < 300, "{middle} of {}", out.len());
    }

    #[test]
    fn extreme_input_does_not_overflow() {
        for sound in [vec![i16::MIN; 5_000], vec![i16::MAX; 5_000], vec![0; 5_000], vec![1; 10]] {
            scaled(&sound, 6.0, 4_000);
        }
        let mixed: Vec<i16> = (0..5_000).map(|at| if at % 3 == 0 { i16::MIN } else { i16::MAX }).collect();
        scaled(&mixed, 2.5, 100);
        assert!(scaled(&[], 3.0, 1).0.is_empty());
        assert_eq!(scaled(&[5; 3], f32::NAN, 1).0, [5; 3]);
    }
}
