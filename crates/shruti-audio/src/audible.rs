//! Definition of an audible sample. Every measurement of the first audio uses this definition: in the engine, in the
//! Rust tools of this repository and, through `measure/audible.json`, in the Python and JavaScript tools.

/// Minimum magnitude of an audible sample: -60 dB relative to full scale.
pub const AUDIBLE: u16 = 33;

/// Returns whether a sample is audible.
pub const fn is_audible(sample: i16) -> bool {
    sample.unsigned_abs() >= AUDIBLE
}

/// Returns whether bytes (signed 16-bit little-endian samples) contain an audible sample.
pub fn has_audible(bytes: &[u8]) -> bool {
    bytes.chunks_exact(2).any(|sample| is_audible(i16::from_le_bytes([sample[0], sample[1]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_of_minus_60_db_is_audible() {
        let bytes =
            |samples: &[i16]| samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<_>>();
        for (samples, audible) in [
            (&[0, 32, -32][..], false),
            (&[0, 0, 33], true),
            (&[-33], true),
            (&[i16::MIN], true),
            (&[], false),
            // the bytes of two quiet samples form a loud one if they are read at an odd offset
            (&[0x0010, 0x0010], false),
        ] {
            assert_eq!(has_audible(&bytes(samples)), audible, "{samples:?}");
        }
    }

    #[test]
    fn the_tools_in_other_languages_use_the_same_definition() {
        let shared = include_str!("../../../measure/audible.json");
        assert_eq!(shared.trim(), format!("{{\"least_sample\": {AUDIBLE}}}"));
    }
}
