//! Interface to a loaded pack, in this process or in a separate one.

use std::fmt::Debug;
use std::time::Duration;

use shruti_packs::Manifest;

use crate::session::GraphError;
use crate::symbols::{SymbolSequence, SymbolTable};
use crate::synthesiser::{Passage, PreparedPassage, Settings, Synthesiser};

/// Error during synthesis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SynthesisError {
    /// A graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The process that runs the pack has ended. A new one will be started.
    #[error("{reason}")]
    Unavailable {
        /// Reason why the process ended.
        reason: String,
        /// Time until a new process is started.
        retry_after: Duration,
    },
}

/// A loaded pack: a [`Synthesiser`] in this process, or a [`PackProcess`](crate::PackProcess).
pub trait Synthesis: Debug + Send + Sync + 'static {
    /// An utterance in progress. Dropping this value cancels the utterance.
    type Passage: Debug + Send + 'static;

    /// Returns the manifest of the pack.
    fn manifest(&self) -> &Manifest;

    /// Returns the symbol table of the pack.
    fn symbols(&self) -> &SymbolTable;

    /// Returns whether the pitch can be shifted.
    fn has_pitch(&self) -> bool;

    /// Returns whether the pack reports word timestamps.
    fn has_word_times(&self) -> bool;

    /// Returns the number of threads per run.
    fn threads(&self) -> usize;

    /// Sets the number of threads for all following runs.
    fn set_threads(&mut self, threads: usize);

    /// Performs all computation that must precede the first sample, and returns the prepared utterance.
    fn prepare(
        &self,
        sequence: &SymbolSequence,
        settings: &Settings,
    ) -> Result<PreparedPassage<Self::Passage>, SynthesisError>;

    /// Returns the next chunk of samples at 24,000 Hz, or `None` at the end.
    fn next(&self, passage: &mut Self::Passage) -> Result<Option<Vec<i16>>, SynthesisError>;

    /// Returns whether the pack can currently be used.
    fn is_usable(&self) -> bool {
        true
    }
}

impl Synthesis for Synthesiser {
    type Passage = Passage;

    fn manifest(&self) -> &Manifest {
        self.manifest()
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbols()
    }

    fn has_pitch(&self) -> bool {
        self.has_pitch()
    }

    fn has_word_times(&self) -> bool {
        self.has_word_times()
    }

    fn threads(&self) -> usize {
        self.threads()
    }

    fn set_threads(&mut self, threads: usize) {
        Synthesiser::set_threads(self, threads);
    }

    fn prepare(
        &self,
        sequence: &SymbolSequence,
        settings: &Settings,
    ) -> Result<PreparedPassage, SynthesisError> {
        Ok(self.prepare(sequence, settings)?)
    }

    fn next(&self, passage: &mut Passage) -> Result<Option<Vec<i16>>, SynthesisError> {
        Ok(self.next(passage)?)
    }
}
