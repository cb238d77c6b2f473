//! Spectra of frication and bursts, from `data/noise.tsv`.

use super::linear;
use super::tsv::{self, Row};

/// Frequency of a peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PeakFrequency {
    /// Fixed frequency, in Hz.
    Fixed(f32),
    /// Second formant of the consonant.
    F2,
    /// Third formant of the consonant.
    F3,
}

impl Default for PeakFrequency {
    fn default() -> Self {
        Self::Fixed(0.0)
    }
}

/// One peak of a noise spectrum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peak {
    pub(crate) frequency: PeakFrequency,
    pub(crate) bandwidth: f32,
    /// Linear amplitude of the peak.
    pub(crate) amplitude: f32,
}

/// Noise of one consonant.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoiseData {
    pub(crate) peaks: [Peak; 4],
    /// Linear amplitude of the unfiltered noise.
    pub(crate) bypass: f32,
    /// Duration of a burst, in ms.
    pub(crate) burst_ms: f32,
}

/// Parses the rows of the table; an error names the file and the line.
pub(super) fn rows<'a>(file: &str, text: &'a str) -> Result<Vec<Row<'a, NoiseData>>, String> {
    tsv::read(file, text, |fields: &[&str; 15], fault| {
        let number = |at: usize| fields[at].parse::<f32>().map_err(|_| fault(fields[at]));
        let level = linear(number(13)?);
        let peak = |at: usize| {
            let frequency = match fields[at] {
                "F2" => PeakFrequency::F2,
                "F3" => PeakFrequency::F3,
                _ => PeakFrequency::Fixed(number(at)?),
            };
            Ok::<_, String>(Peak {
                frequency,
                bandwidth: number(at + 1)?,
                amplitude: level * linear(number(at + 2)?),
            })
        };
        Ok(NoiseData {
            peaks: [peak(0)?, peak(3)?, peak(6)?, peak(9)?],
            bypass: level * linear(number(12)?),
            burst_ms: number(14)?,
        })
    })
}
