//! Embedded learned voices: synthesis of utterances to 24 kHz samples by two small neural networks.
//!
//! A prosody network predicts the duration of each symbol, F0 and energy. An acoustic decoder converts these to
//! spectra, in chunks with local context. A pulse train and noise are shaped by the spectra to produce samples. Both
//! networks were initialised from the networks of hibari and distilled from Kokoro-82M, which received Shruti's phones
//! in its own symbols (`train/voice/`).
//!
//! # Threads
//!
//! A [`Model`] is read-only and shared; each utterance has its own [`Passage`] of about 100 KB. Matrix products run in
//! the rayon pool of the caller; [`LearnedBackend`] uses a pool of one thread on each of its threads.
//!
//! # Determinism
//!
//! The same utterance and style produce the same samples on one machine, regardless of the block sizes. Other machines
//! round differently:
//!
//! - The sums of `rten-vecmath`, in normalisation and softmax, have as many partial sums as a vector register has
//!   lanes.
//! - `rustfft` has different algorithms for AVX, SSE and Neon.
//! - The inputs of 8-bit products are quantised to 7 bits on x86-64 without VNNI.
//! - `ln`, `cos`, `exp_m1` and `powf` come from the system library, and their results differ between versions of glibc.
//! - Without fused multiply-add (x86-64 before AVX2), products and sums are rounded separately.
//!
//! All processors with fused multiply-add sum matrix products in the same order. Products of integers are exact on
//! every processor.

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

/// Sample rate of the output, in Hz.
const RATE: u32 = shruti_lang::SAMPLE_RATE;
/// Number of samples per frame of the decoder: 12.5 ms.
const FRAME: usize = 300;
/// Window size of the synthesis, in samples.
const FFT: usize = 4 * FRAME;
/// Number of bins of the spectrum of a window.
const BINS: usize = FFT / 2 + 1;
