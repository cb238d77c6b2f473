//! A process with limits on its time and its memory, for work on files that may be made to take too much of both.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wait_timeout::ChildExt;

/// The most bytes that are kept of what a process says, on each of its outputs.
const MAX_SAID: u64 = 64 << 10;

/// What a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time by the clock.
    pub time: Duration,
    /// Bytes of address space.
    pub memory: u64,
}

impl Default for Limits {
    /// Ten minutes and 6 GiB: a voice of 63 MB takes some seconds and less than 1 GiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(10), memory: 6 << 30 }
    }
}

impl Limits {
    /// Limits the memory of this process from here on. To be called by a process that was begun for one piece of work,
    /// before it reads anything. Where the system can, it ends when the process that began it ends.
    pub fn apply(&self) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        let maximum = getrlimit(Resource::As).maximum;
        let bytes = maximum.map_or(self.memory, |maximum| maximum.min(self.memory));
        Ok(setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?)
    }
}

/// A process with limits did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// It could not be begun or waited for.
    #[error("the process could not be run: {0}")]
    Io(#[from] std::io::Error),
    /// It took too long and was ended.
    #[error("not done after {0:?}; the file may be made to take for ever")]
    Time(Duration),
    /// It was ended by a signal: mostly it asked for more memory than it may have.
    #[error("the process was ended ({status}), mostly for more than {memory} bytes of memory: {said}")]
    Ended {
        /// How it ended.
        status: ExitStatus,
        /// What it might have had.
        memory: u64,
        /// What it said last.
        said: String,
    },
    /// It failed, and said why.
    #[error("{0}")]
    Failed(String),
}

/// What a process said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// On its standard output.
    pub output: String,
    /// On its standard error.
    pub error: String,
}

/// Runs a command, which must [apply](Limits::apply) the limits to itself, and ends it when its time is over. Gives
/// what it said, 64 KiB of each output at most; what it said on its standard error is also the error when it fails.
pub fn run_limited(command: &mut Command, limits: &Limits) -> Result<Said, ChildError> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let output = child.stdout.take().map(collect);
    let error = child.stderr.take().map(collect);
    let Some(status) = child.wait_timeout(limits.time)? else {
        child.kill()?;
        child.wait()?;
        return Err(ChildError::Time(limits.time));
    };
    let said = |reader: Option<JoinHandle<String>>| reader.and_then(|reader| reader.join().ok());
    let said = Said { output: said(output).unwrap_or_default(), error: said(error).unwrap_or_default() };
    match status.code() {
        Some(0) => Ok(said),
        Some(_) => Err(ChildError::Failed(said.error)),
        None => Err(ChildError::Ended { status, memory: limits.memory, said: said.error }),
    }
}

/// Reads beside the waiting, so that a process that says much does not stand still.
pub(crate) fn collect(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut said = Vec::new();
        // what comes after is read and dropped; an error ends what it said
        let _ = from.by_ref().take(MAX_SAID).read_to_end(&mut said);
        let _ = std::io::copy(&mut from, &mut std::io::sink());
        String::from_utf8_lossy(&said).trim().to_owned()
    })
}
