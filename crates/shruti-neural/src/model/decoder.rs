//! Decoder that converts frames to samples in chunks. The samples equal those of a single run, bit for bit.

use std::ops::Range;

use rten::{Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::session::{GraphError, Session};

/// A graph that turns frames into samples, where each sample depends only on nearby frames: the decoder of VITS or a
/// vocoder.
#[derive(Debug)]
pub(crate) struct Decoder {
    pub session: Session,
    /// Number of samples per frame.
    pub hop: usize,
    /// Number of context frames that a chunk needs on each side.
    pub context: usize,
}

/// Inputs of a decoder.
pub(crate) struct DecoderInput {
    /// Frames, `[1, channels, frames]`.
    pub frames: NdTensor<f32, 3>,
    /// Inputs that are constant over time.
    pub conditions: Vec<Value>,
}

impl Decoder {
    /// Returns the samples of a range of frames.
    pub(crate) fn decode(&self, input: &DecoderInput, chunk: &Range<usize>) -> Result<Vec<f32>, GraphError> {
        decode(&self.session, self.hop, self.context, input, chunk)
    }
}

/// Returns the samples of a range of frames. The run includes `context` frames on each side, whose samples are
/// discarded.
pub(crate) fn decode(
    session: &Session,
    hop: usize,
    context: usize,
    input: &DecoderInput,
    chunk: &Range<usize>,
) -> Result<Vec<f32>, GraphError> {
    let window = chunk.start.saturating_sub(context)..(chunk.end + context).min(input.frames.size(2));
    let samples = run_decoder(session, input, &window)?;
    if samples.len() != window.len() * hop {
        let expected = format!("{} for {} frames", window.len() * hop, window.len());
        return Err(session.wrong("samples", samples.len().to_string(), &expected));
    }
    let begin = (chunk.start - window.start) * hop;
    Ok(samples[begin..begin + chunk.len() * hop].to_vec())
}

/// Runs a decoder on a range of frames and returns all samples of the run.
pub(crate) fn run_decoder(
    session: &Session,
    input: &DecoderInput,
    window: &Range<usize>,
) -> Result<Vec<f32>, GraphError> {
    let part: Tensor<f32> = input.frames.slice((.., .., window.clone())).to_tensor().into_dyn();
    let mut inputs: Vec<ValueOrView<'_>> = vec![Value::from(part).into()];
    inputs.extend(input.conditions.iter().map(|value| ValueOrView::from(value.as_view())));
    let output = session.run(inputs)?.into_iter().next();
    Ok(session.floats(output, "samples")?.into_data())
}
