//! Spectra of friction and bursts, from `data/noise.tsv`.

use shruti_text::phone::Symbol;

use super::{linear, symbol_of, tsv};

/// What a peak's frequency is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Follows {
    /// A frequency of its own, Hz.
    Fixed(f32),
    /// The second formant beside it.
    F2,
    /// The third formant beside it.
    F3,
}

/// One peak of a noise spectrum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peak {
    pub(crate) frequency: Follows,
    pub(crate) bandwidth: f32,
    /// Linear amplitude at the peak.
    pub(crate) amplitude: f32,
}

/// The noise of one consonant.
#[derive(Clone, Debug)]
pub(crate) struct NoiseData {
    pub(crate) name: Symbol,
    pub(crate) peaks: [Peak; 4],
    /// Linear amplitude of what passes unfiltered.
    pub(crate) bypass: f32,
    /// Length of a burst, ms.
    pub(crate) burst_ms: f32,
}

pub(super) fn parse() -> Result<Vec<NoiseData>, String> {
    const FILE: &str = "noise.tsv";
    let text = super::data(FILE, include_str!("../../data/noise.tsv"));
    tsv::fields(&text)
        .map(|(line, name, fields)| {
            if fields.len() != 15 {
                return Err(format!("{FILE}:{line}: {} fields, 15 are wanted", fields.len()));
            }
            let number = |at: usize| {
                let field: &str = fields[at];
                field.parse::<f32>().map_err(|_| format!("{FILE}:{line}: '{field}' is no number"))
            };
            let level = linear(number(13)?);
            let peak = |at: usize| {
                let frequency = match fields[at] {
                    "F2" => Follows::F2,
                    "F3" => Follows::F3,
                    _ => Follows::Fixed(number(at)?),
                };
                Ok::<_, String>(Peak {
                    frequency,
                    bandwidth: number(at + 1)?,
                    amplitude: level * linear(number(at + 2)?),
                })
            };
            Ok(NoiseData {
                name: symbol_of(name)?,
                peaks: [peak(0)?, peak(3)?, peak(6)?, peak(9)?],
                bypass: level * linear(number(12)?),
                burst_ms: number(14)?,
            })
        })
        .collect()
}
