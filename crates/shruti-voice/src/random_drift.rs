//! Slow random variation.

use crate::noise::Noise;

/// N values that vary randomly around 0, each between -1 and 1.
#[derive(Clone, Debug)]
pub(crate) struct RandomDrift<const N: usize> {
    values: [f32; N],
    targets: [f32; N],
    random: Noise,
    /// Number of frames between two targets of a value.
    interval: u32,
}

impl<const N: usize> RandomDrift<N> {
    pub(crate) fn new(seed: u32, interval: u32) -> Self {
        let mut random = Noise::new(seed);
        let targets = std::array::from_fn(|_| random.sample());
        Self { values: [0.0; N], targets, random, interval: interval.max(1) }
    }

    /// Returns the values of a frame; frames must be consecutive.
    pub(crate) fn step(&mut self, frame: u32) -> [f32; N] {
        let share = (2.0 / self.interval as f32).min(1.0);
        for (k, (value, target)) in self.values.iter_mut().zip(&mut self.targets).enumerate() {
            // The targets of the values change at different times.
            if (frame + k as u32 * self.interval / N as u32).is_multiple_of(self.interval) {
                *target = self.random.sample();
            }
            *value += share * (*target - *value);
        }
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_slow_bounded_and_repeatable() {
        let walk = |seed| {
            let mut drift = RandomDrift::<3>::new(seed, 50);
            (0..5_000).map(|frame| drift.step(frame)).collect::<Vec<_>>()
        };
        let first = walk(1);
        assert_eq!(walk(1), first);
        assert_ne!(walk(2), first);
        for k in 0..3 {
            let values: Vec<f32> = first.iter().map(|values| values[k]).collect();
            assert!(values.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.1), "{k} jumps");
            let (low, high) =
                values.iter().fold((0.0_f32, 0.0_f32), |(low, high), &v| (low.min(v), high.max(v)));
            assert!((-1.0..-0.3).contains(&low) && (0.3..1.0).contains(&high), "{k}: {low} to {high}");
        }
        assert!(first.iter().any(|[a, b, _]| (a - b).abs() > 0.5), "the values are not independent");
    }
}
