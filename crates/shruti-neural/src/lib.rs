//! Neural voices that an operator installs as packs. This library contains no trained weights.
//!
//! A [`Pack`](shruti_packs::Pack) is either imported from a Piper voice ([`import_piper`]), Kokoro-82M
//! ([`import_kokoro`]) or a folder of graphs ([`import_folder`]), or installed as a finished pack. A [`Synthesiser`]
//! synthesises speech with a pack, and [`PackBackend`] implements the back-end trait for packs.
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
//! - VITS in two halves. The *front* turns symbols into *frames* of about 12 ms each and reports the number of frames
//!   of each symbol; the *decoder* turns frames into samples.
//! - An acoustic model and a vocoder in three parts, as [`import_folder`] reads them: symbols to features and
//!   durations; features, which this crate repeats according to the durations, to a mel spectrogram; the mel
//!   spectrogram to samples.
//! - A single graph that turns symbols into samples and normalises over the whole utterance.
//!
//! Decoders and vocoders run in chunks with some frames of *context* on each side, whose samples are discarded. The
//! first samples are therefore available before the utterance is complete. The import measures the context with which
//! decoding in chunks produces the same samples, bit for bit, as decoding the whole utterance in one run. For a graph
//! that runs as a whole, utterances are split into [parts](shruti_backend::Backend::parts) of limited length, and the
//! first part is short.
//!
//! # Samples
//!
//! The same symbols and [`Settings`] produce the same samples on one machine and build, regardless of the chunk sizes
//! and the number of threads. Graphs draw no random numbers: the import replaces the nodes that draw them with inputs.
//!
//! # Security
//!
//! A pack may come from an untrusted source; `shruti_packs` checks its names, lengths and checksums. The runtime code
//! that a graph can reach is safe Rust, but the runtime does not limit the time, the memory or the stack of a run. A
//! server therefore runs each pack as a [`PackProcess`], and first tests a pack that has never run on the machine in a
//! process with [limits](run_limited). The import limits the duration of the audio that a text can produce. Errors
//! contain no part of a text, only counts.

mod backend;
mod import;
mod limiter;
mod load_error;
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
    CapturedOutput, ChildError, ConfigError, CutError, ImportError, ImportOptions, KOKORO_TERMS,
    KokoroOptions, Limits, OperatorError, PiperConfig, import_folder, import_kokoro, import_piper,
    run_limited,
};
pub use load_error::LoadError;
pub use process::{PackProcess, ProcessError, ProcessLimits, ProcessPassage, ServeError, serve_pack};
pub use schedule::Chunks;
pub use session::GraphError;
pub use symbols::{SymbolError, SymbolSequence, SymbolTable};
pub use synthesis::{Synthesis, SynthesisError};
pub use synthesiser::{Passage, PreparedPassage, Settings, Synthesiser};
pub use threads::on_a_worker;
pub use trim::Trim;
pub use verify::{CountError, UnknownSymbols, lines};
pub use writers::{Dialect, SymbolUtterance, SymbolWord, Writer, WriterError};
