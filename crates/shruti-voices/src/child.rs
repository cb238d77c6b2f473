//! Work on packs that come from elsewhere, in a process of its own: a graph may be made to take time and memory without
//! end. The process is a program that hands its last argument to [`work`].

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shruti_engine::SharedThreads;
use shruti_neural::{ChildError, Limits, PackProcess, ProcessError, import_folder, run_limited, serve_pack};
use shruti_packs::Pack;
use tokio::signal::unix::{SignalKind, signal};

use crate::error::{TaskError, VoicesError, WorkError};
use crate::import::{KokoroImport, PiperImport};
use crate::measure::{self, Measured};
use crate::runner::Runner;
use crate::speak::{self, Speaking};

/// Address space that a process takes without any pack: the program, its libraries and its heap.
const ADDRESS_SPACE: u64 = 512 << 20;
/// Address space of a worker: the stacks of its two threads, and the arenas that the allocator reserves for them.
const ADDRESS_SPACE_OF_A_WORKER: u64 = 192 << 20;

/// What the process shall do.
#[derive(Debug, Serialize, Deserialize)]
pub enum Work {
    /// Make a pack of a Piper voice. Answers nothing.
    ImportPiper(PiperImport),
    /// Make a pack of Kokoro-82M. Answers nothing.
    ImportKokoro(KokoroImport),
    /// Make a pack of a folder as an exporter writes it, in this folder of packs. Answers nothing.
    ImportFolder {
        /// The folder of packs.
        packs: PathBuf,
        /// What the exporter wrote.
        folder: PathBuf,
    },
    /// Load a pack and run its longest utterance. Answers [`Measured`].
    Measure {
        /// Its folder.
        pack: PathBuf,
    },
    /// Speak sentences with a pack. Answers a list of [`Spoken`](crate::Spoken).
    Speak(Speaking),
    /// Speak with a pack what a server asks for, on so many threads of this niceness. Answers
    /// [requests](shruti_neural::serve_pack).
    Serve {
        /// Its folder.
        pack: PathBuf,
        /// The number of threads.
        workers: usize,
        /// How far they stand back behind those of other processes, 0 to 19.
        niceness: i32,
    },
}

/// What is handed to the process.
#[derive(Debug, Serialize, Deserialize)]
struct Task<W> {
    work: W,
    /// Bytes of memory that it may have.
    memory: u64,
}

/// Processes that run packs: one for each task, and one for each pack that a server speaks with.
#[derive(Clone, Copy, Debug)]
pub struct Children {
    program: fn() -> io::Result<Command>,
}

impl Children {
    /// Processes of a program that calls [`work`] with its last argument, which is added to the command.
    pub fn new(program: fn() -> io::Result<Command>) -> Self {
        Self { program }
    }

    /// Has a piece of work done by another process, within limits of time and memory, and gives its answer.
    pub fn run<Answer: DeserializeOwned>(self, work: &Work, limits: &Limits) -> Result<Answer, TaskError> {
        let task = serde_json::to_string(&Task { work, memory: limits.memory }).map_err(TaskError::Path)?;
        let mut command = (self.program)().map_err(TaskError::Program)?;
        let said = run_limited(command.arg(&task), limits).map_err(without_program)?;
        serde_json::from_str(&said.output).map_err(TaskError::Answer)
    }

    /// Starts the process that speaks with a pack for a server, with at most so many bytes of memory.
    fn serve(
        self,
        pack: &Pack,
        measured: &Measured,
        memory: u64,
        workers: usize,
        niceness: i32,
    ) -> Result<PackProcess, ProcessError> {
        let work = Work::Serve { pack: pack.folder().to_owned(), workers, niceness };
        let memory = memory.saturating_add(ADDRESS_SPACE + workers as u64 * ADDRESS_SPACE_OF_A_WORKER);
        let task = serde_json::to_string(&Task { work, memory }).map_err(io::Error::other)?;
        let program = self.program;
        let command = move || {
            let mut command = program()?;
            command.arg(&task);
            Ok(command)
        };
        PackProcess::start(pack, measured.process_limits(), command)
    }
}

impl Runner for Children {
    type Synthesis = PackProcess;

    fn measure(&self, pack: &Path, limits: &Limits) -> Result<Measured, VoicesError> {
        Ok(self.run(&Work::Measure { pack: pack.to_owned() }, limits)?)
    }

    fn start(
        &self,
        pack: &Pack,
        measured: &Measured,
        memory: u64,
        threads: SharedThreads,
    ) -> Result<PackProcess, VoicesError> {
        let SharedThreads { threads, niceness } = threads;
        Ok(self.serve(pack, measured, memory, threads, niceness)?)
    }
}

/// Does a task; called in the process of its own.
pub fn work(task: &str) -> Result<(), WorkError> {
    let task: Task<Work> = serde_json::from_str(task).map_err(WorkError::Task)?;
    Limits { memory: task.memory, ..Limits::default() }.apply()?;
    // what panics inside the runtime is told as an error
    std::panic::set_hook(Box::new(|_| {}));
    match task.work {
        Work::ImportPiper(import) => answer(&import.run()?),
        Work::ImportKokoro(import) => answer(&import.run()?),
        Work::ImportFolder { packs, folder } => {
            import_folder(&packs, &folder)?;
            answer(&())
        }
        Work::Measure { pack } => answer(&measure::here(&pack)?),
        Work::Speak(speaking) => answer(&speak::here(&speaking)?),
        Work::Serve { pack, workers, niceness } => {
            stand_back(niceness)?;
            let _signals = ignore_signals()?;
            let pack = Pack::open(&pack)?;
            Ok(serve_pack(pack, workers, io::stdin().lock(), io::stdout())?)
        }
    }
}

/// Lets the system prefer the server's own threads, and end this process first where memory runs out.
fn stand_back(niceness: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::nice(niceness)?;
        // some sandboxes do not allow it
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    }
    let _ = niceness;
    Ok(())
}

/// Ignores the signals that end a server, as long as the answer lives: a server drains first, then closes the pipe.
fn ignore_signals() -> io::Result<impl Sized> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    drop(entered);
    Ok((runtime, signals.into_iter().collect::<io::Result<Vec<_>>>()?))
}

fn answer(answer: &impl Serialize) -> Result<(), WorkError> {
    println!("{}", serde_json::to_string(answer)?);
    Ok(())
}

/// An error of the process without the name that the program puts before its errors.
fn without_program(error: ChildError) -> ChildError {
    match error {
        ChildError::Failed(said) => {
            ChildError::Failed(said.strip_prefix("shruti: ").unwrap_or(&said).to_owned())
        }
        other => other,
    }
}
