//! From samples to formats: streaming encoders (header, encode, finish), and WAV files.

mod encoder;
pub mod wav;

pub use encoder::{Encoder, PcmEncoder, WavEncoder};
