//! VITS: a front graph from symbols to frames and a decoder graph from frames to samples.

use std::sync::Arc;

use rten::{Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use shruti_packs::{FileContent, Scales, VitsGraph};

use super::acoustics::{Abilities, Acoustics, Model, ModelInput, Source, one_batch};
use super::decoder::{Decoder, DecoderInput};
use crate::load_error::LoadError;
use crate::noise::noise;
use crate::session::{GraphError, Session};
use crate::threads::Threads;

/// Names of the first inputs of a front graph, in order. The noise inputs follow, then the speaker input if there are
/// several speakers.
pub(crate) const INPUTS: [&str; 3] = ["input", "input_lengths", "scales"];
/// Name of the speaker input.
pub(crate) const SPEAKER: &str = "sid";
/// Prefix of the names of noise inputs; a number follows.
pub(crate) const NOISE: &str = "noise_";

#[derive(Debug)]
pub(super) struct Vits {
    front: Session,
    decoder: Arc<Decoder>,
    scales: Scales,
    noises: usize,
    has_speakers: bool,
}

impl Vits {
    pub(super) fn load(graph: VitsGraph<FileContent>, threads: &Threads) -> Result<Self, LoadError> {
        let front = Session::load("front", graph.files.front.bytes, threads)?;
        let session = Session::load("decoder", graph.files.decoder.bytes, threads)?;
        let (noises, has_speakers) = front_inputs(&front)?;
        decoder_inputs(&front, &session)?;
        let decoder = Arc::new(Decoder { session, hop: graph.hop, context: graph.context });
        Ok(Self { front, decoder, scales: graph.scales, noises, has_speakers })
    }
}

impl Model for Vits {
    fn abilities(&self) -> Abilities {
        Abilities { speakers: self.has_speakers, pitch: false, durations: true }
    }

    fn prepare(&self, input: &ModelInput<'_>) -> Result<Acoustics, GraphError> {
        let Scales { noise, length, duration_noise } = self.scales;
        let input = FrontInput {
            ids: &input.sequence.ids,
            scales: [noise, length / input.speed, duration_noise],
            speaker: self.has_speakers.then_some(input.speaker.unwrap_or(0)),
            noises: self.noises,
            seed: input.seed,
        };
        let FrontOutput { frames, durations, conditions } = run_front(&self.front, &input)?;
        let input = DecoderInput { frames, conditions };
        Ok(Acoustics { durations, source: Source::Frames { decoder: Arc::clone(&self.decoder), input } })
    }
}

/// Inputs of a front graph.
pub(crate) struct FrontInput<'a> {
    pub ids: &'a [i32],
    pub scales: [f32; 3],
    pub speaker: Option<u32>,
    pub noises: usize,
    pub seed: u64,
}

/// Outputs of a front graph.
pub(crate) struct FrontOutput {
    pub frames: NdTensor<f32, 3>,
    pub durations: Vec<usize>,
    pub conditions: Vec<Value>,
}

impl FrontInput<'_> {
    /// Returns the values in the order of the graph's inputs.
    pub(crate) fn values(&self) -> Vec<ValueOrView<'static>> {
        let count = self.ids.len();
        let mut values: Vec<ValueOrView<'static>> = vec![
            Value::from(NdTensor::from_data([1, count], self.ids.to_vec())).into(),
            Value::from(NdTensor::from_data([1], vec![count.cast_signed() as i32])).into(),
            Value::from(NdTensor::from_data([3], self.scales.to_vec())).into(),
        ];
        for input in 0..self.noises {
            let table = noise(self.seed, input);
            values.push(NdTensorView::from_data([table.len()], table).into());
        }
        if let Some(speaker) = self.speaker {
            values.push(Value::from(NdTensor::from_data([1], vec![speaker.cast_signed()])).into());
        }
        values
    }
}

/// Runs a front graph (symbols to frames) and checks its outputs.
pub(crate) fn run_front(front: &Session, input: &FrontInput<'_>) -> Result<FrontOutput, GraphError> {
    let mut outputs = front.run(input.values())?.into_iter();
    let frames = one_batch(front, "frames", front.floats(outputs.next(), "frames")?)?;
    let durations = front.floats(outputs.next(), "durations")?;
    let counts: Vec<usize> = durations.iter().map(|&frames| frames.max(0.0) as usize).collect();
    let total: usize = counts.iter().sum();
    if counts.len() != input.ids.len() || total.max(1) != frames.size(2) {
        let found = format!("{total} frames for {} symbols", counts.len());
        let expected = format!("{} frames for {} symbols", frames.size(2), input.ids.len());
        return Err(front.wrong("durations", found, &expected));
    }
    Ok(FrontOutput { frames, durations: counts, conditions: outputs.collect() })
}

/// Returns the number of noise inputs of a front graph, and whether the graph has a speaker input.
pub(crate) fn front_inputs(front: &Session) -> Result<(usize, bool), GraphError> {
    let names = front.inputs();
    let rest = names.strip_prefix(&INPUTS.map(str::to_owned)).ok_or_else(|| {
        front.interface(format!("its inputs are {names:?}; they must begin with {INPUTS:?}"))
    })?;
    let has_speakers = rest.last().is_some_and(|name| name == SPEAKER);
    let noises = rest.len() - usize::from(has_speakers);
    if let Some(at) = (0..noises).find(|&at| rest[at] != format!("{NOISE}{at}")) {
        return Err(front.interface(format!("its input `{}` is unknown", rest[at])));
    }
    let outputs = front.outputs().len();
    if outputs < 2 {
        return Err(front.interface(format!("it has {outputs} outputs; frames and durations are required")));
    }
    Ok((noises, has_speakers))
}

fn decoder_inputs(front: &Session, decoder: &Session) -> Result<(), GraphError> {
    let (given, taken) = (front.outputs().len() - 1, decoder.inputs().len());
    let outputs = decoder.outputs().len();
    if given != taken || outputs != 1 {
        return Err(decoder.interface(format!(
            "it has {taken} inputs and {outputs} outputs; the outputs of the front require {given} and 1"
        )));
    }
    Ok(())
}
