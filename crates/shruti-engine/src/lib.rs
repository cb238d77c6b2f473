//! Speech synthesis engine: back ends, worker threads, deadline scheduling, admission control and word marks.
//!
//! An [`Engine`] has one or more [back ends](shruti_backend::Backend), with their own or [shared](SharedBackends)
//! threads. [`Engine::speak`] either admits a speech stream or refuses it immediately. The returned [`Speech`] accepts
//! text in pieces and yields [chunks](Chunk) of audio with [word marks](WordMark) as they are rendered, at most a few
//! chunks ahead of the listener. Dropping it cancels the stream.
//!
//! ```
//! use shruti_engine::{Engine, Request};
//! use shruti_voice::ParametricBackend;
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
//! An active stream is a value that renders its next block on demand and shares nothing with other streams. A worker
//! runs one step of one stream (prepare an utterance) or of several streams (render a block of each). It then picks the
//! stream whose listener would run out of audio first; a stream that has no audio yet is due immediately. No lock is
//! held while a back end works, nothing is rendered on the caller's threads, and a panic in a step ends only the
//! streams of that step.
//!
//! # Routes
//!
//! Several back ends may provide one voice, each in different languages. The first of them reads the text on its
//! threads. Reading is cheap and does not wait for slow steps of the other back ends. Each utterance is then passed to
//! the back end for its language. When the utterance has been rendered, the stream returns to the reading back end. If
//! the reading back end speaks the utterance itself, it prepares the utterance in the same step.
//!
//! The language of an utterance is the language of its words. If the words are in several languages (not counting
//! English), or the voice does not speak their language, the language of the utterance is that of the text: the
//! requested one, or the one detected in the first segment. The text remains one stream: its audio and marks are in
//! text order, and it is listed, metered and cancelled as a unit.
//!
//! A stream must be admitted by the engine, by the back end that reads it, and by every other back end as soon as that
//! back end is known to be needed: immediately if the language is given, otherwise with the first utterance for that
//! back end. A back end without capacity ends the stream with [`Fault::Rejected`], usually before its first audio. By
//! default, no other back end takes over the rest of a refused stream, so that the same request returns the same
//! samples or an error. The operator can [enable a fallback](SharedBackends::falls_back).
//!
//! # Replacing back ends at run time
//!
//! [`Engine::share`] replaces the shared back ends and the routes to them while streams are active. Active streams keep
//! the back ends that they started with; a removed back end is dropped after its last stream. Shared back ends run on
//! the same threads, in deadline order and within one budget. These threads have a lower priority than the other
//! threads of the system.

mod admission;
mod binding;
mod channel;
mod chunk;
mod engine;
mod error;
mod executor;
mod executors;
mod panics;
mod queue;
mod routes;
mod seats;
mod shared;
mod source;
mod speech;
mod speech_task;
mod stats;
mod step_times;
#[cfg(test)]
mod tests;
pub mod turn;
mod voices;
mod workers;

pub use binding::Binding;
pub use chunk::{Chunk, ClauseMark, StreamItem};
pub use engine::{BackendState, BuildError, Engine, EngineBuilder, MAX_UNSPOKEN};
pub use error::{Fault, PushError, SpeakError};
pub use queue::Step;
pub use seats::Seats;
pub use shared::{Route, SharedBackends, SharedThreads, UnusableBackend};
pub use shruti_backend::marks::WordMark;
pub use source::SpeechSource;
pub use speech::{Request, Speech};
pub use stats::Stats;
pub use step_times::{MAX_STEP_SPANS, StepSpan, StepSummary, StepTimes};
pub use voices::{Voice, VoiceLanguage, Voices};
