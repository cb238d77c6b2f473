//! Tests of the networks against reference outputs of the training code (`train/voice/export.py`), and of chunked
//! against unchunked synthesis.

use safetensors::SafeTensors;

use shruti_lang::Language;
use shruti_text::Reader;
use shruti_text::utterance::Utterance;

use crate::decoder::DecoderNetwork;
use crate::layers::{IntegerLinear, Linear, Product};
use crate::model::{Model, Settings};
use crate::prosody::{Curves, ProsodyNetwork, UNVOICED_BELOW, repeated};
use crate::weights::{Weights, WeightsError};

const WEIGHTS: &[u8] = include_bytes!("../data/voice.safetensors");
const REFERENCE: &[u8] = include_bytes!("../data/reference.safetensors");
const SPEAKER: usize = 1;

struct Reference {
    symbols: Vec<u16>,
    durations: Vec<f32>,
    curves: Curves,
    /// Selected frames of the decoder's output, evenly spaced.
    output: Vec<Vec<f32>>,
}

impl Reference {
    fn read() -> Result<Self, WeightsError> {
        let tensors = SafeTensors::deserialize(REFERENCE)?;
        let weights = Weights::new(&tensors);
        let symbols = weights.vector("symbols")?;
        let output = weights.matrix("output")?;
        Ok(Self {
            symbols: symbols.into_iter().map(|symbol| symbol as u16).collect(),
            durations: weights.vector("durations")?,
            curves: Curves { f0: weights.vector("f0")?, energy: weights.vector("energy")? },
            output: (0..output.rows).map(|row| output.row(row).to_vec()).collect(),
        })
    }

    fn rounded(&self) -> Vec<usize> {
        self.durations.iter().map(|frames| (frames.round() as usize).max(1)).collect()
    }
}

fn assert_close(ours: &[f32], theirs: &[f32], tolerance: f32, what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let worst = ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f32::max);
    assert!(worst <= tolerance, "{what}: {worst} away");
}

/// Returns the root mean square of the differences, relative to that of `theirs`.
fn relative_error(ours: &[f32], theirs: &[f32]) -> f32 {
    assert_eq!(ours.len(), theirs.len());
    let differences: f32 = ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).powi(2)).sum();
    (differences / theirs.iter().map(|value| value * value).sum::<f32>()).sqrt()
}

/// Returns the decoder's output for the reference text, processed in pieces of `piece` frames.
fn decode(decoder: &DecoderNetwork, reference: &Reference, piece: usize) -> Vec<f32> {
    let frames: Vec<usize> = reference.rounded().iter().map(|frames| 2 * frames).collect();
    let vectors = decoder.encode(&reference.symbols, SPEAKER);
    let channels = vectors.len() / reference.symbols.len();
    let vectors = repeated(&vectors, &frames);
    let total = vectors.len() / channels;
    let mut state = decoder.start(SPEAKER);
    let pieces = (0..total).step_by(piece).flat_map(|first| {
        let range = first..(first + piece).min(total);
        let (f0, energy) = (&reference.curves.f0[range.clone()], &reference.curves.energy[range.clone()]);
        let curves = Curves { f0: f0.to_vec(), energy: energy.to_vec() };
        let vectors = &vectors[range.start * channels..range.end * channels];
        decoder.advance(&mut state, vectors, &curves, range.end == total)
    });
    pieces.collect()
}

#[test]
fn the_networks_match_their_outputs_in_training() {
    let reference = Reference::read().unwrap();
    let tensors = SafeTensors::deserialize(WEIGHTS).unwrap();
    let weights = Weights::new(&tensors);
    let prosody = ProsodyNetwork::new(&weights.child("prosody")).unwrap();
    let vectors = prosody.encode(&reference.symbols, SPEAKER);
    assert_close(&prosody.durations(&vectors), &reference.durations, 1e-2, "durations");
    let curves = prosody.curves(&vectors, &reference.rounded());
    assert_close(&curves.f0, &reference.curves.f0, 0.5, "F0");
    assert_close(&curves.energy, &reference.curves.energy, 0.05, "energy");

    let decoder = DecoderNetwork::new(&weights.child("decoder")).unwrap();
    let output = decode(&decoder, &reference, usize::MAX / 2);
    let width = reference.output[0].len();
    let frames = output.len() / width;
    let step = (frames / reference.output.len()).max(1);
    for (index, theirs) in reference.output.iter().enumerate() {
        // the error comes from the 8-bit inputs of the products
        let error = relative_error(&output[index * step * width..][..width], theirs);
        assert!(error < 0.02, "frame {}: {error}", index * step);
    }
}

#[test]
fn frames_are_independent_of_chunk_size() {
    let reference = Reference::read().unwrap();
    let tensors = SafeTensors::deserialize(WEIGHTS).unwrap();
    let decoder = DecoderNetwork::new(&Weights::new(&tensors).child("decoder")).unwrap();
    let expected = decode(&decoder, &reference, usize::MAX / 2);
    for piece in [1, 7, 40] {
        let pieces = decode(&decoder, &reference, piece);
        let differing = expected.iter().zip(&pieces).filter(|(expected, piece)| expected != piece).count();
        assert_eq!((differing, pieces.len()), (0, expected.len()), "in pieces of {piece} frames");
    }
}

fn utterance(language: Language, text: &str) -> Utterance {
    let mut reader = Reader::new(shruti_text::Settings { language: Some(language), ..Default::default() });
    reader.push(text);
    reader.finish();
    reader.next_utterance().unwrap()
}

#[test]
fn the_last_word_ends_with_its_audio_and_the_pause_follows() {
    let model = Model::new(WEIGHTS).unwrap();
    for (language, text) in [(Language::Hindi, "नमस्ते।"), (Language::English, "Give me the cash.")]
    {
        let utterance = utterance(language, text);
        for pause in [0, 2_700, 10_800] {
            let settings = Settings { speaker: 0, speed: 1.0, pitch: 0.0, pause, seed: 1 };
            let mut passage = model.prepare(&utterance, &settings);
            let (length, end) = (passage.samples(), passage.words().last().unwrap().end);
            assert!(length - end <= pause.max(600), "{text} {pause}");
            let mut samples = Vec::new();
            while model.render(&mut passage, &mut samples) {}
            assert_eq!(samples.len(), length, "{text} {pause}");
            let level =
                |range: &[f32]| (range.iter().map(|x| x * x).sum::<f32>() / range.len() as f32).sqrt();
            assert!(level(&samples[end - 1_200..end]) > 0.002, "{text}: the last word ends in silence");
            assert!(level(&samples[end + 300..]) < 0.002 || pause == 0, "{text}: the last sound is cut off");
        }
    }
}

/// Returns the pitch of voiced samples in Hz: the pitch from `lowest` to 343 Hz with the highest autocorrelation.
fn pitch(samples: &[f32], lowest: usize) -> f32 {
    let longest = 24_000 / lowest;
    let length = samples.len() - longest;
    let likeness = |lag: usize| {
        let (here, there) = (&samples[..length], &samples[lag..lag + length]);
        let product: f32 = here.iter().zip(there).map(|(a, b)| a * b).sum();
        product / there.iter().map(|b| b * b).sum::<f32>().sqrt()
    };
    let lag = (70..longest).max_by(|&one, &other| likeness(one).total_cmp(&likeness(other))).unwrap();
    24_000.0 / lag as f32
}

/// Returns the pitch at the end of a word of the first utterance of a text, in Hz.
fn end_of_word(model: &Model, speaker: usize, text: &str, word: usize) -> f32 {
    let utterance = utterance(Language::Hindi, text);
    let settings = Settings { speaker, speed: 1.0, pitch: 0.0, pause: 2_700, seed: 1 };
    let mut passage = model.prepare(&utterance, &settings);
    let end = passage.words()[word].end;
    let mut samples = Vec::new();
    while model.render(&mut passage, &mut samples) {}
    pitch(&samples[end - 2_400..end - 1_200], 75)
}

#[test]
fn a_question_ends_higher_than_a_statement() {
    let model = Model::new(WEIGHTS).unwrap();
    for speaker in [0, 1] {
        let end = |text| end_of_word(&model, speaker, text, 2);
        let (statement, question) = (end("वे कल आए।"), end("वे कल आए?"));
        assert!(question > 1.3 * statement, "speaker {speaker}: {statement} Hz, {question} Hz");
    }
}

#[test]
fn continuations_end_higher_than_statements() {
    let model = Model::new(WEIGHTS).unwrap();
    for speaker in [0, 1] {
        let end = |text| end_of_word(&model, speaker, text, 2);
        let (over, goes_on) = (end("वे कल आए।"), end("वे कल आए, आज गए।"));
        assert!(goes_on > 1.15 * over, "speaker {speaker}: {over} Hz, {goes_on} Hz");
    }
}

#[test]
fn the_first_alternative_ends_higher_than_the_last() {
    let model = Model::new(WEIGHTS).unwrap();
    for speaker in [0, 1] {
        let end = |word| end_of_word(&model, speaker, "वे गए या आए?", word);
        let (first, last) = (end(1), end(3));
        assert!(first > 1.3 * last, "speaker {speaker}: {first} Hz, {last} Hz");
    }
}

/// Returns the F0 range of an utterance in octaves, without the highest and the lowest tenth of the voiced frames.
fn range(model: &Model, speaker: usize, utterance: &Utterance) -> f32 {
    let settings = Settings { speaker, speed: 1.0, pitch: 0.0, pause: 2_700, seed: 1 };
    let passage = model.prepare(utterance, &settings);
    let mut voiced: Vec<f32> = passage.f0().iter().copied().filter(|&f0| f0 > UNVOICED_BELOW).collect();
    voiced.sort_unstable_by(f32::total_cmp);
    let tenth = voiced.len() / 10;
    (voiced[voiced.len() - 1 - tenth] / voiced[tenth]).log2()
}

#[test]
fn an_exclamation_has_a_wider_range_and_parentheses_a_narrower_one() {
    let model = Model::new(WEIGHTS).unwrap();
    for speaker in [0, 1] {
        let stated = utterance(Language::Hindi, "वे कल आए।");
        let exclaimed = utterance(Language::Hindi, "वे कल आए!");
        let mut aside = stated.clone();
        for word in &mut aside.words {
            word.aside = true;
        }
        let [stated, exclaimed, aside] =
            [&stated, &exclaimed, &aside].map(|said| range(&model, speaker, said));
        assert!(exclaimed > 1.3 * stated, "speaker {speaker}: {stated}, {exclaimed}");
        assert!(aside < 0.8 * stated, "speaker {speaker}: {stated}, {aside}");
    }
}

#[test]
fn an_emphasised_word_is_higher() {
    let model = Model::new(WEIGHTS).unwrap();
    for speaker in [0, 1] {
        let middle = |text: &str| {
            let utterance = utterance(Language::Hindi, text);
            let settings = Settings { speaker, speed: 1.0, pitch: 0.0, pause: 2_700, seed: 1 };
            let mut passage = model.prepare(&utterance, &settings);
            let word = passage.words()[1].clone();
            let mut samples = Vec::new();
            while model.render(&mut passage, &mut samples) {}
            let middle = word.start.midpoint(word.end);
            pitch(&samples[middle - 600..middle + 600], 120)
        };
        let (plain, emphasised) = (middle("राम आम लाया।"), middle("राम *आम* लाया।"));
        assert!(emphasised > 1.08 * plain, "speaker {speaker}: {plain} Hz, {emphasised} Hz");
    }
}

#[test]
fn products_of_integers_are_close_to_those_of_floats() -> Result<(), WeightsError> {
    let tensors = SafeTensors::deserialize(WEIGHTS)?;
    let decoder = Weights::new(&tensors).child("decoder");
    let mut random = fastrand::Rng::with_seed(1);
    for layer in ["dec.3.pw1", "dec.3.pw2", "head"] {
        let weights = decoder.child(layer);
        let (integers, floats) = (IntegerLinear::new(&weights)?, Linear::new(&weights)?);
        // the kernel processes frames in blocks of up to 64
        for frames in [1, 40, 100] {
            let input: Vec<f32> = (0..frames * floats.inputs()).map(|_| random.f32() * 4.0 - 1.0).collect();
            let error = relative_error(&integers.apply(&input), &floats.apply(&input));
            // rounding errors are inversely proportional to the number of input levels
            let bound = 0.006 * 255.0 / f32::from(integers.levels());
            assert!(error < bound, "{layer}, {frames} frames: {error} of {bound}");
        }
    }
    Ok(())
}
