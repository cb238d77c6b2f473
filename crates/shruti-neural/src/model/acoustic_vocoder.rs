//! Acoustic model in two parts with a vocoder: `FastSpeech` 2 or `FastPitch` with HiFi-GAN.
//!
//! The encoder returns features and a duration for each symbol. This module repeats the features of each symbol
//! according to its duration. The mel decoder turns the repeated features into a mel spectrogram, and the vocoder turns
//! the spectrogram into samples. Durations are rounded here, not in the graph, so that they are rounded only once,
//! after they have been scaled by the speed.

use std::sync::Arc;

use rten::{Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use shruti_packs::{AcousticVocoderGraph, FileContent};

use super::acoustics::{Abilities, Acoustics, MAX_FRAMES_PER_SYMBOL, Model, ModelInput, Source, one_batch};
use super::decoder::{Decoder, DecoderInput};
use super::vits::SPEAKER;
use crate::load_error::LoadError;
use crate::session::{GraphError, Session};
use crate::threads::Threads;

/// Name of the encoder's input for symbols.
const SYMBOLS: &str = "input";
/// Name of the encoder's input for a pitch shift, in semitones.
const PITCH: &str = "pitch";
/// Maximum number of frames per utterance: 93 s at 22,050 Hz with a hop of 256. The memory of the mel decoder's
/// attention grows with the square of the number of frames.
const MAX_FRAMES: usize = 8_000;

#[derive(Debug)]
pub(super) struct AcousticVocoder {
    encoder: Session,
    /// Inputs of the encoder, in the order of the graph.
    inputs: Vec<EncoderInput>,
    mel_decoder: Session,
    vocoder: Arc<Decoder>,
    length: f32,
    mel_scale: f32,
}

/// Kind of an input of the encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EncoderInput {
    Symbols,
    Speaker,
    Pitch,
}

impl AcousticVocoder {
    pub(super) fn load(
        graph: AcousticVocoderGraph<FileContent>,
        threads: &Threads,
    ) -> Result<Self, LoadError> {
        let encoder = Session::load("encoder", graph.files.encoder.bytes, threads)?;
        let mel_decoder = Session::load("mel_decoder", graph.files.mel_decoder.bytes, threads)?;
        let session = Session::load("vocoder", graph.files.vocoder.bytes, threads)?;
        let inputs = encoder_inputs(&encoder)?;
        has_counts(&encoder, inputs.len(), 2)?;
        has_counts(&mel_decoder, 1, 1)?;
        has_counts(&session, 1, 1)?;
        let vocoder = Arc::new(Decoder { session, hop: graph.hop, context: graph.context });
        let (length, mel_scale) = (graph.length, graph.mel_scale);
        Ok(Self { encoder, inputs, mel_decoder, vocoder, length, mel_scale })
    }

    /// Returns the features, `[1, symbols, channels]`, and the number of frames of each symbol.
    fn encode(&self, input: &ModelInput<'_>) -> Result<(NdTensor<f32, 3>, Vec<usize>), GraphError> {
        let ids = &input.sequence.ids;
        let value = |kind: &EncoderInput| match kind {
            EncoderInput::Symbols => Value::from(NdTensor::from_data([1, ids.len()], ids.clone())),
            EncoderInput::Speaker => {
                Value::from(NdTensor::from_data([1], vec![input.speaker.unwrap_or(0).cast_signed()]))
            }
            EncoderInput::Pitch => Value::from(NdTensor::from_data([1], vec![input.pitch])),
        };
        let values = self.inputs.iter().map(|kind| ValueOrView::from(value(kind))).collect();
        let mut outputs = self.encoder.run(values)?.into_iter();
        let features = self.encoder.floats(outputs.next(), "features")?;
        let features = one_batch(&self.encoder, "features", features)?;
        let durations = self.encoder.floats(outputs.next(), "durations")?;
        if features.size(1) != ids.len() || durations.len() != ids.len() {
            let found = format!("{} features and {} durations", features.size(1), durations.len());
            let expected = format!("one of each per symbol, for {} symbols", ids.len());
            return Err(self.encoder.wrong("features", found, &expected));
        }
        let scale = self.length / input.speed;
        Ok((features, durations.iter().map(|&duration| frames(duration, scale)).collect()))
    }
}

impl Model for AcousticVocoder {
    fn abilities(&self) -> Abilities {
        let has = |input| self.inputs.contains(&input);
        Abilities { speakers: has(EncoderInput::Speaker), pitch: has(EncoderInput::Pitch), durations: true }
    }

    fn prepare(&self, input: &ModelInput<'_>) -> Result<Acoustics, GraphError> {
        let (features, mut durations) = self.encode(input)?;
        if durations.iter().all(|&frames| frames == 0) {
            durations.fill(1);
        }
        let total: usize = durations.iter().sum();
        if total > MAX_FRAMES {
            let expected = format!("at most {MAX_FRAMES} in total");
            return Err(self.encoder.wrong("durations", format!("{total} frames"), &expected));
        }
        let stretched = Value::from(repeat(&features, &durations));
        let output = self.mel_decoder.run(vec![stretched.into()])?.into_iter().next();
        let mut mel = one_batch(&self.mel_decoder, "mel", self.mel_decoder.floats(output, "mel")?)?;
        if mel.size(2) != total {
            let found = format!("of shape {:?}", mel.shape());
            return Err(self.mel_decoder.wrong("mel", found, &format!("of shape [1, channels, {total}]")));
        }
        mel.apply(|value| value * self.mel_scale);
        let input = DecoderInput { frames: mel, conditions: Vec::new() };
        Ok(Acoustics { durations, source: Source::Frames { decoder: Arc::clone(&self.vocoder), input } })
    }
}

/// Returns a scaled duration, rounded to whole frames and limited to [`MAX_FRAMES_PER_SYMBOL`]. A symbol that has at
/// least one frame at a scale of 1 keeps at least one frame at any scale.
fn frames(duration: f32, scale: f32) -> usize {
    let least = if duration >= 0.5 { 1.0 } else { 0.0 };
    let most = f32::from(MAX_FRAMES_PER_SYMBOL);
    libm::rintf(duration * scale).clamp(least, most) as usize
}

/// Returns the features of all frames: the features of each symbol, repeated according to its duration.
fn repeat(features: &NdTensor<f32, 3>, durations: &[usize]) -> NdTensor<f32, 3> {
    let (channels, total) = (features.size(2), durations.iter().sum());
    let mut repeated = Vec::with_capacity(total * channels);
    for (symbol, &frames) in durations.iter().enumerate() {
        let row = features.slice((0, symbol)).to_vec();
        for _ in 0..frames {
            repeated.extend_from_slice(&row);
        }
    }
    NdTensor::from_data([1, total, channels], repeated)
}

fn encoder_inputs(encoder: &Session) -> Result<Vec<EncoderInput>, GraphError> {
    let names = encoder.inputs();
    let kind = |name: &String| match name.as_str() {
        SYMBOLS => Some(EncoderInput::Symbols),
        SPEAKER => Some(EncoderInput::Speaker),
        PITCH => Some(EncoderInput::Pitch),
        _ => None,
    };
    let kinds: Option<Vec<EncoderInput>> = names.iter().map(kind).collect();
    kinds.filter(|kinds| kinds.contains(&EncoderInput::Symbols)).ok_or_else(|| {
        encoder.interface(format!(
            "its inputs are {names:?}; an encoder has {SYMBOLS:?}, and may have {SPEAKER:?} and {PITCH:?}"
        ))
    })
}

fn has_counts(session: &Session, inputs: usize, outputs: usize) -> Result<(), GraphError> {
    let found = (session.inputs().len(), session.outputs().len());
    if found == (inputs, outputs) {
        return Ok(());
    }
    let (taken, given) = found;
    Err(session.interface(format!("{taken} inputs and {given} outputs; it must have {inputs} and {outputs}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_once_and_bounded() {
        for (duration, scale, expected) in [
            (3.4, 1.0, 3),
            (3.5, 1.0, 4),
            (2.5, 1.0, 2),
            (3.4, 2.0, 7),
            (0.4, 1.0, 0),
            (0.6, 0.5, 1),
            (-2.0, 1.0, 0),
            (1e30, 1.0, 250),
        ] {
            assert_eq!(frames(duration, scale), expected, "{duration} at {scale}");
        }
    }

    #[test]
    fn features_are_repeated_in_their_order() {
        let features = NdTensor::from_data([1, 3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let repeated = repeat(&features, &[2, 0, 1]);
        assert_eq!(repeated.shape(), [1, 3, 2]);
        assert_eq!(repeated.into_data(), [1.0, 2.0, 1.0, 2.0, 5.0, 6.0]);
    }
}
