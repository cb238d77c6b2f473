//! Interface of graphs: their optional features, and the acoustics of an utterance.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::decoder::{Decoder, DecoderInput};
use crate::session::{GraphError, Session};
use crate::symbols::SymbolSequence;

/// Maximum number of frames per symbol: 2.9 s at 22,050 Hz with a hop of 256. Longer durations are reduced to this
/// maximum, so that no text produces endless audio.
pub(crate) const MAX_FRAMES_PER_SYMBOL: u16 = 250;

/// A loaded graph.
pub(crate) trait Model: fmt::Debug + Send + Sync {
    /// Returns the optional features that the graph supports.
    fn abilities(&self) -> Abilities;

    /// Performs all computation that must precede the first sample, and returns the acoustics of the utterance.
    fn prepare(&self, input: &ModelInput<'_>) -> Result<Acoustics, GraphError>;
}

/// Optional features of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// Whether the graph has several speakers.
    pub speakers: bool,
    /// Whether the pitch can be shifted.
    pub pitch: bool,
    /// Whether the graph outputs the duration of each symbol.
    pub durations: bool,
}

/// Input of a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelInput<'a> {
    pub sequence: &'a SymbolSequence,
    pub speaker: Option<u32>,
    /// Speaking rate; 1.0 is the pack's own rate.
    pub speed: f32,
    /// Pitch shift, in semitones.
    pub pitch: f32,
    pub seed: u64,
}

/// Intermediate representation of an utterance, from which its samples are computed.
pub(crate) struct Acoustics {
    /// Duration of each symbol, in frames or in units of the graph; empty if the graph does not output durations.
    pub durations: Vec<usize>,
    pub source: Source,
}

/// Source of the samples.
pub(crate) enum Source {
    /// Frames that a decoder converts to samples.
    Frames { decoder: Arc<Decoder>, input: DecoderInput },
    /// Finished samples.
    Samples {
        samples: Vec<f32>,
        /// Number of samples per frame, the unit in which chunks are counted.
        frame: usize,
    },
}

impl Acoustics {
    /// Returns the total number of frames.
    pub(crate) fn frames(&self) -> usize {
        match &self.source {
            Source::Frames { input, .. } => input.frames.size(2),
            Source::Samples { samples, frame } => samples.len().div_ceil(*frame),
        }
    }

    /// Returns the total number of samples.
    pub(crate) fn samples(&self) -> usize {
        match &self.source {
            Source::Frames { decoder, input } => input.frames.size(2) * decoder.hop,
            Source::Samples { samples, .. } => samples.len(),
        }
    }

    /// Returns the samples of a range of frames.
    pub(crate) fn sound(&self, chunk: &Range<usize>) -> Result<Vec<f32>, GraphError> {
        match &self.source {
            Source::Frames { decoder, input } => decoder.decode(input, chunk),
            Source::Samples { samples, frame } => {
                let end = (chunk.end * frame).min(samples.len());
                Ok(samples[(chunk.start * frame).min(end)..end].to_vec())
            }
        }
    }
}

/// Returns the tensor of an output after checking that its shape is `[1, rows, columns]` and that it is not empty.
pub(crate) fn one_batch(
    session: &Session,
    output: &str,
    tensor: NdTensor<f32, 3>,
) -> Result<NdTensor<f32, 3>, GraphError> {
    if tensor.size(0) != 1 || tensor.is_empty() {
        let found = format!("of shape {:?}", tensor.shape());
        return Err(session.wrong(output, found, "one batch of frames"));
    }
    Ok(tensor)
}
