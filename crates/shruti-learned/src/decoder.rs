//! Acoustic decoder: converts symbols, F0 and energy to the components of one spectrum per frame. The output of a frame
//! depends only on nearby frames.

use crate::BINS;
use crate::layers::{Block, Convolution, IntegerLinear, Norm, Product};
use crate::prosody::Curves;
use crate::text::TextEncoder;
use crate::weights::{Matrix, Weights, WeightsError};

/// Number of passes of the transformer layer.
const PASSES: usize = 4;
const BLOCKS: usize = 8;
/// Number of components of a frame's output, with `BINS` values each (see `spectrum`).
pub(crate) const PARTS: usize = 5;
/// Indices of the components that are log magnitudes.
const LEVELS: [usize; 3] = [0, 2, 3];
/// Divisor for the energy and log F0 inputs.
const UNIT: f32 = 5.0;

pub(crate) struct DecoderNetwork {
    text: TextEncoder,
    input: Convolution,
    speakers: Matrix,
    blocks: Vec<Block<IntegerLinear>>,
    norm: Norm,
    output: IntegerLinear,
    /// Equaliser: offsets of the log magnitudes per speaker and bin.
    equaliser: Matrix,
}

/// State of the decoder between two chunks of a passage: for each layer, the last frames of its input that later
/// outputs depend on.
pub(crate) struct DecoderState {
    layers: Vec<Vec<f32>>,
    speaker: usize,
}

impl DecoderNetwork {
    pub(crate) fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let text = TextEncoder::new(&weights.child("text"), PASSES)?;
        let blocks = (0..BLOCKS).map(|index| Block::new(&weights.child(&format!("dec.{index}")), 1));
        Ok(Self {
            input: Convolution::new(&weights.child("dec_in"), text.channels() + 2)?,
            speakers: weights.matrix("speaker.weight")?,
            blocks: blocks.collect::<Result<_, _>>()?,
            norm: Norm::new(&weights.child("dec_norm"))?,
            output: IntegerLinear::new(&weights.child("head"))?,
            equaliser: weights.matrix("equaliser")?,
            text,
        })
    }

    /// Returns the number of frames on each side of a frame that affect the output of this frame.
    pub(crate) fn context(&self) -> usize {
        self.input.context() + self.blocks.iter().map(Block::context).sum::<usize>()
    }

    pub(crate) fn encode(&self, symbols: &[u16], speaker: usize) -> Vec<f32> {
        self.text.encode(symbols, speaker)
    }

    /// Returns the state before the first frame of a passage.
    pub(crate) fn start(&self, speaker: usize) -> DecoderState {
        let hidden = self.speakers.columns;
        let mut layers = vec![vec![0.0; self.input.context() * (self.text.channels() + 2)]];
        layers.extend(self.blocks.iter().map(|block| vec![0.0; block.context() * hidden]));
        DecoderState { layers, speaker }
    }

    /// Processes the next frames, given as `vectors` and `curves`. Returns the output of the frames whose context is
    /// complete. If `is_end` is true, these are all remaining frames.
    pub(crate) fn advance(
        &self,
        state: &mut DecoderState,
        vectors: &[f32],
        curves: &Curves,
        is_end: bool,
    ) -> Vec<f32> {
        let channels = self.text.channels();
        let curves = curves.f0.iter().zip(&curves.energy);
        let mut frames = Vec::with_capacity(vectors.len() + 2 * (vectors.len() / channels));
        for (vector, (f0, energy)) in vectors.chunks_exact(channels).zip(curves) {
            frames.extend_from_slice(vector);
            frames.extend([f0.max(0.0).ln_1p() / UNIT, energy / UNIT]);
        }
        let mut layers = state.layers.iter_mut();
        if let Some(layer) = layers.next() {
            let speaker = self.speakers.row(state.speaker);
            frames = apply_streaming(layer, frames, self.input.context(), channels + 2, is_end, |frames| {
                let mut output = self.input.apply(frames);
                for frame in output.chunks_exact_mut(speaker.len()) {
                    for (value, speaker) in frame.iter_mut().zip(speaker) {
                        *value += speaker;
                    }
                }
                output
            });
        }
        for (layer, block) in layers.zip(&self.blocks) {
            let hidden = self.speakers.columns;
            frames =
                apply_streaming(layer, frames, block.context(), hidden, is_end, |frames| block.apply(frames));
        }
        self.norm.apply(&mut frames);
        let mut output = self.output.apply(&frames);
        let equaliser = self.equaliser.row(state.speaker);
        for (part, values) in output.chunks_exact_mut(BINS).enumerate() {
            if LEVELS.contains(&(part % PARTS)) {
                for (value, more) in values.iter_mut().zip(equaliser) {
                    *value += more;
                }
            }
        }
        output
    }
}

/// Passes new frames through a layer and returns the output of the frames whose context is complete. `kept` is the
/// stored input, to which the new frames are appended. Afterwards, it contains the input that later outputs depend on.
fn apply_streaming(
    kept: &mut Vec<f32>,
    new: Vec<f32>,
    context: usize,
    channels: usize,
    is_end: bool,
    layer: impl FnOnce(&[f32]) -> Vec<f32>,
) -> Vec<f32> {
    let mut frames = std::mem::take(kept);
    frames.extend(new);
    if is_end {
        frames.resize(frames.len() + context * channels, 0.0);
    }
    let count = frames.len() / channels;
    if count <= 2 * context {
        *kept = frames;
        return Vec::new();
    }
    // store an exact-size copy, so that the memory of the chunk is released
    *kept = frames[(count - 2 * context) * channels..].to_vec();
    layer(&frames)
}
