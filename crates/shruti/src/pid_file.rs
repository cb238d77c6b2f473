//! The process of a server, by its data folder: `serve.pid`, locked as long as the server runs.

use std::fs::{File, TryLockError};
use std::io::{Read, Write, read_to_string};
use std::path::Path;

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};

const NAME: &str = "serve.pid";

/// Held by a server as long as it runs.
#[derive(Debug)]
pub(crate) struct PidFile {
    _locked: File,
}

impl PidFile {
    /// Writes this process's number. `None` where another server holds the folder.
    pub(crate) fn hold(data_dir: &Path) -> std::io::Result<Option<Self>> {
        let mut file = File::options().create(true).truncate(false).write(true).open(data_dir.join(NAME))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            locked => locked?,
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Self { _locked: file }))
    }
}

/// Sends SIGHUP to the server of a data folder, and gives its process number.
pub(crate) fn hang_up(data_dir: &Path) -> anyhow::Result<i32> {
    let path = data_dir.join(NAME);
    let absent = || format!("no server runs with the data folder {}", data_dir.display());
    let file = File::options().read(true).write(true).open(&path).with_context(absent)?;
    // a number that nobody holds may be another process's by now
    if file.try_lock().is_ok() {
        bail!(absent());
    }
    let text = read_to_string(file.take(32))?;
    let pid = text.trim().parse().ok().and_then(Pid::from_raw);
    let pid = pid.with_context(|| format!("{}: no process number", path.display()))?;
    kill_process(pid, Signal::HUP)
        .with_context(|| format!("the server, process {}", pid.as_raw_nonzero()))?;
    Ok(pid.as_raw_nonzero().get())
}
