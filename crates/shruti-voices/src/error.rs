//! Errors that occur when the voices of an engine are set up, or when a task with a pack runs.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use shruti_engine::{BuildError, Fault, PushError, SpeakError};
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

/// Reason why an engine or its packs could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum VoicesError {
    /// The weights of the learned voices are invalid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The engine rejected the back ends.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// A pack, or the folder of packs, cannot be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The trial of a pack in a child process failed.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The trial of a pack in this process failed.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The process of a pack could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A trained pack cannot be used as a back end.
    #[error(transparent)]
    Backend(#[from] BackendLoadError),
    /// A remote pack cannot be used as a back end.
    #[error(transparent)]
    Remote(#[from] RemoteLoadError),
    /// A route is invalid, for example because its pack is not installed.
    #[error("voices")]
    Route(#[from] RouteError),
    /// The packs together exceed the memory limit.
    #[error(
        "the packs need {needed_mib} MiB when they all speak, but packs-memory is {most_mib} MiB; the largest pack is {largest}"
    )]
    Memory {
        /// Required memory, in MiB.
        needed_mib: u64,
        /// Memory limit, in MiB.
        most_mib: u64,
        /// ID of the pack that needs the most memory.
        largest: String,
    },
    /// No voice has this name.
    #[error(
        "voice '{voice}' does not exist; voices are {}, with the packs in {}{}{broken}",
        voices.join(", "), folder.display(), did_you_mean(voice.as_str(), voices.iter().map(String::as_str))
    )]
    UnknownVoice {
        /// Name of the requested voice.
        voice: VoiceId,
        /// Names of the available voices.
        voices: Vec<String>,
        /// Folder of packs.
        folder: PathBuf,
        /// Packs that cannot be used, with reasons.
        broken: String,
    },
}

/// Reason why a task failed, as seen by its parent process.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The task cannot be serialised as JSON.
    #[error("a path is not valid UTF-8")]
    Path(#[source] serde_json::Error),
    /// The command of the child process could not be determined.
    #[error("cannot find the program's own file")]
    Program(#[source] io::Error),
    /// The process failed or exceeded its limits.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The process succeeded, but its output is not a result of the task.
    #[error("the process that ran the pack returned no result")]
    Answer(#[source] serde_json::Error),
}

/// Reason why a task failed in its process.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The argument is not a valid task.
    #[error("not a valid task")]
    Task(#[source] serde_json::Error),
    /// An operation of the process failed, for example setting its limits or writing its output.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The result could not be serialised.
    #[error(transparent)]
    Answer(#[from] serde_json::Error),
    /// A pack cannot be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A voice cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A pack cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The symbol table of a pack is invalid, or a text cannot be converted with it.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// No writer can produce the symbols of a pack.
    #[error(transparent)]
    Writer(#[from] WriterError),
    /// A pack cannot be used as a back end.
    #[error(transparent)]
    Backend(#[from] BackendLoadError),
    /// The engine rejected a pack.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// A sentence was rejected.
    #[error(transparent)]
    Rejected(#[from] SpeakError),
    /// A text was rejected.
    #[error(transparent)]
    Text(#[from] PushError),
    /// A sentence could not be synthesised completely.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A pack could not be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Displays an error with its causes, as `error: cause: cause`.
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
