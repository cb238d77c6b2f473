//! Models of packs, one module per kind of graph. A model converts symbols to the acoustics of an utterance.

mod acoustic_vocoder;
mod acoustics;
mod decoder;
mod vits;
mod whole;

use shruti_packs::{FileContent, Graph, PackVoice};

use crate::load_error::LoadError;
use crate::threads::Threads;

pub(crate) use acoustics::{Acoustics, MAX_FRAMES_PER_SYMBOL, Model, ModelInput, Source};
pub(crate) use decoder::{DecoderInput, decode, run_decoder};
pub(crate) use vits::{FrontInput, FrontOutput, INPUTS, NOISE, SPEAKER, front_inputs, run_front};
pub(crate) use whole::{STYLE, Styles};

/// Loads the graph of a pack that has the given voices. Runs of the graph use `threads`.
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
