//! Random numbers for voices: one table of normally distributed noise that is the same on every machine.
//!
//! A graph reads its noise as an input, so that equal requests produce equal samples. The table is computed once and
//! never copied: each utterance reads it from its own offset.

use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Number of values available to one run of a graph: about 10,000 frames of 192 channels.
pub(crate) const RUN: usize = 2 << 20;
/// Number of different offsets at which utterances start.
const PLACES: usize = 1 << 16;

static TABLE: LazyLock<Vec<f32>> = LazyLock::new(|| normal(0x5348_5255_5449, RUN + PLACES));

/// Returns the noise of an utterance for one of a graph's noise inputs: [`RUN`] numbers with mean 0 and variance 1.
pub(crate) fn noise(seed: u64, input: usize) -> &'static [f32] {
    let mut state = seed.wrapping_mul(31).wrapping_add(input as u64);
    let place = next(&mut state) as usize % PLACES;
    &TABLE[place..place + RUN]
}

/// Generates normally distributed numbers by G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal
/// Deviates" (1958).
fn normal(seed: u64, length: usize) -> Vec<f32> {
    let mut state = seed;
    let mut numbers = Vec::with_capacity(length + 1);
    while numbers.len() < length {
        // greater than 0, so that the logarithm is finite
        let radius = (-2.0 * libm::log(1.0 - unit(&mut state))).sqrt();
        let (sin, cos) = libm::sincos(TAU * unit(&mut state));
        numbers.extend([(radius * cos) as f32, (radius * sin) as f32]);
    }
    numbers.truncate(length);
    numbers
}

/// Returns a number from 0 (inclusive) to 1 (exclusive).
fn unit(state: &mut u64) -> f64 {
    (next(state) >> 11) as f64 / (1_u64 << 53) as f64
}

/// `SplitMix64` (G. L. Steele and others, "Fast Splittable Pseudorandom Number Generators", 2014). It is implemented
/// here because the generator of a library may change between versions, which would change the samples.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_matches_its_published_numbers() {
        let mut state = 1_234_567;
        assert_eq!(
            [next(&mut state), next(&mut state)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn numbers_are_normally_distributed() {
        let numbers = normal(7, 100_001);
        assert_eq!(numbers.len(), 100_001);
        let moment = |power| numbers.iter().map(|&x| f64::from(x).powi(power)).sum::<f64>() / 100_001.0;
        assert!(moment(1).abs() < 0.02, "mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "variance {}", moment(2));
        assert!((moment(4) - 3.0).abs() < 0.1, "fourth moment {}", moment(4));
    }

    #[test]
    fn seeds_and_inputs_have_separate_noise() {
        assert_eq!(noise(1, 0).as_ptr(), noise(1, 0).as_ptr());
        assert_ne!(noise(1, 0)[..9], noise(2, 0)[..9]);
        assert_ne!(noise(1, 0)[..9], noise(1, 1)[..9]);
        assert_eq!(noise(u64::MAX, 1).len(), RUN);
    }
}
