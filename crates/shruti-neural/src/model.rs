//! The graphs of packs, a file for each kind: from symbols to what sound is made of.

mod acoustic_vocoder;
mod decoder;
mod vits;
mod whole;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use shruti_packs::{FileContent, Graph, PackVoice};

use crate::session::{GraphError, Session};
use crate::symbols::SymbolSequence;
use crate::synthesiser::LoadError;
use crate::threads::Threads;

pub(crate) use decoder::{Decoder, DecoderInput, decode, run_decoder};
pub(crate) use vits::{FrontInput, FrontOutput, INPUTS, NOISE, SPEAKER, front_inputs, run_front};
pub(crate) use whole::{STYLE, Styles};

/// The most frames of a symbol; more are cut off, so that no text makes an endless sound. 2.9 s at 22,050 Hz.
pub(crate) const MAX_FRAMES_PER_SYMBOL: u16 = 250;

/// A loaded graph.
pub(crate) trait Model: fmt::Debug + Send + Sync {
    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// Does all that must be done before the first sample.
    fn prepare(&self, input: &ModelInput<'_>) -> Result<Acoustics, GraphError>;
}

/// What a graph can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// Whether it has several speakers.
    pub speakers: bool,
    /// Whether its pitch can be shifted.
    pub pitch: bool,
    /// Whether it says how long each symbol is.
    pub durations: bool,
}

/// What a graph reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelInput<'a> {
    pub sequence: &'a SymbolSequence,
    pub speaker: Option<u32>,
    /// 1.0 is the pack's own.
    pub speed: f32,
    /// In semitones.
    pub pitch: f32,
    pub seed: u64,
}

/// An utterance before its sound.
pub(crate) struct Acoustics {
    /// How many frames each symbol has, or its share of the sound in other units; empty where the graph does not say.
    pub durations: Vec<usize>,
    pub source: Source,
}

/// What sound is made of.
pub(crate) enum Source {
    /// Frames that a decoder turns to sound.
    Frames { decoder: Arc<Decoder>, input: DecoderInput },
    /// Sound that is there.
    Samples {
        samples: Vec<f32>,
        /// Samples of a frame: what chunks are counted in.
        frame: usize,
    },
}

impl Acoustics {
    /// How many frames it has.
    pub(crate) fn frames(&self) -> usize {
        match &self.source {
            Source::Frames { input, .. } => input.frames.size(2),
            Source::Samples { samples, frame } => samples.len().div_ceil(*frame),
        }
    }

    /// How many samples it has.
    pub(crate) fn samples(&self) -> usize {
        match &self.source {
            Source::Frames { decoder, input } => input.frames.size(2) * decoder.hop,
            Source::Samples { samples, .. } => samples.len(),
        }
    }

    /// The samples of some frames.
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

/// Loads a pack's graph, whose voices these are. Its runs use the threads given.
pub(crate) fn load(
    graph: Graph<FileContent>,
    voices: &[PackVoice],
    threads: &Threads,
) -> Result<Box<dyn Model>, LoadError> {
    Ok(match graph {
        Graph::Vits(graph) => Box::new(vits::Vits::load(graph, threads)?),
        Graph::AcousticVocoder(graph) => Box::new(acoustic_vocoder::AcousticVocoder::load(graph, threads)?),
        Graph::Whole(graph) => Box::new(whole::Whole::load(graph, voices, threads)?),
    })
}

/// The one batch of an output: `[1, rows, columns]`, not empty.
fn one_batch(
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
