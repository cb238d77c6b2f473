//! Work on packs that come from elsewhere, in a process of its own: a graph may be made to take time and memory without
//! end. The process is this program again, with a hidden subcommand.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shruti_neural::{ChildError, Limits, import_folder, run_limited};

use super::import::PiperImport;
use super::measure;
use super::speak::{self, Speaking};

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
    let said = run_limited(this_program()?.args(["voices", "child", &task]), limits).map_err(told)?;
    serde_json::from_str(&said.output).context("the process that ran the pack gave no answer")
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
    }
}

fn answer(answer: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(answer)?);
    Ok(())
}

/// This program, also where its file has been replaced meanwhile.
fn this_program() -> anyhow::Result<Command> {
    let running = Path::new("/proc/self/exe");
    if running.exists() {
        return Ok(Command::new(running));
    }
    Ok(Command::new(std::env::current_exe().context("the program's own file")?))
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
