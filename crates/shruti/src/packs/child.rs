//! Work on packs that come from elsewhere, in a process of its own: a graph may be made to take time and memory without
//! end. The process is this program again, with a hidden subcommand.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shruti_neural::{ChildError, Limits, PackProcess, ProcessError, import_folder, run_limited, serve_pack};
use shruti_packs::Pack;
use tokio::signal::unix::{SignalKind, signal};

use super::import::PiperImport;
use super::measure::{self, Measured};
use super::speak::{self, Speaking};

/// Address space that a process takes without any pack: the program, its libraries and its heap.
const ADDRESS_SPACE: u64 = 512 << 20;
/// KiB of address space that the allocator reserves at a time.
const RESERVED_KIB: &str = "65536";
/// Address space of a worker: the stacks of its two threads, and the arenas that the allocator reserves for them.
const ADDRESS_SPACE_OF_A_WORKER: u64 = 192 << 20;

/// What the process shall do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Work {
    /// Make a pack of a Piper voice. Answers nothing.
    ImportPiper(PiperImport),
    /// Make a pack of a folder as an exporter writes it, in this folder of packs. Answers nothing.
    ImportFolder { packs: PathBuf, folder: PathBuf },
    /// Load a pack and run its longest utterance. Answers [`measure::Measured`].
    Measure { pack: PathBuf },
    /// Speak sentences with a pack. Answers a list of [`speak::Spoken`].
    Speak(Speaking),
    /// Speak with a pack what a server asks for, on so many threads of this niceness. Answers
    /// [requests](shruti_neural::serve_pack).
    Serve { pack: PathBuf, workers: usize, niceness: i32 },
}

/// What is handed to the process.
#[derive(Debug, Serialize, Deserialize)]
struct Task<W> {
    work: W,
    /// Bytes of memory that it may have.
    memory: u64,
}

/// The hidden subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A task as JSON
    task: String,
}

/// Has a piece of work done by another process, within limits of time and memory, and gives its answer.
pub(crate) fn run<Answer: DeserializeOwned>(work: &Work, limits: &Limits) -> anyhow::Result<Answer> {
    let task = serde_json::to_string(&Task { work, memory: limits.memory }).context("a path is no UTF-8")?;
    let mut command = this_program()?;
    command.args(["voices", "child", &task]);
    let said = run_limited(&mut command, limits).map_err(told)?;
    serde_json::from_str(&said.output).context("the process that ran the pack gave no answer")
}

/// Starts the process that speaks with a pack for a server, with at most so many bytes of memory.
pub(crate) fn serve(
    pack: &Pack,
    measured: &Measured,
    memory: u64,
    workers: usize,
    niceness: i32,
) -> Result<PackProcess, ProcessError> {
    let work = Work::Serve { pack: pack.folder().to_owned(), workers, niceness };
    let memory = memory.saturating_add(ADDRESS_SPACE + workers as u64 * ADDRESS_SPACE_OF_A_WORKER);
    let task = serde_json::to_string(&Task { work, memory }).map_err(io::Error::other)?;
    let command = move || {
        let mut command = this_program().map_err(io::Error::other)?;
        command.args(["voices", "child", &task]);
        Ok(command)
    };
    PackProcess::start(pack, measured.process_limits(), command)
}

/// Does the work; called in the process of its own.
pub(crate) fn work(args: &Args) -> anyhow::Result<()> {
    let task: Task<Work> = serde_json::from_str(&args.task).context("not a task")?;
    Limits { memory: task.memory, ..Limits::default() }.apply()?;
    // what panics inside the runtime is told as an error
    std::panic::set_hook(Box::new(|_| {}));
    match task.work {
        Work::ImportPiper(import) => answer(&import.run()?),
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

fn answer(answer: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(answer)?);
    Ok(())
}

/// This program, also where its file has been replaced meanwhile, with an environment of its own.
fn this_program() -> anyhow::Result<Command> {
    let running = Path::new("/proc/self/exe");
    let mut command = if running.exists() {
        Command::new(running)
    } else {
        Command::new(std::env::current_exe().context("the program's own file")?)
    };
    // the inherited environment may hold secrets; the allocator's first reservation, 1 GiB, would take the address space
    command.env_clear().env("MIMALLOC_ARENA_RESERVE", RESERVED_KIB);
    Ok(command)
}

/// An error of the process in words for whoever started the command.
fn told(error: ChildError) -> anyhow::Error {
    match error {
        ChildError::Failed(said) => {
            anyhow::anyhow!("{}", said.strip_prefix("shruti: ").unwrap_or(&said).to_owned())
        }
        other => other.into(),
    }
}
