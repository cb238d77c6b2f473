//! Trained voices that an operator brings, as packs. This project ships no trained weights.
//!
//! A [`Pack`](shruti_packs::Pack) is made of a Piper voice ([`import_piper`]), of Kokoro-82M ([`import_kokoro`]) or a folder of
//! graphs ([`import_folder`]), or comes as a pack. A [`Synthesiser`] speaks with it, and [`PackBackend`] puts it behind the trait of back ends.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use shruti_neural::{Settings, Synthesiser};
//! use shruti_packs::Pack;
//!
//! let synthesiser = Synthesiser::load(&Pack::open(Path::new("packs/te-padmavathi"))?, 1)?;
//! let words = [["n", "ə", "m"], ["aː", "p", "k"]];
//! let sequence = synthesiser.symbols().sequence(words)?;
//! let mut prepared = synthesiser.prepare(&sequence, &Settings::default())?;
//! while let Some(samples) = synthesiser.next(&mut prepared.passage)? {
//!     println!("{} samples of 24,000 Hz", samples.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Graphs
//!
//! A pack has one of three [kinds](shruti_packs::Graph):
//!
//! - VITS in two halves. The *front* reads symbols and gives *frames*, some 12 ms each, and how many of them each symbol
//!   has; the *decoder* turns frames to samples.
//! - An acoustic model and a vocoder in three parts, as [`import_folder`] takes them: symbols to features and durations;
//!   features, which are repeated here for their durations, to mel; mel to samples.
//! - A graph that goes from symbols to samples and normalises over the whole utterance.
//!
//! Decoders and vocoders run in chunks with some frames of *context* on each side, whose samples are left out; so sound
//! comes before all of it is made. Import finds how much context makes chunks equal the whole bit for bit. What runs whole
//! speaks in [parts](shruti_backend::Backend::parts) of some symbols, the first of them short.
//!
//! # Samples
//!
//! The same symbols and [`Settings`] give the same samples on one machine and build, however they are cut into chunks
//! and whatever the number of threads. Graphs draw no random numbers of their own: import makes inputs of them.
//!
//! # Security
//!
//! A pack may come from anywhere; `shruti_packs` checks its names, lengths and checksums. The runtime is safe Rust in
//! what a graph can reach, but bounds neither the time, the memory nor the stack of a run: a server runs each pack as a
//! [`PackProcess`], and what has never run on this machine is first tried in a process with [limits](run_limited).
//! Import bounds how much sound a text can ask for. Errors say nothing of a text but counts.

mod backend;
mod import;
mod limiter;
mod model;
mod noise;
mod parts;
mod process;
mod schedule;
mod session;
mod symbols;
mod synthesis;
mod synthesiser;
mod threads;
mod trim;
mod verify;
mod writers;

pub use backend::{BackendLoadError, PackBackend, PackRenderState, PauseSamples};
pub use import::{
    ChildError, ConfigError, CutError, ImportError, ImportOptions, KOKORO_TERMS, KokoroOptions, Limits,
    OperatorError, PiperConfig, Said, import_folder, import_kokoro, import_piper, run_limited,
};
pub use process::{PackProcess, ProcessError, ProcessLimits, ProcessPassage, ServeError, serve_pack};
pub use schedule::Chunks;
pub use session::GraphError;
pub use symbols::{SymbolError, SymbolSequence, SymbolTable};
pub use synthesis::{Synthesis, SynthesisError};
pub use synthesiser::{LoadError, Passage, PreparedPassage, Settings, Synthesiser};
pub use threads::on_a_worker;
pub use trim::Trim;
pub use verify::{CountError, UnknownSymbols, lines};
pub use writers::{Dialect, Writer, WriterError, Written, WrittenWord};
