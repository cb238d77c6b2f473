//! From frames to sound, in chunks that equal the whole bit for bit.

use std::ops::Range;

use rten::{Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::session::{GraphError, Session};

/// A graph that turns frames to samples, each from no more than some frames around it: VITS's decoder, a vocoder.
#[derive(Debug)]
pub(crate) struct Decoder {
    pub session: Session,
    /// Samples of a frame.
    pub hop: usize,
    /// Frames that a chunk needs on each side.
    pub context: usize,
}

/// What a decoder reads.
pub(crate) struct DecoderInput {
    /// `[1, channels, frames]`.
    pub frames: NdTensor<f32, 3>,
    /// What does not change with time.
    pub conditions: Vec<Value>,
}

impl Decoder {
    /// The samples of some frames.
    pub(crate) fn decode(&self, input: &DecoderInput, chunk: &Range<usize>) -> Result<Vec<f32>, GraphError> {
        decode(&self.session, self.hop, self.context, input, chunk)
    }
}

/// The samples of some frames: so many around them go in, too, and their samples are left out.
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

/// All samples that a run gives for some frames.
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
