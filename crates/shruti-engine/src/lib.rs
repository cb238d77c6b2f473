//! Speeches in progress: back ends, workers, deadlines, admission, word marks.
//!
//! An [`Engine`] holds one or more [back ends](shruti_backend::Backend), with threads of their own or [shared](SharedBackends) ones. [`Engine::speak`] admits a
//! speech or refuses it at once; the [`Speech`] takes text in pieces and gives [chunks](Chunk) of sound with
//! [word marks](WordMark), as they are made and no further ahead than a few chunks. Dropping it cancels it.
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
//! A speech in progress is a value that makes its next block on demand and shares nothing with others. A worker
//! does one step of one speech (prepare an utterance), or of a few (render a block of each), then looks again which
//! listener would run dry first: that one comes next, and a speech without sound is due at once. No lock is held
//! while a back end works, nothing is rendered on the caller's threads, and a panic in a step ends that speech only.
//!
//! # Routes
//!
//! Several back ends may give one voice, each in languages of its own. The first of them reads the text on its threads:
//! that is cheap, and does not wait for a step of another that takes long. Each utterance then goes to the back end for
//! its language and comes back when it has been rendered; what the reading back end speaks itself it prepares in the
//! step in which it has read it. The language of an utterance is that of its words, and where these are in several
//! (English ones do not count), or the voice does not speak it, that of the text: the one asked for, or found in the
//! first segment. The text stays one speech: its sound and its marks come in its order, and it is listed, metered and
//! cancelled as one.
//!
//! A speech is admitted by the engine, by the back end that reads it, and by each other back end as soon as it is known
//! to have something to do: at once where the language is given, else with the first utterance for it. A back end
//! without room then ends the speech with [`Fault::Refused`]; mostly that is before its first sound. What is refused in
//! the middle is not spoken by another back end instead: the same request gives the same samples or an error. The operator
//! may [ask for the contrary](SharedBackends::falls_back).
//!
//! # Back ends that come and go
//!
//! [`Engine::share`] replaces the shared back ends and the routes to them while speeches are in progress: these hold the
//! back ends with which they began, which end with the last of them. Shared back ends work on the same threads, in the
//! order of deadlines, and within one budget; the threads stand back behind all others of the system.

mod admission;
mod binding;
mod channel;
mod chunk;
mod engine;
mod executor;
mod executors;
mod marks;
mod queue;
mod routes;
mod seats;
mod shared;
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
pub use chunk::{Chunk, ClauseMark, Sound};
pub use engine::{BackendState, BuildError, Engine, EngineBuilder, MAX_UNSPOKEN};
pub use marks::WordMark;
pub use queue::Step;
pub use seats::Seats;
pub use shared::{LeftOut, Route, SharedBackends, SharedThreads};
pub use speech::{Fault, Refused, Request, Speech, TextRefused};
pub use stats::Stats;
pub use step_times::{MAX_STRETCHES, StepTimes, Stretch, Worked};
pub use voices::{Voice, VoiceLanguage, Voices};
