//! Comparison of the halves of a graph with the original graph, and measurement of the hop and the context of a
//! decoder.

use std::ops::Range;

use rten_tensor::prelude::*;

use super::ImportError;
use super::config::PiperConfig;
use crate::model::{DecoderInput, FrontInput, FrontOutput, decode, front_inputs, run_decoder, run_front};
use crate::session::{GraphError, Session};

/// Maximum difference between a sample of the halves and the same sample of the original graph.
const TOLERANCE: f32 = 1e-4;
/// Number of symbols in the sequence on which the graph is tested.
pub(super) const SYMBOLS: usize = 40;
/// Maximum number of context frames that the measurement tries.
const MAX_CONTEXT: usize = 64;
/// Number of frames added to the smallest sufficient context, because other inputs may show differences that the tested
/// input does not.
const MARGIN: usize = 1;
/// Number of frames in each test chunk.
const CHUNK: usize = 10;

/// A graph and its halves.
pub(super) struct Halves {
    pub whole: Session,
    pub front: Session,
    pub decoder: Session,
}

/// Measured parameters for splitting the input of a decoder into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    /// Number of samples per frame.
    pub hop: usize,
    /// Number of context frames that a chunk needs on each side.
    pub context: usize,
}

impl Halves {
    /// Runs the whole graph and its halves on a sequence of the voice's own symbols and compares the results. Returns
    /// the hop and the context of the decoder.
    pub(super) fn measure(&self, config: &PiperConfig) -> Result<Measured, ImportError> {
        let (noises, has_speakers) = front_inputs(&self.front)?;
        let all: Vec<i32> = config.ids.values().flatten().map(|&id| id.cast_signed()).collect();
        let input = FrontInput {
            // a stride of 7 takes the symbols in an order that differs from that of the table
            ids: &(0..SYMBOLS).map(|at| all[at * 7 % all.len()]).collect::<Vec<_>>(),
            scales: [config.scales.noise, config.scales.length, config.scales.duration_noise],
            speaker: has_speakers.then_some(0),
            noises,
            seed: 1,
        };
        let expected = self.whole.run(input.values())?.into_iter().next();
        let expected = self.whole.floats(expected, "samples")?.into_data();
        let FrontOutput { frames, conditions, .. } = run_front(&self.front, &input)?;
        let hop = expected.len() / frames.size(2);
        let input = DecoderInput { frames, conditions };
        compare(&expected, &run_decoder(&self.decoder, &input, &(0..input.frames.size(2)))?)?;
        Ok(Measured { hop, context: measure_context(&self.decoder, hop, &input)? })
    }
}

/// Returns the number of samples that a decoder produces per frame.
pub(super) fn measure_hop(decoder: &Session, input: &DecoderInput) -> Result<usize, GraphError> {
    let total = input.frames.size(2);
    let samples = run_decoder(decoder, input, &(0..total))?.len();
    if samples == 0 || samples % total != 0 {
        let found = format!("{samples} samples for {total} frames");
        return Err(decoder.wrong("samples", found, "as many samples for each frame"));
    }
    Ok(samples / total)
}

/// Returns the smallest number of context frames on each side with which decoding in chunks produces the same samples,
/// bit for bit, as decoding all frames in one run, plus [`MARGIN`].
pub(super) fn measure_context(
    decoder: &Session,
    hop: usize,
    input: &DecoderInput,
) -> Result<usize, ImportError> {
    let total = input.frames.size(2);
    let expected = decode(decoder, hop, 0, input, &(0..total))?;
    let starts = [total / 4, total / 2, (total * 3 / 4).min(total.saturating_sub(CHUNK))];
    let is_enough = |context: usize| -> Result<bool, GraphError> {
        for start in starts {
            let chunk: Range<usize> = start..(start + CHUNK).min(total);
            if decode(decoder, hop, context, input, &chunk)? != expected[chunk.start * hop..chunk.end * hop] {
                return Ok(false);
            }
        }
        Ok(true)
    };
    for context in 0..=MAX_CONTEXT {
        if is_enough(context)? && is_enough(context + MARGIN)? {
            return Ok(context + MARGIN);
        }
    }
    Err(ImportError::Context(MAX_CONTEXT))
}

/// Checks that the samples of the halves differ from those of the original graph by at most [`TOLERANCE`].
fn compare(expected: &[f32], halves: &[f32]) -> Result<(), ImportError> {
    let pairs = expected.iter().zip(halves);
    let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    if expected.len() != halves.len() || off > TOLERANCE {
        return Err(ImportError::Differs(off));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_may_differ_only_by_rounding() {
        assert!(compare(&[0.5, -0.5], &[0.500_09, -0.5]).is_ok());
        for halves in [[0.5, -0.4998].as_slice(), &[0.5]] {
            assert!(matches!(compare(&[0.5, -0.5], halves), Err(ImportError::Differs(_))), "{halves:?}");
        }
    }
}
