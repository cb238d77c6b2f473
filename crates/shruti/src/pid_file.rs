//! PID file of a server in its data folder: `serve.pid`, locked while the server runs, and removed by a clean shutdown.
//! The file has two lines: the process ID, and the URL of the server for a browser on this machine.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};

const NAME: &str = "serve.pid";

/// PID file that a server keeps locked while it runs.
#[derive(Debug)]
pub(crate) struct PidFile {
    path: PathBuf,
    _locked: File,
}

impl PidFile {
    /// Locks the file, and writes the process ID and the URL to it. Returns `None` if another server has locked the
    /// file.
    pub(crate) fn hold(data_dir: &Path, url: &str) -> std::io::Result<Option<Self>> {
        let path = data_dir.join(NAME);
        loop {
            let mut file = File::options().create(true).truncate(false).write(true).open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                locked => locked?,
            }
            // the previous server may have removed the file before this process locked it
            if !is_at(&file, &path)? {
                continue;
            }
            file.set_len(0)?;
            writeln!(file, "{}\n{url}", std::process::id())?;
            return Ok(Some(Self { path, _locked: file }));
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // the lock is still held, so this cannot remove the file of another server; if the removal fails, the remaining
        // file is unlocked when this value has been dropped, and is therefore ignored
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns whether a path still refers to the given open file. The file at the path may have been removed or replaced.
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether a server runs with the given data folder.
pub(crate) fn is_held(data_dir: &Path) -> std::io::Result<bool> {
    let file = match File::options().read(true).write(true).open(data_dir.join(NAME)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match file.try_lock() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Running server, as described by its PID file.
struct Holder {
    pid: Pid,
    /// URL of the server; `None` for a server of an earlier version.
    url: Option<String>,
}

/// Returns the server that runs with the given data folder. Fails if there is none.
fn holder(data_dir: &Path) -> anyhow::Result<Holder> {
    let path = data_dir.join(NAME);
    let absent = || {
        format!(
            "no server runs with the data folder {}; `shruti serve` starts one, --data-dir selects another folder",
            data_dir.display()
        )
    };
    let file = match File::options().read(true).write(true).open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(absent()),
        opened => opened.with_context(|| path.display().to_string())?,
    };
    // if the file is unlocked, its process ID may now belong to another process
    if file.try_lock().is_ok() {
        bail!(absent());
    }
    let text = read_to_string(file.take(1024))?;
    let mut lines = text.lines();
    let pid = lines.next().and_then(|line| line.trim().parse().ok()).and_then(Pid::from_raw);
    let pid = pid.with_context(|| format!("{}: no process ID", path.display()))?;
    Ok(Holder { pid, url: lines.next().map(str::to_owned) })
}

/// Returns the URL, for a browser on this machine, of the server that runs with the given data folder.
pub(crate) fn url(data_dir: &Path) -> anyhow::Result<String> {
    holder(data_dir)?.url.context("the running server has an earlier version; restart it")
}

/// Sends SIGHUP to the server that runs with the given data folder, and returns the process ID of the server.
pub(crate) fn hang_up(data_dir: &Path) -> anyhow::Result<i32> {
    let pid = holder(data_dir)?.pid;
    kill_process(pid, Signal::HUP)
        .with_context(|| format!("cannot signal the server (process {})", pid.as_raw_nonzero()))?;
    Ok(pid.as_raw_nonzero().get())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const URL: &str = "http://localhost:8080";

    #[test]
    fn one_server_locks_a_folder_and_removes_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let held = PidFile::hold(folder.path(), URL).unwrap().unwrap();
        assert!(PidFile::hold(folder.path(), URL).unwrap().is_none(), "two servers lock the file");
        assert!(is_held(folder.path()).unwrap());
        drop(held);
        assert!(url(folder.path()).unwrap_err().to_string().contains("shruti serve"));
        assert!(!is_held(folder.path()).unwrap());
        assert!(!folder.path().join(NAME).exists());
        // a file left behind by a killed server is reused
        fs::write(folder.path().join(NAME), "999999999\n").unwrap();
        let _held = PidFile::hold(folder.path(), URL).unwrap().unwrap();
        let text = fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert_eq!(text, format!("{}\n{URL}\n", std::process::id()));
        assert_eq!(url(folder.path()).unwrap(), URL);
    }

    #[test]
    fn a_removed_file_differs_from_the_one_at_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let before = File::create(&path).unwrap();
        assert!(is_at(&before, &path).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!is_at(&before, &path).unwrap());
        let _now = File::create(&path).unwrap();
        assert!(!is_at(&before, &path).unwrap());
    }
}
