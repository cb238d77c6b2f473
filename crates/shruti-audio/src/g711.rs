//! ITU-T G.711: 16-bit samples as 8-bit µ-law and A-law codes.
//!
//! Each sample is encoded as the code whose decoded value is nearest, as in `ffmpeg`. Within a segment, this agrees
//! with the decision values of the standard. At the ends of segments, where the step size doubles, the decision values
//! are not half-way between two decoded values, so the codes may differ by one from those of other encoders. Every
//! G.711 decoder accepts both.

/// Codes by the upper 14 bits of a sample, in ascending order of the sample.
type Codes = [u8; 1 << 14];

static MU_LAW: Codes = codes(&mu_law_magnitudes(), 0xff);
static A_LAW: Codes = codes(&a_law_magnitudes(), 0xd5);

/// Returns the µ-law code of a sample.
pub fn mu_law(sample: i16) -> u8 {
    MU_LAW[index(sample)]
}

/// Returns the A-law code of a sample.
pub fn a_law(sample: i16) -> u8 {
    A_LAW[index(sample)]
}

fn index(sample: i16) -> usize {
    ((i32::from(sample) + 32_768) >> 2) as usize
}

/// Returns the magnitudes of the decoded values of the codes 0 to 127, at 16 bits (G.711, table 2a).
const fn mu_law_magnitudes() -> [i32; 128] {
    let mut magnitudes = [0; 128];
    let mut code = 0_i32;
    while code < 128 {
        let (segment, step) = (code >> 4, code & 15);
        magnitudes[code as usize] = ((step * 2 + 33) << segment) * 4 - 33 * 4;
        code += 1;
    }
    magnitudes
}

/// Returns the magnitudes of the decoded values of the codes 0 to 127, at 16 bits (G.711, table 1a).
const fn a_law_magnitudes() -> [i32; 128] {
    let mut magnitudes = [0; 128];
    let mut code = 0_i32;
    while code < 128 {
        let (segment, step) = (code >> 4, code & 15);
        magnitudes[code as usize] =
            if segment == 0 { step * 16 + 8 } else { (step * 16 + 264) << (segment - 1) };
        code += 1;
    }
    magnitudes
}

/// Returns the code for each sample value: the one whose decoded value is nearest. Positive codes are combined by XOR
/// with `mask`; negative codes are combined by XOR with `mask` and have the opposite sign bit.
const fn codes(magnitudes: &[i32; 128], mask: u8) -> Codes {
    let mut codes = [0; 1 << 14];
    let (mut code, mut magnitude) = (0, 0);
    while magnitude <= 8_192 {
        while code < 127 && magnitude >= (magnitudes[code] + magnitudes[code + 1] + 4) >> 3 {
            code += 1;
        }
        if magnitude < 8_192 {
            codes[8_192 + magnitude as usize] = code as u8 ^ mask;
        }
        // there is no negative zero
        if magnitude > 0 {
            codes[8_192 - magnitude as usize] = code as u8 ^ mask ^ 0x80;
        }
        magnitude += 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values and the lower decision values of the positive codes, in the units of the standard, derived
    /// from the ends of its segments (G.711, tables 1a and 2a). Each segment has 16 equal steps, and a value is in the
    /// middle of its step.
    fn table(ends: [i32; 9]) -> Vec<(f64, i32)> {
        let mut table = Vec::new();
        for segment in ends.windows(2) {
            let step = (segment[1] - segment[0]) / 16;
            let lower = (0..16).map(|n| segment[0] + n * step);
            table.extend(lower.map(|lower| (f64::from(lower) + f64::from(step) / 2.0, lower)));
        }
        table
    }

    /// Returns the table of µ-law. The first step is half as wide as the other steps of its segment, so all values are
    /// one less than for equal steps.
    fn mu_law_table() -> Vec<(f64, i32)> {
        let even = table([-1, 31, 95, 223, 479, 991, 2_015, 4_063, 8_159]);
        even.into_iter().map(|(value, lower)| (value, lower.max(0))).collect()
    }

    fn a_law_table() -> Vec<(f64, i32)> {
        table([0, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096])
    }

    /// Checks the code of each sample, without sign and inversion, against the nearest value and the decision values of
    /// the standard. `unit` is the number of units of 16-bit samples per unit of the table.
    fn check(table: &[(f64, i32)], unit: f64, encode: fn(i16) -> u8, mask: u8) {
        let mut others = 0;
        for sample in i16::MIN..=i16::MAX {
            let code = encode(sample) ^ mask;
            assert_eq!(code & 0x80 != 0, sample < 0, "the sign of {sample}");
            let code = usize::from(code & 0x7f);
            // the lookup table is indexed by the upper 14 bits
            let magnitude = f64::from((i32::from(sample) >> 2) * 4).abs();
            let distance = |code: usize| (table[code].0 * unit - magnitude).abs();
            let nearest = (0..128).map(distance).fold(f64::MAX, f64::min);
            assert!(distance(code) <= nearest + 2.0, "{sample} has the code {code}");
            let decided = table.partition_point(|&(_, lower)| f64::from(lower) * unit <= magnitude) - 1;
            assert!(code.abs_diff(decided) <= 1, "{sample} has the code {code}, expected {decided}");
            if code != decided {
                assert_eq!(code.max(decided) % 16, 0, "{sample} is not at the end of a segment");
                others += 1;
            }
        }
        assert!(others > 0, "the decision values at ends of segments are not half way");
        for (code, &(value, _)) in table.iter().enumerate() {
            let value = (value * unit) as i32;
            assert_eq!(usize::from(encode(value as i16) ^ mask), code, "what {code} decodes to");
        }
    }

    #[test]
    fn each_sample_has_the_nearest_code_of_mu_law() {
        check(&mu_law_table(), 4.0, mu_law, 0xff);
        assert_eq!((mu_law(0), mu_law(i16::MAX), mu_law(i16::MIN)), (0xff, 0x80, 0x00));
    }

    #[test]
    fn each_sample_has_the_nearest_code_of_a_law() {
        check(&a_law_table(), 8.0, a_law, 0xd5);
        assert_eq!((a_law(0), a_law(i16::MAX), a_law(i16::MIN)), (0xd5, 0xaa, 0x2a));
    }
}
