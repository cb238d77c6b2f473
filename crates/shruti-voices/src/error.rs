//! What can go wrong with the voices of an engine.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use shruti_engine::{BuildError, Fault, Refused, TextRefused};
use shruti_lang::VoiceId;
use shruti_lang::suggestion::did_you_mean;
use shruti_learned::WeightsError;
use shruti_neural::{
    BackendLoadError, ChildError, GraphError, ImportError, LoadError, ProcessError, ServeError, SymbolError,
    WriterError,
};
use shruti_packs::PackError;
use shruti_remote::RemoteLoadError;

use crate::routes::RouteError;

/// An engine or its packs could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum VoicesError {
    /// The weights of the learned voices are wrong.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The engine refuses the back ends.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// A pack, or the folder of packs, cannot be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A pack could not be tried.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A pack could not be tried in this process.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The process of a pack could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A trained pack cannot be a back end.
    #[error(transparent)]
    Backend(#[from] BackendLoadError),
    /// A remote pack cannot be a back end.
    #[error(transparent)]
    Remote(#[from] RemoteLoadError),
    /// A route leads to no pack.
    #[error("voices")]
    Route(#[from] RouteError),
    /// The packs take too much memory together.
    #[error(
        "the packs take {needed_mib} MiB when they all speak, packs-memory is {most_mib} MiB; the largest is {largest}"
    )]
    Memory {
        /// What they take.
        needed_mib: u64,
        /// What they may take.
        most_mib: u64,
        /// The id of the pack that takes most.
        largest: String,
    },
    /// No voice has this name.
    #[error(
        "voice '{voice}' does not exist; voices are {}, with the packs in {}{}{broken}",
        voices.join(", "), folder.display(), did_you_mean(voice.as_str(), voices.iter().map(String::as_str))
    )]
    UnknownVoice {
        /// The name.
        voice: VoiceId,
        /// Those that there are.
        voices: Vec<String>,
        /// The folder of packs.
        folder: PathBuf,
        /// The packs that cannot be used, and why.
        broken: String,
    },
}

/// A task was not done by its process.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// It cannot be written as JSON.
    #[error("a path is no UTF-8")]
    Path(#[source] serde_json::Error),
    /// The program that does it is not known.
    #[error("the program's own file")]
    Program(#[source] io::Error),
    /// Its process failed, or took more than it may.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The process ended well, without the answer of its task.
    #[error("the process that ran the pack gave no answer")]
    Answer(#[source] serde_json::Error),
}

/// A task failed in its process.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// What was handed over is no task.
    #[error("not a task")]
    Task(#[source] serde_json::Error),
    /// The process could not be limited, or its answer not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The answer could not be written.
    #[error(transparent)]
    Answer(#[from] serde_json::Error),
    /// A pack cannot be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A pack cannot be made.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A pack cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Its symbols are wrong.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// Nothing writes its symbols.
    #[error(transparent)]
    Writer(#[from] WriterError),
    /// It cannot be a back end.
    #[error(transparent)]
    Backend(#[from] BackendLoadError),
    /// The engine refuses it.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// A sentence was refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A text was refused.
    #[error(transparent)]
    Text(#[from] TextRefused),
    /// A sentence could not be spoken to its end.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It could not serve.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// An error with its causes, as `error: cause: cause`.
pub(crate) struct Reasons<'a>(pub(crate) &'a dyn Error);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
