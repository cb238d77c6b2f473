//! Registry of the servers that this user runs, so that other commands can find them in any data folder.
//!
//! Each server records its data folder in its own file. A killed server may leave that file behind, so the lock of the
//! PID file in the data folder determines whether a server runs.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::data_folder::state_folder;
use crate::pid_file;

/// Name of the folder that contains the records, in the state folder.
const SERVERS: &str = "servers";

/// Running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    /// Data folder of the server.
    pub(crate) data_dir: PathBuf,
}

/// Record of this process, removed when dropped.
#[derive(Debug)]
pub(crate) struct Note(PathBuf);

impl Running {
    /// Records that this process serves the given data folder. Returns `None` if the record cannot be written; other
    /// commands may then need `--data-dir` to find the server.
    pub(crate) fn note(data_dir: &Path) -> Option<Note> {
        let noted = Self::note_in(&state_folder()?.join(SERVERS), data_dir);
        match noted {
            Ok(note) => Some(note),
            Err(error) => {
                tracing::debug!(%error, "other commands cannot find this server without --data-dir");
                None
            }
        }
    }

    fn note_in(folder: &Path, data_dir: &Path) -> std::io::Result<Note> {
        let data_dir = data_dir.canonicalize()?;
        fs::create_dir_all(folder)?;
        let path = folder.join(std::process::id().to_string());
        fs::write(&path, data_dir.as_os_str().as_bytes())?;
        Ok(Note(path))
    }

    /// Returns the servers that this user is running.
    pub(crate) fn all() -> Vec<Self> {
        state_folder().map(|folder| Self::all_in(&folder.join(SERVERS))).unwrap_or_default()
    }

    fn all_in(folder: &Path) -> Vec<Self> {
        let Ok(notes) = fs::read_dir(folder) else { return Vec::new() };
        let mut servers = Vec::new();
        for note in notes.flatten() {
            let Ok(data_dir) = fs::read(note.path()) else { continue };
            let data_dir = PathBuf::from(std::ffi::OsString::from_vec(data_dir));
            if !pid_file::is_held(&data_dir).unwrap_or(false) {
                // the server was killed, so its record is removed
                let _ = fs::remove_file(note.path());
                continue;
            }
            let server = Self { data_dir };
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers.sort_by(|a, b| a.data_dir.cmp(&b.data_dir));
        servers
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pid_file::PidFile;

    #[test]
    fn a_server_is_found_while_it_locks_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        let note = Running::note_in(home.path(), data.path()).unwrap();
        assert_eq!(Running::all_in(home.path()), [], "a server that does not lock its folder");
        assert!(!note.0.exists(), "the note of a killed server is removed");

        let note = Running::note_in(home.path(), data.path()).unwrap();
        let held = PidFile::hold(data.path(), "http://localhost:8080").unwrap();
        let expected = Running { data_dir: data.path().canonicalize().unwrap() };
        assert_eq!(Running::all_in(home.path()), [expected]);
        drop(held);
        drop(note);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
