//! Staging area of a pack: the pack is written to a temporary folder and moved to its final location with a single
//! rename.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Pack, PackError, compare, hex};
use crate::manifest::{MANIFEST, Manifest, PackFile, is_pack_id};

/// Name of the lock file for writing packs.
const LOCK: &str = ".lock";

/// A pack that is being written to `<id>.part` in the folder of packs. If this value is dropped before the pack is
/// [committed](Self::commit), its files are removed.
#[derive(Debug)]
pub struct Staging {
    packs: PathBuf,
    id: String,
    folder: PathBuf,
    is_committed: bool,
    /// Lock that is held until the value is dropped.
    _lock: File,
}

impl Staging {
    /// Begins a pack in the folder of packs, which is created if necessary. Only one pack can be written at a time.
    /// Remains of an interrupted attempt are removed.
    pub fn begin(packs: &Path, id: &str) -> Result<Self, PackError> {
        if !is_pack_id(id) {
            let field = "id".to_owned();
            let expected = "1 to 64 characters of a-z, 0-9 and -";
            return Err(crate::ManifestError::Field { field, found: format!("{id:?}"), expected }.into());
        }
        let lock = lock(packs)?;
        if fs::symlink_metadata(packs.join(id)).is_ok() {
            return Err(PackError::AlreadyInstalled(id.to_owned()));
        }
        let folder = part(packs, id);
        remove(&folder)?;
        create_folder(&folder)?;
        Ok(Self { packs: packs.to_owned(), id: id.to_owned(), folder, is_committed: false, _lock: lock })
    }

    /// Writes a file of known length and checksum. If the source is longer, the rest of it is not read.
    pub fn copy(&self, file: &PackFile, source: impl Read) -> Result<(), PackError> {
        let (bytes, digest) = self.write_from(&file.path, source.take(file.bytes.saturating_add(1)))?;
        compare(file, bytes, &digest)
    }

    /// Writes a file and returns its entry for the manifest.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<PackFile, PackError> {
        let (bytes, digest) = self.write_from(path, bytes)?;
        Ok(PackFile { path: path.to_owned(), bytes, sha256: hex(&digest) })
    }

    /// Returns the pack before it is committed, for example to run it.
    pub fn pack(&self, manifest: &Manifest) -> Pack {
        Pack { folder: self.folder.clone(), manifest: manifest.clone() }
    }

    /// Writes the manifest and moves the pack to its final location.
    pub fn commit(mut self, manifest: &Manifest) -> Result<Pack, PackError> {
        self.write_from(MANIFEST, manifest.to_toml()?.as_bytes())?;
        Pack::open_source(&self.folder)?;
        sync(&self.folder)?;
        let place = self.packs.join(&self.id);
        fs::rename(&self.folder, &place).map_err(PackError::io(&place))?;
        self.is_committed = true;
        sync(&self.packs)?;
        Pack::open(&place)
    }

    fn write_from(&self, name: &str, mut source: impl Read) -> Result<(u64, Vec<u8>), PackError> {
        let path = self.folder.join(name);
        let target = File::options().write(true).create_new(true).mode(0o600).open(&path);
        let mut target = target.map_err(PackError::io(&path))?;
        let (mut hasher, mut buffer, mut bytes) = (Sha256::new(), vec![0; 64 << 10], 0);
        loop {
            let read = match source.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(PackError::io(&path)(error)),
            };
            hasher.update(&buffer[..read]);
            target.write_all(&buffer[..read]).map_err(PackError::io(&path))?;
            bytes += read as u64;
        }
        target.sync_all().map_err(PackError::io(&path))?;
        Ok((bytes, hasher.finalize().to_vec()))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_committed {
            // if removal fails now, the next attempt removes the folder
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Removes the files left by an interrupted attempt to write a pack, for example if its process was killed.
pub fn remove_staged(packs: &Path, id: &str) -> Result<(), PackError> {
    if !is_pack_id(id) || fs::symlink_metadata(packs).is_err() {
        return Ok(());
    }
    let _lock = lock(packs)?;
    remove(&part(packs, id))
}

pub(super) fn part(packs: &Path, id: &str) -> PathBuf {
    packs.join(format!("{id}.part"))
}

pub(super) fn remove(folder: &Path) -> Result<(), PackError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(PackError::io(folder)(error)),
        _ => Ok(()),
    }
}

/// Creates a folder that only its owner may access, including its parents. The folder may already exist.
pub(super) fn create_folder(folder: &Path) -> Result<(), PackError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(PackError::io(folder))
}

/// Locks a folder of packs, which is created if necessary, until the returned file is dropped.
pub(super) fn lock(packs: &Path) -> Result<File, PackError> {
    create_folder(packs)?;
    let path = packs.join(LOCK);
    let file = File::options().create(true).append(true).mode(0o600).open(&path);
    let file = file.map_err(PackError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PackError::Busy),
        Err(TryLockError::Error(error)) => Err(PackError::io(&path)(error)),
    }
}

/// Flushes the entries of a folder to disk.
pub(super) fn sync(folder: &Path) -> Result<(), PackError> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(PackError::io(folder))
}
