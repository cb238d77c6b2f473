//! The model: converts utterances to passages, and passages to samples.

use std::fmt;
use std::ops::Range;

use safetensors::SafeTensors;
use shruti_text::utterance::{Contour, Utterance, Weight};

use crate::FRAME;
use crate::boundary_tones;
use crate::decoder::{DecoderNetwork, DecoderState};
use crate::prosody::{Curves, ProsodyNetwork, UNVOICED_BELOW, median, repeated};
use crate::spectrum::{LOOKAHEAD, Synthesis};
use crate::symbols::SymbolSequence;
use crate::tones;
use crate::weights::{Weights, WeightsError};

/// Number of frames of the first chunk.
const FIRST_CHUNK: usize = 8;
/// Number of frames of each later chunk.
const CHUNK: usize = 40;
/// Number of decoder frames per frame of the prosody network.
const HALVES: usize = 2;
/// Maximum silence before the first phone, in frames of the prosody network.
const MAX_SILENCE_BEFORE: usize = 2;
/// Pitch raise of an emphasised word relative to the predicted pitch, in semitones.
const EMPHASIS: f32 = 2.5;
/// Pitch raise of a word in focus relative to the predicted pitch, in semitones.
const FOCUS: f32 = 1.2;
/// Scale factor for the F0 range of exclamations. The rule-based voices use the same values for exclamations and
/// parentheses. Kokoro, the teacher of the networks, speaks both like other text.
const EXCLAMATION_RANGE: f32 = 1.55;
/// Scale factor for the F0 range of words in parentheses.
const ASIDE_RANGE: f32 = 0.6;
/// Pitch shift of words in parentheses, in semitones.
const ASIDE_SHIFT: f32 = -1.5;
/// Number of frames on each side over which a change of pitch is smoothed.
const SMOOTHED: usize = 3;
/// Energy below which a frame is silent: about -52 dB relative to full scale.
const SILENT_BELOW: f32 = 1.0;
/// Minimum number of silent frames after an utterance, during which its last sound decays.
const FADE: usize = 2;

/// The two networks of the voices, read-only and shared by all passages.
pub struct Model {
    prosody: ProsodyNetwork,
    decoder: DecoderNetwork,
}

/// Settings of an utterance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Index of the speaker in the model.
    pub speaker: usize,
    /// Speaking rate; 1.0 is the normal rate of the voice.
    pub speed: f32,
    /// Pitch shift in semitones.
    pub pitch: f32,
    /// Number of samples of silence after the last word.
    pub pause: usize,
    /// Seed of the noise generator.
    pub seed: u64,
}

/// An utterance that is being rendered.
pub struct Passage {
    /// One vector per symbol, with `channels` values each.
    vectors: Vec<f32>,
    channels: usize,
    /// Index of the symbol of each frame.
    symbols: Vec<usize>,
    curves: Curves,
    /// Level change of each frame in dB; empty if all are 0.
    levels: Vec<f32>,
    decoder: DecoderState,
    synthesis: Synthesis,
    /// Number of frames that the decoder has processed.
    taken: usize,
    /// Number of frames whose samples have been returned.
    given: usize,
    /// Number of samples of silence after the last frame.
    silence: usize,
    words: Vec<Range<usize>>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").finish_non_exhaustive()
    }
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage").field("samples", &self.samples()).finish_non_exhaustive()
    }
}

impl Model {
    /// Loads the networks from a weights file.
    pub fn new(file: &[u8]) -> Result<Self, WeightsError> {
        let tensors = SafeTensors::deserialize(file)?;
        let weights = Weights::new(&tensors);
        Ok(Self {
            prosody: ProsodyNetwork::new(&weights.child("prosody"))?,
            decoder: DecoderNetwork::new(&weights.child("decoder"))?,
        })
    }

    /// Plans an utterance: performs all computation that must precede its first sample, and returns the passage.
    pub fn prepare(&self, utterance: &Utterance, settings: &Settings) -> Passage {
        let sequence = SymbolSequence::new(utterance);
        let plan = Plan::new(self, &sequence, utterance, settings);
        let words = sequence.words.iter().map(|word| {
            let place = |symbol: usize| plan.durations[..symbol].iter().sum::<usize>() * FRAME;
            place(word.start)..place(word.end)
        });
        let repeats = plan.durations.iter().enumerate();
        let symbols: Vec<_> =
            repeats.flat_map(|(symbol, &frames)| std::iter::repeat_n(symbol, frames)).collect();
        let vectors = self.decoder.encode(&sequence.symbols, settings.speaker);
        Passage {
            channels: vectors.len() / sequence.symbols.len().max(1),
            vectors,
            silence: settings.pause.saturating_sub(plan.tail * FRAME),
            words: words.collect(),
            symbols,
            curves: plan.curves,
            levels: plan.levels,
            decoder: self.decoder.start(settings.speaker),
            synthesis: Synthesis::new(settings.seed),
            taken: 0,
            given: 0,
        }
    }

    /// Appends the next chunk of samples, between -1 and 1. Returns `false` if there are no more samples.
    pub fn render(&self, passage: &mut Passage, samples: &mut Vec<f32>) -> bool {
        let frames = passage.symbols.len();
        if passage.given == frames {
            let silence = std::mem::take(&mut passage.silence);
            samples.resize(samples.len() + silence, 0.0);
            return silence > 0;
        }
        let chunk = if passage.given == 0 { FIRST_CHUNK } else { CHUNK };
        let needed = passage.given + chunk + self.decoder.context() + LOOKAHEAD;
        let range = passage.taken..needed.min(frames).max(passage.taken);
        let is_end = range.end == frames;
        let channels = passage.channels;
        let vectors = passage.symbols[range.clone()].iter();
        let vectors: Vec<f32> =
            vectors.flat_map(|&symbol| &passage.vectors[symbol * channels..][..channels]).copied().collect();
        let curves = Curves {
            f0: passage.curves.f0[range.clone()].to_vec(),
            energy: passage.curves.energy[range.clone()].to_vec(),
        };
        let output = self.decoder.advance(&mut passage.decoder, &vectors, &curves, is_end);
        passage.taken = range.end;
        let first = samples.len();
        passage.synthesis.advance(&output, &passage.curves, is_end, samples);
        passage.scale(&mut samples[first..]);
        passage.given += (samples.len() - first) / FRAME;
        true
    }
}

impl Passage {
    /// Returns the total number of samples, including the silence at the end.
    pub fn samples(&self) -> usize {
        self.symbols.len() * FRAME + self.silence
    }

    /// Returns the F0 of each frame in Hz; 0 for unvoiced frames.
    #[cfg(test)]
    pub(crate) fn f0(&self) -> &[f32] {
        &self.curves.f0
    }

    /// Returns the range of samples of each word.
    pub fn words(&self) -> &[Range<usize>] {
        &self.words
    }

    /// Applies the level changes to the samples of the next frames.
    fn scale(&self, samples: &mut [f32]) {
        if self.levels.is_empty() {
            return;
        }
        let gain = |frame: usize| {
            let level = self.levels[frame.min(self.levels.len() - 1)];
            10f32.powf(level / 20.0)
        };
        for (index, frame) in samples.chunks_exact_mut(FRAME).enumerate() {
            let (from, to) = (gain(self.given + index), gain(self.given + index + 1));
            for (place, sample) in frame.iter_mut().enumerate() {
                *sample *= from + (to - from) * place as f32 / FRAME as f32;
            }
        }
    }
}

/// Durations and curves of an utterance, in frames of the decoder.
struct Plan {
    /// Number of frames of each symbol.
    durations: Vec<usize>,
    /// Number of frames after the last word.
    tail: usize,
    curves: Curves,
    levels: Vec<f32>,
}

impl Plan {
    fn new(model: &Model, sequence: &SymbolSequence, utterance: &Utterance, settings: &Settings) -> Self {
        let vectors = model.prosody.encode(&sequence.symbols, settings.speaker);
        let predicted = model.prosody.durations(&vectors);
        let mut natural: Vec<usize> =
            predicted.iter().map(|frames| (frames.round() as usize).max(1)).collect();
        natural[0] = natural[0].min(MAX_SILENCE_BEFORE);
        let tail = sequence.words.last().map_or(natural.len(), |word| word.end);
        let rates = rates(sequence, utterance, settings, &natural, tail);
        let durations = scaled(&natural, &rates);
        let curves = resampled(&model.prosody.curves(&vectors, &natural), &natural, &durations);
        let mut plan = Self { tail: durations[tail..].iter().sum(), durations, curves, levels: Vec::new() };
        plan.trim(tail, settings.pause);
        for (word, tone) in boundary_tones::of(utterance) {
            let symbols = &sequence.words[word];
            let frames = plan.place(symbols.start)..plan.place(symbols.end);
            let sonorous_end = plan.place(sequence.sonorous_ends[word]);
            boundary_tones::apply(&mut plan.curves.f0, frames, sonorous_end, tone);
        }
        let pitch = model.prosody.semitones(settings.speaker) + settings.pitch;
        plan.shift(sequence, utterance, pitch);
        plan
    }

    /// Returns the first frame of a symbol.
    fn place(&self, symbol: usize) -> usize {
        self.durations[..symbol].iter().sum()
    }

    /// Removes silence at the end that exceeds the pause. The networks assign most of the silence after an utterance to
    /// its last phone. Without this method, this silence of 150 to 250 ms would be added to the pause.
    ///
    /// `tail` is the first symbol after the last word; `pause` is in samples.
    fn trim(&mut self, tail: usize, pause: usize) {
        let silent = self.curves.energy.iter().rev().take_while(|energy| **energy < SILENT_BELOW).count();
        let sounding = self.curves.energy.len() - silent;
        if sounding == 0 || tail >= self.durations.len() {
            return;
        }
        let mut left = sounding;
        for duration in &mut self.durations {
            *duration = left.min(*duration);
            left -= *duration;
        }
        // the last word ends where its sound ends, so the remaining silence belongs to the tail
        let length = silent.min((pause / FRAME).max(FADE));
        self.durations[tail] += length;
        self.tail = self.durations[tail..].iter().sum();
        self.curves.f0.truncate(sounding + length);
        self.curves.energy.truncate(sounding + length);
    }

    /// Applies pitch ranges, pitch shifts, level changes and lexical tones.
    fn shift(&mut self, sequence: &SymbolSequence, utterance: &Utterance, pitch: f32) {
        let factor = if utterance.contour == Contour::Exclamation { EXCLAMATION_RANGE } else { 1.0 };
        let mut ranges = vec![factor; self.durations.len()];
        let mut semitones = vec![pitch; self.durations.len()];
        let mut levels = vec![0.0; self.durations.len()];
        for (word, symbols) in utterance.words.iter().zip(&sequence.words) {
            for value in &mut semitones[symbols.clone()] {
                *value += word.delivery.pitch + pitch_raise(word.weight, utterance.contour);
                if word.aside {
                    *value += ASIDE_SHIFT;
                }
            }
            if word.aside {
                ranges[symbols.clone()].fill(factor * ASIDE_RANGE);
            }
            levels[symbols.clone()].fill(word.delivery.volume);
        }
        let places = |vowel: &Range<usize>| self.place(vowel.start)..self.place(vowel.end);
        let tones = sequence.tones.iter().map(|(vowel, tone)| (places(vowel), *tone));
        let tones = tones::semitones(tones, self.curves.f0.len());
        let median = median(&self.curves.f0);
        let frames = |of_symbols: &[f32]| smoothed(&repeated(of_symbols, &self.durations));
        let changes = frames(&ranges).into_iter().zip(frames(&semitones)).zip(tones);
        for (f0, ((range, shift), tone)) in self.curves.f0.iter_mut().zip(changes) {
            let is_voiced = *f0 > UNVOICED_BELOW;
            let widened = median.map_or(1.0, |median| (*f0 / median).powf(range - 1.0));
            *f0 *= 2f32.powf((shift + tone) / 12.0) * if is_voiced { widened } else { 1.0 };
        }
        if levels.iter().any(|&level| level != 0.0) {
            self.levels = repeated(&levels, &self.durations);
        }
    }
}

/// Returns the pitch raise of a word in semitones. The teacher does not model emphasis.
fn pitch_raise(weight: Weight, contour: Contour) -> f32 {
    match weight {
        Weight::Function | Weight::Content => 0.0,
        // a question word has the highest pitch of its question
        Weight::Focus if contour == Contour::WhQuestion => EMPHASIS,
        Weight::Focus => FOCUS,
        Weight::Emphasis => EMPHASIS,
    }
}

/// Returns the moving average of the values, so that the pitch does not jump between words.
fn smoothed(values: &[f32]) -> Vec<f32> {
    let mean = |frame: usize| {
        let around = &values[frame.saturating_sub(SMOOTHED)..(frame + SMOOTHED + 1).min(values.len())];
        around.iter().sum::<f32>() / around.len() as f32
    };
    (0..values.len()).map(mean).collect()
}

/// Returns the rate of each symbol. A symbol of a word has the rate of the word. After the last word, the rate shortens
/// the natural silence to the pause; a shorter silence is not lengthened.
fn rates(
    sequence: &SymbolSequence,
    utterance: &Utterance,
    settings: &Settings,
    natural: &[usize],
    tail: usize,
) -> Vec<f32> {
    let mut rates = vec![settings.speed; natural.len()];
    for (word, symbols) in utterance.words.iter().zip(&sequence.words) {
        rates[symbols.clone()].fill(settings.speed * word.delivery.rate);
    }
    let silence = (natural[tail..].iter().sum::<usize>() * HALVES * FRAME) as f32;
    rates[tail..].fill((silence / settings.pause.max(1) as f32).max(1.0));
    rates
}

/// Returns the durations at the given rates, in frames of the decoder, at least 1 each. Rounding errors do not
/// accumulate.
fn scaled(natural: &[usize], rates: &[f32]) -> Vec<usize> {
    let (mut exact, mut end) = (0.0, 0);
    let durations = natural.iter().zip(rates).map(|(&frames, rate)| {
        exact += (frames * HALVES) as f32 / rate;
        let duration = (exact.round() as usize).saturating_sub(end).max(1);
        end += duration;
        duration
    });
    durations.collect()
}

/// Returns the curves of each symbol, stretched from its natural duration to its new duration.
fn resampled(curves: &Curves, natural: &[usize], durations: &[usize]) -> Curves {
    let mut resampled = Curves::default();
    let mut first = 0;
    for (&natural, &duration) in natural.iter().zip(durations) {
        let natural = natural * HALVES;
        for frame in 0..duration {
            let place = (frame as f32 + 0.5) / duration as f32 * natural as f32 - 0.5;
            let place = place.clamp(0.0, (natural - 1) as f32);
            let (from, share) = (place.floor() as usize, place.fract());
            let to = (from + 1).min(natural - 1);
            let between = |curve: &[f32]| {
                let (from, to) = (curve[first + from], curve[first + to]);
                from + (to - from) * share
            };
            let nearest = curves.f0[first + place.round() as usize];
            let f0 = between(&curves.f0);
            let is_voiced = nearest > UNVOICED_BELOW;
            resampled.f0.push(if is_voiced { f0.max(UNVOICED_BELOW) } else { nearest });
            resampled.energy.push(between(&curves.energy));
        }
        first += natural;
    }
    resampled
}
