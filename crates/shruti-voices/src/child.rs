//! Child processes for work on untrusted packs, because a graph can consume unlimited time and memory. The program of a
//! child process passes its last argument to [`work`].

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
use crate::speak::{self, SpeakTask};

/// Address space that a process needs without a pack, in bytes: the program, its libraries and its heap.
const ADDRESS_SPACE: u64 = 512 << 20;
/// Address space that a worker needs, in bytes: the stacks of its two threads, and the arenas that the allocator
/// reserves for them.
const ADDRESS_SPACE_OF_A_WORKER: u64 = 192 << 20;

/// Task of a child process.
#[derive(Debug, Serialize, Deserialize)]
pub enum Work {
    /// Creates a pack from a Piper voice. The result is empty.
    ImportPiper(PiperImport),
    /// Creates a pack from Kokoro-82M. The result is empty.
    ImportKokoro(KokoroImport),
    /// Creates a pack from the folder of an exporter. The result is empty.
    ImportFolder {
        /// Folder of packs.
        packs: PathBuf,
        /// Folder that the exporter wrote.
        folder: PathBuf,
    },
    /// Measures the memory and the time that a pack needs. The result is a [`Measured`].
    Measure {
        /// Folder of the pack.
        pack: PathBuf,
    },
    /// Synthesises sentences with a pack. The result is a list of [`Spoken`](crate::Spoken).
    Speak(SpeakTask),
    /// Runs a pack for a server. The process responds to [requests](shruti_neural::serve_pack).
    Serve {
        /// Folder of the pack.
        pack: PathBuf,
        /// Number of threads.
        workers: usize,
        /// Niceness of the threads, 0 to 19.
        niceness: i32,
    },
}

/// Argument of the child process, encoded as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Task<W> {
    work: W,
    /// Memory limit, in bytes.
    memory: u64,
}

/// Runner that uses child processes: one per task, and one per pack that a server uses.
#[derive(Clone, Copy, Debug)]
pub struct Children {
    program: fn() -> io::Result<Command>,
}

impl Children {
    /// Creates a runner. `program` returns a command that calls [`work`] with its last argument, which the runner adds.
    pub fn new(program: fn() -> io::Result<Command>) -> Self {
        Self { program }
    }

    /// Runs a task in a child process with limits on time and memory, and returns its result.
    pub fn run<Answer: DeserializeOwned>(self, work: &Work, limits: &Limits) -> Result<Answer, TaskError> {
        let task = serde_json::to_string(&Task { work, memory: limits.memory }).map_err(TaskError::Path)?;
        let mut command = (self.program)().map_err(TaskError::Program)?;
        let result = run_limited(command.arg(&task), limits).map_err(without_program)?;
        serde_json::from_str(&result.output).map_err(TaskError::Answer)
    }

    /// Starts the process that runs a pack for a server. The pack may use at most `memory` bytes of memory, in addition
    /// to the memory that the process needs without a pack.
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

/// Executes a task. Call this function in the child process.
pub fn work(task: &str) -> Result<(), WorkError> {
    let task: Task<Work> = serde_json::from_str(task).map_err(WorkError::Task)?;
    Limits { memory: task.memory, ..Limits::default() }.apply()?;
    // panics inside the runtime are reported as errors
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
            lower_priority(niceness)?;
            let _signals = ignore_signals()?;
            let pack = Pack::open(&pack)?;
            Ok(serve_pack(pack, workers, io::stdin().lock(), io::stdout())?)
        }
    }
}

/// Gives the server's own threads priority over this process, and makes this process the first to be killed when memory
/// runs out.
fn lower_priority(niceness: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::nice(niceness)?;
        // ignore errors, because some sandboxes do not allow this
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    }
    let _ = niceness;
    Ok(())
}

/// Ignores the signals that end a server while the returned value exists. The server drains first and then closes the
/// pipe, which ends this process.
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

/// Removes the program name that the child process puts before its error messages.
fn without_program(error: ChildError) -> ChildError {
    match error {
        ChildError::Failed(said) => {
            ChildError::Failed(said.strip_prefix("shruti: ").unwrap_or(&said).to_owned())
        }
        other => other,
    }
}
