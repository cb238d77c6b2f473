//! Child process with time and memory limits, for processing files that may be crafted to exhaust these resources.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wait_timeout::ChildExt;

/// Maximum number of bytes kept from each output stream of a process.
const MAX_OUTPUT_BYTES: u64 = 64 << 10;

/// Resource limits of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Address space, in bytes.
    pub memory: u64,
}

impl Default for Limits {
    /// Returns limits of ten minutes and 6 GiB. A voice of 63 MB needs a few seconds and less than 1 GiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(10), memory: 6 << 30 }
    }
}

impl Limits {
    /// Limits the memory of the current process from now on. Call this method first in a process that was started for a
    /// single task, before it reads any input. On Linux, the process is also killed when its parent ends.
    pub fn apply(&self) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        let maximum = getrlimit(Resource::As).maximum;
        let bytes = maximum.map_or(self.memory, |maximum| maximum.min(self.memory));
        Ok(setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?)
    }
}

/// Error of a process with limits.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The process could not be started, or waiting for its end failed.
    #[error("the process could not be run: {0}")]
    Io(#[from] std::io::Error),
    /// The process exceeded the time limit and was killed.
    #[error("the time limit of {0:?} was exceeded; the file may need unlimited time")]
    Time(Duration),
    /// The process was ended by a signal, usually because it exceeded its memory limit.
    #[error(
        "the process was killed ({status}), probably because it exceeded {memory} bytes of memory: {said}"
    )]
    Ended {
        /// Exit status.
        status: ExitStatus,
        /// Memory limit, in bytes.
        memory: u64,
        /// Standard error of the process.
        said: String,
    },
    /// The process failed with this message.
    #[error("{0}")]
    Failed(String),
}

/// Captured output of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedOutput {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub error: String,
}

/// Runs a command and kills it when its time limit expires. The command must [apply](Limits::apply) the memory limit to
/// itself. Returns the output of the command, at most 64 KiB per stream. If the command fails, its standard error
/// becomes the error message.
pub fn run_limited(command: &mut Command, limits: &Limits) -> Result<CapturedOutput, ChildError> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let output = child.stdout.take().map(collect);
    let error = child.stderr.take().map(collect);
    let Some(status) = child.wait_timeout(limits.time)? else {
        child.kill()?;
        child.wait()?;
        return Err(ChildError::Time(limits.time));
    };
    let output_of = |reader: Option<JoinHandle<String>>| reader.and_then(|reader| reader.join().ok());
    let output = CapturedOutput {
        output: output_of(output).unwrap_or_default(),
        error: output_of(error).unwrap_or_default(),
    };
    match status.code() {
        Some(0) => Ok(output),
        Some(_) => Err(ChildError::Failed(output.error)),
        None => Err(ChildError::Ended { status, memory: limits.memory, said: output.error }),
    }
}

/// Starts a thread that reads an output stream of a process, so that a process with much output does not block. The
/// thread returns the text without surrounding white space, at most 64 KiB.
pub(crate) fn collect(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        // output beyond the limit is read and dropped; a read error ends the output
        let _ = from.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut text);
        let _ = std::io::copy(&mut from, &mut std::io::sink());
        String::from_utf8_lossy(&text).trim().to_owned()
    })
}
