//! Audio encoding: streaming encoders for PCM, G.711, WAV, Opus and MP3, with resampling; and a writer for WAV files.
//!
//! The input is always mono signed 16-bit samples at [`SAMPLE_RATE`]. A [`Format`] describes the output and
//! [creates](Format::encoder) the encoder:
//!
//! ```
//! use shruti_audio::{Format, FormatError};
//!
//! let format: Format = "mulaw_8000".parse()?;
//! let mut encoder = format.encoder();
//! let samples = [0_i16; 480];
//! let mut bytes = encoder.header(None);
//! bytes.extend(encoder.encode(&samples));
//! bytes.extend(encoder.finish());
//! assert_eq!(bytes.len() as u64, format.samples(480));
//! assert_eq!(format.content_type(), "audio/basic");
//! # Ok::<(), FormatError>(())
//! ```
//!
//! The bytes depend only on the samples, not on how they are split into blocks.
//!
//! [`ClarityFilter`] shapes samples before they are encoded, for listeners on telephones and in noisy rooms.

mod audible;
mod clarity;
mod encoder;
mod encoding;
mod error;
mod format;
mod frames;
pub mod g711;
mod mp3;
mod name;
mod opus;
mod pcm;
mod resample;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
pub mod wav;

pub use audible::{AUDIBLE, has_audible, is_audible};
pub use clarity::ClarityFilter;
pub use encoder::Encoder;
pub use encoding::{Encoding, OPUS_SAMPLE_RATE, SAMPLE_RATES};
pub use error::FormatError;
pub use format::{BIT_RATES, Codec, Format};
pub use pcm::{PcmEncoder, WavEncoder};
pub use resample::{Resampler, resampled_len};

/// Sample rate of the input of every encoder, in samples per second.
pub const SAMPLE_RATE: u32 = 24_000;
