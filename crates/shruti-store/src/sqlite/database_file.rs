//! The file of a database, and whether it is still there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::connection::FILE_NAME;
use super::fault::disk_error;
use crate::error::{DiskTrouble, StoreError};

/// The file of an open database.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    folder: PathBuf,
    file: PathBuf,
    identity: Identity,
    /// What the last look at the file's content has found.
    damage: Mutex<Option<String>>,
}

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

impl DatabaseFile {
    /// The database in a folder, as it is now.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let file = folder.join(FILE_NAME);
        let found = fs::metadata(&file)
            .map_err(|source| StoreError::Folder { path: folder.display().to_string(), source })?;
        let identity = identity(&found);
        Ok(Self { folder: folder.to_owned(), file, identity, damage: Mutex::default() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Fails where the file that is open is not the one with its name any more: what would be written to it would be
    /// gone. Costs a microsecond, so it is asked before each call.
    pub(super) fn check_identity(&self) -> Result<(), StoreError> {
        let trouble = match fs::metadata(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => DiskTrouble::Removed,
            Ok(found) if identity(&found) != self.identity => DiskTrouble::Replaced,
            Ok(found) if found.len() == 0 => DiskTrouble::Damaged,
            // an open file goes on also where its path cannot be looked up
            Ok(_) | Err(_) => return Ok(()),
        };
        Err(disk_error(trouble, &self.folder, self.file.display().to_string()))
    }

    /// The same, and fails too where damage was noted.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.check_identity()?;
        match &*self.damage.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(found) => Err(disk_error(DiskTrouble::Damaged, &self.folder, found)),
        }
    }

    /// Takes note of what reading the file from the disk has found; with damage nothing is written until it is sound
    /// again.
    pub(super) fn note_damage(&self, found: Option<String>) {
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

#[cfg(unix)]
fn identity(found: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn identity(_found: &fs::Metadata) -> Identity {}
