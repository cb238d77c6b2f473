//! The embedded learned voices: utterances to 24 kHz samples by two small neural networks.
//!
//! A prosody network says how long each symbol lasts and gives F0 and energy; an acoustic decoder turns these into spectra,
//! in chunks with local context; a pulse train and noise, shaped by the spectra, become samples. Both networks are distilled
//! from Kokoro-82M, which speaks our phones, and began as hibari's (`train/voice/`).
//!
//! # Threads and samples
//!
//! A [`Model`] is read-only and shared; each utterance has a [`Passage`] of its own, of some 100 KB. Matrix products run in the
//! rayon pool of the caller; [`LearnedBackend`] gives each of its threads a pool of one. The same utterance and style give the
//! same samples on one machine, however blocks are asked for; other processors round differently.

mod backend;
mod boundary_tones;
mod decoder;
mod layers;
mod model;
mod prosody;
mod pulses;
mod spectrum;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod tones;
mod weights;

pub use backend::{LearnedBackend, LearnedRenderState};
pub use model::{Model, Passage, Settings};
pub use weights::WeightsError;

/// Samples a second.
const RATE: u32 = shruti_lang::SAMPLE_RATE;
/// Samples of a frame of the decoder: 12.5 ms.
const FRAME: usize = 300;
/// Samples of a window of the synthesis, and the bins of its spectrum.
const FFT: usize = 4 * FRAME;
const BINS: usize = FFT / 2 + 1;
