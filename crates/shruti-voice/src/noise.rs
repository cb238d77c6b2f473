//! Noise source: a small built-in generator, so that the same seed produces the same audio everywhere.

/// White noise generator: Marsaglia's xorshift (2003).
#[derive(Clone, Debug)]
pub(crate) struct Noise(u32);

impl Noise {
    /// Creates a generator; any seed is valid.
    pub(crate) fn new(seed: u32) -> Self {
        // Mixing (the finaliser of MurmurHash3) makes the sequences of adjacent seeds independent.
        let mut mixed = seed.wrapping_add(0x9e37_79b9);
        mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
        mixed ^= mixed >> 16;
        Self(if mixed == 0 { 1 } else { mixed })
    }

    /// Returns the next value, uniformly distributed over -1.0 to 1.0.
    #[inline]
    pub(crate) fn sample(&mut self) -> f32 {
        let mut state = self.0;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        self.0 = state;
        // The cast reinterprets the bits: the upper half of the range becomes negative. The result is the same on every
        // processor.
        state.cast_signed() as f32 * (1.0 / 2_147_483_648.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_white_and_repeatable() {
        let mut noise = Noise::new(7);
        let values: Vec<f32> = (0..100_000).map(|_| noise.sample()).collect();
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let power = values.iter().map(|v| v * v).sum::<f32>() / values.len() as f32;
        let neighbours = values.windows(2).map(|pair| pair[0] * pair[1]).sum::<f32>() / values.len() as f32;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((power - 1.0 / 3.0).abs() < 0.01, "{power}");
        assert!(neighbours.abs() < 0.01, "{neighbours}");
        assert_eq!(Noise::new(7).sample(), values[0]);
        assert_ne!(Noise::new(8).sample(), values[0]);
    }
}
