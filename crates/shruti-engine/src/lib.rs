//! Speeches in progress: back ends, workers, deadlines, admission, word marks.
//!
//! An [`Engine`] holds one or more [back ends](Backend), each with threads of its own. [`Engine::speak`] admits a
//! speech or refuses it at once; the [`Speech`] takes text in pieces and gives [chunks](Chunk) of sound with
//! [word marks](WordMark), as they are made and no further ahead than a few chunks. Dropping it cancels it.
//!
//! ```
//! use shruti_engine::{Engine, ParametricBackend, Request};
//!
//! let engine = Engine::builder().backend(ParametricBackend::new()).max_speeches(100).build()?;
//! let mut speech = engine.speak_text(Request::new("Arjun"), "नमस्ते। आप कैसे हैं?")?;
//! while let Some(chunk) = speech.blocking_next() {
//!     let chunk = chunk?;
//!     println!("{} samples, {} words begin", chunk.samples.len(), chunk.marks.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Scheduling
//!
//! A speech in progress is a value that makes its next block on demand and shares nothing with others. A worker
//! does one step of one speech (prepare an utterance), or of a few (render a block of each), then looks again which
//! listener would run dry first: that one comes next, and a speech without sound is due at once. No lock is held
//! while a back end works, nothing is rendered on the caller's threads, and a panic in a step ends that speech only.

mod admission;
mod backend;
mod catalogue;
mod channel;
mod chunk;
mod clock;
mod engine;
mod executor;
mod marks;
mod parametric;
mod queue;
mod speech;
mod speech_task;
mod stats;
#[cfg(test)]
mod tests;
pub mod turn;

pub use backend::{Backend, BackendError, Cost, Description, Job, Length, Prepared, Style, VoiceDescription};
pub use catalogue::Voice;
pub use chunk::{AUDIBLE, Chunk, Sound};
pub use clock::{Clock, SystemClock, TestClock};
pub use engine::{BuildError, Engine, EngineBuilder, MAX_UNSPOKEN};
pub use marks::WordMark;
pub use parametric::ParametricBackend;
pub use speech::{Fault, Refused, Request, Speech, TextRefused};
pub use stats::Stats;
