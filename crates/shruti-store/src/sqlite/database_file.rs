//! Database file, with checks that it has not been removed, replaced or damaged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::connection::FILE_NAME;
use super::fault::disk_error;
use crate::error::{DiskTrouble, StoreError};

/// File of an open database.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    folder: PathBuf,
    file: PathBuf,
    identity: Identity,
    /// Damage that the last read from the disk found, if any.
    damage: Mutex<Option<String>>,
}

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

impl DatabaseFile {
    /// Returns the database file in a folder. Fails if the file does not exist.
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

    /// Fails if the path of the database no longer exists, or belongs to another file or an empty one, because changes
    /// to the open file would be lost. The check takes a microsecond, so it runs before each call.
    pub(super) fn check_identity(&self) -> Result<(), StoreError> {
        let trouble = match fs::metadata(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => DiskTrouble::Removed,
            Ok(found) if identity(&found) != self.identity => DiskTrouble::Replaced,
            Ok(found) if found.len() == 0 => DiskTrouble::Damaged,
            // an open file can be used even if its path cannot be looked up
            Ok(_) | Err(_) => return Ok(()),
        };
        Err(disk_error(trouble, &self.folder, self.file.display().to_string()))
    }

    /// Fails like [`check_identity`](Self::check_identity), and also if damage was noted.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.check_identity()?;
        match &*self.damage.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(found) => Err(disk_error(DiskTrouble::Damaged, &self.folder, found)),
        }
    }

    /// Stores the damage that was found by a read from the disk, or `None` if the read succeeded. Nothing is written to
    /// a damaged file until a later read succeeds.
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
