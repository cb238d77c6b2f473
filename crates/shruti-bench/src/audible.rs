//! Where sound begins that can be heard.

use shruti_audio::AUDIBLE;

/// Whether samples (signed 16-bit little-endian) hold one that can be heard: the measure of "first audio".
pub(super) fn is_audible(samples: &[u8]) -> bool {
    samples.chunks_exact(2).any(|sample| i16::from_le_bytes([sample[0], sample[1]]).unsigned_abs() >= AUDIBLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_of_minus_60_db_counts() {
        let bytes =
            |samples: &[i16]| samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<_>>();
        for (samples, audible) in [
            (&[0, 32, -32][..], false),
            (&[0, 0, 33], true),
            (&[-33], true),
            (&[i16::MIN], true),
            (&[], false),
            // the bytes of two quiet samples make a loud one where they are read at the wrong place
            (&[0x0010, 0x0010], false),
        ] {
            assert_eq!(is_audible(&bytes(samples)), audible, "{samples:?}");
        }
    }
}
