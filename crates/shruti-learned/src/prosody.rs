//! Prosody network: predicts the duration of each symbol, and F0 and energy of each frame.

use crate::layers::{Block, Convolution, Linear, Product, gelu, padded};
use crate::text::TextEncoder;
use crate::weights::{Weights, WeightsError};

/// Number of passes of the transformer layer.
const PASSES: usize = 6;
const DILATIONS: [usize; 6] = [1, 2, 4, 8, 1, 2];
/// Factor that converts the F0 output of the network to Hz.
const F0_UNIT: f32 = 100.0;
/// Factor that converts the energy output of the network to energy.
const ENERGY_UNIT: f32 = 5.0;
/// F0 below which a frame is unvoiced, in Hz.
pub(crate) const UNVOICED_BELOW: f32 = 40.0;

pub(crate) struct ProsodyNetwork {
    text: TextEncoder,
    duration_hidden: Convolution,
    duration: Linear,
    input: Linear,
    blocks: Vec<Block<Linear>>,
    output: Linear,
    semitones: Vec<f32>,
}

/// Returns the median F0 of the voiced frames in Hz, or `None` if no frame is voiced.
pub(crate) fn median(f0: &[f32]) -> Option<f32> {
    let mut voiced: Vec<f32> = f0.iter().copied().filter(|&f0| f0 > UNVOICED_BELOW).collect();
    voiced.sort_unstable_by(f32::total_cmp);
    voiced.get(voiced.len() / 2).copied()
}

/// F0 in Hz (0 for unvoiced frames) and energy, one value each per frame of 12.5 ms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curves {
    pub(crate) f0: Vec<f32>,
    pub(crate) energy: Vec<f32>,
}

impl ProsodyNetwork {
    pub(crate) fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let text = TextEncoder::new(&weights.child("text"), PASSES)?;
        let channels = text.channels();
        let blocks = DILATIONS
            .iter()
            .enumerate()
            .map(|(index, &dilation)| Block::new(&weights.child(&format!("pro.{index}")), dilation));
        Ok(Self {
            duration_hidden: Convolution::new(&weights.child("dur.0"), channels)?,
            duration: Linear::new(&weights.child("dur.2"))?,
            input: Linear::new(&weights.child("pro_in"))?,
            blocks: blocks.collect::<Result<_, _>>()?,
            output: Linear::new(&weights.child("pro_out"))?,
            semitones: weights.vector("semitones")?,
            text,
        })
    }

    /// Returns one vector per symbol. The vectors are the input for `durations` and `curves`.
    pub(crate) fn encode(&self, symbols: &[u16], speaker: usize) -> Vec<f32> {
        self.text.encode(symbols, speaker)
    }

    /// Returns the duration of each symbol in frames of 25 ms, not rounded.
    pub(crate) fn durations(&self, vectors: &[f32]) -> Vec<f32> {
        let zeros = self.duration_hidden.context() * self.text.channels();
        let mut hidden = self.duration_hidden.apply(&padded(vectors, zeros));
        gelu(&mut hidden);
        self.duration.apply(&hidden).into_iter().map(f32::exp_m1).collect()
    }

    /// Returns the pitch shift of a speaker relative to the predicted curves, in semitones.
    pub(crate) fn semitones(&self, speaker: usize) -> f32 {
        self.semitones.get(speaker).copied().unwrap_or_default()
    }

    /// Returns the curves of symbols whose `durations` are given in frames of 25 ms.
    pub(crate) fn curves(&self, vectors: &[f32], durations: &[usize]) -> Curves {
        let mut frames = self.input.apply(&repeated(vectors, durations));
        for block in &self.blocks {
            frames = block.apply_whole(&frames);
        }
        // the output for a frame of 25 ms is the F0 of its two halves, then the energy of its two halves
        let output = self.output.apply(&frames);
        let mut curves = Curves::default();
        for values in output.as_chunks::<4>().0 {
            let [f0_first, f0_second, energy_first, energy_second] = *values;
            curves.f0.extend([F0_UNIT * f0_first, F0_UNIT * f0_second]);
            curves.energy.extend([ENERGY_UNIT * energy_first, ENERGY_UNIT * energy_second]);
        }
        curves
    }
}

/// Returns the vector of each symbol, repeated for each of its frames.
pub(crate) fn repeated(vectors: &[f32], durations: &[usize]) -> Vec<f32> {
    let channels = vectors.len() / durations.len().max(1);
    let vectors = vectors.chunks_exact(channels.max(1)).zip(durations);
    vectors.flat_map(|(vector, &frames)| std::iter::repeat_n(vector, frames).flatten()).copied().collect()
}
