//! A pack on disk: a folder that contains only `pack.toml` and the files that it names.

mod files;
mod install;
mod installation;
mod remote;
mod staging;

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use crate::manifest::{MANIFEST, MAX_MANIFEST_BYTES, Manifest, ManifestError, PackFile, is_pack_id};

pub use files::{FileContent, PackFiles};
pub use install::{install_folder, install_tar};
pub use installation::{Installation, name_clash, remove_leftovers, remove_pack};
pub use remote::{InstalledRemote, installed_remotes};
pub use staging::{Staging, remove_staged};

/// Reason why a pack could not be read, installed or removed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The manifest is invalid.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The pack contains an entry that the manifest does not name.
    #[error("{0}: not named in {MANIFEST}; a pack contains only the files that its manifest names")]
    Unlisted(String),
    /// A file that the manifest names is missing.
    #[error("{0}: named in {MANIFEST}, but missing")]
    Missing(String),
    /// A file is a link, folder or device instead of a regular file.
    #[error("{0}: not a plain file; packs must not contain links, folders or devices")]
    NotRegularFile(String),
    /// The length of a file differs from the length in the manifest, or exceeds a limit.
    #[error("{path}: {found} bytes; the manifest says {expected}")]
    Length {
        /// Name of the file.
        path: String,
        /// Number of bytes read.
        found: u64,
        /// Length in the manifest, or the limit.
        expected: u64,
    },
    /// The checksum of a file differs from the checksum in the manifest.
    #[error("{path}: SHA-256 is {found}; the manifest says {expected}")]
    Checksum {
        /// Name of the file.
        path: String,
        /// Actual checksum.
        found: String,
        /// Checksum in the manifest.
        expected: String,
    },
    /// The manifest is not the first entry of an archive.
    #[error("{0}: the first entry of a pack's archive must be {MANIFEST}")]
    ManifestNotFirst(String),
    /// An archive contains a file twice.
    #[error("{0}: twice in the archive")]
    DuplicateFile(String),
    /// The name of the folder differs from the ID of the pack.
    #[error("the folder {folder} contains the pack {id}; the names must be equal")]
    Name {
        /// Name of the folder.
        folder: String,
        /// ID of the pack.
        id: String,
    },
    /// A pack with this ID is already installed.
    #[error("the pack {0} is installed; remove it first")]
    AlreadyInstalled(String),
    /// No pack with this ID is installed.
    #[error("the pack {0} is not installed; `shruti voices` lists the installed packs")]
    NotInstalled(String),
    /// The pack is not the requested one.
    #[error("it contains the pack {found}, not {wanted}")]
    UnexpectedPack {
        /// ID of the requested pack.
        wanted: String,
        /// ID of the actual pack.
        found: String,
    },
    /// Another voice has the same name as a voice of the pack.
    #[error("there is already a voice {voice} ({of}); the names of a server's voices must be unique")]
    DuplicateVoiceName {
        /// Name of the voice.
        voice: String,
        /// Owner of the other voice.
        of: String,
    },
    /// Another pack is being installed or removed in the same folder.
    #[error("another pack is being installed or removed; retry when that is finished")]
    Busy,
}

impl PackError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

/// An installed pack, valid or not.
#[derive(Debug)]
pub struct Installed {
    /// ID of the pack.
    pub id: String,
    /// The pack, or the reason why it is invalid.
    pub pack: Result<Pack, PackError>,
}

/// Returns the packs in a folder of packs, sorted by ID; each may be invalid. Returns an empty list if the folder does
/// not exist. Packs with remote voices are omitted: [`installed_remotes`] returns them.
pub fn installed(packs: &Path) -> Result<Vec<Installed>, PackError> {
    let folders = folders(packs)?.into_iter().filter(|(_, folder)| !remote::is_remote(folder));
    Ok(folders.map(|(id, folder)| Installed { id, pack: Pack::open(&folder) }).collect())
}

/// Returns the IDs and folders of the packs in a folder of packs, sorted by ID.
fn folders(packs: &Path) -> Result<Vec<(String, PathBuf)>, PackError> {
    let entries = match fs::read_dir(packs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(PackError::io(packs))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(PackError::io(packs))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // other entries are the lock, stored measurements and unfinished packs
        if is_pack_id(&name) {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// An installed pack. Its manifest is valid, and its files exist with the right lengths.
#[derive(Clone, Debug)]
pub struct Pack {
    folder: PathBuf,
    manifest: Manifest,
}

impl Pack {
    /// Opens the folder of a pack. Checksums are compared when a file is read: [`open_graphs`](Self::open_graphs)
    /// checks the files that synthesis requires, and [`verify`](Self::verify) checks all files.
    pub fn open(folder: &Path) -> Result<Self, PackError> {
        let pack = Self::open_source(folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name != pack.manifest.id {
            return Err(PackError::Name { folder: name, id: pack.manifest.id });
        }
        Ok(pack)
    }

    /// Opens the folder of a pack like [`open`](Self::open), but accepts a folder of any name.
    pub fn open_source(folder: &Path) -> Result<Self, PackError> {
        let manifest = read_manifest(folder)?;
        for entry in fs::read_dir(folder).map_err(PackError::io(folder))? {
            let entry = entry.map_err(PackError::io(folder))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != MANIFEST && manifest.file(&name).is_none() {
                return Err(PackError::Unlisted(name));
            }
        }
        for file in &manifest.files {
            let length = plain_file(folder, &file.path)?;
            if length != file.bytes {
                return Err(PackError::Length {
                    path: file.path.clone(),
                    found: length,
                    expected: file.bytes,
                });
            }
        }
        Ok(Self { folder: folder.to_owned(), manifest })
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns a mutable reference to the manifest, for changes before the pack is used. The file on disk does not
    /// change.
    pub fn manifest_mut(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Returns the folder of the pack.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads all files that synthesis requires, and compares their lengths and checksums.
    pub fn open_graphs(&self) -> Result<PackFiles, PackError> {
        let symbols = self.symbols()?;
        let graph = self.manifest.graph.try_map(|path| {
            Ok::<_, PackError>(FileContent { path: path.to_owned(), bytes: self.read(path)? })
        })?;
        Ok(PackFiles { manifest: self.manifest.clone(), symbols, graph })
    }

    /// Returns the text of the symbol table.
    pub fn symbols(&self) -> Result<String, PackError> {
        let table = self.read(&self.manifest.input.symbols)?;
        Ok(String::from_utf8_lossy(&table).into_owned())
    }

    /// Returns the licence text that the pack contains.
    pub fn licence_text(&self) -> Result<Vec<u8>, PackError> {
        self.read(&self.manifest.licence.text)
    }

    /// Reads a file that the manifest names and compares its length and checksum.
    fn read(&self, path: &str) -> Result<Vec<u8>, PackError> {
        let file = self.manifest.file(path).ok_or_else(|| PackError::Unlisted(path.to_owned()))?;
        let place = self.folder.join(path);
        let mut bytes = Vec::new();
        let source = open_plain(&self.folder, path)?;
        // one additional byte reveals that the file has grown
        source.take(file.bytes + 1).read_to_end(&mut bytes).map_err(PackError::io(&place))?;
        compare(file, bytes.len() as u64, Sha256::digest(&bytes).as_slice())?;
        Ok(bytes)
    }

    /// Compares the checksums of all files.
    pub fn verify(&self) -> Result<(), PackError> {
        self.manifest.files.iter().try_for_each(|file| self.read(&file.path).map(drop))
    }
}

/// Reads and checks the manifest in a folder of any name, without checking the files that it names.
pub fn read_manifest(folder: &Path) -> Result<Manifest, PackError> {
    Ok(Manifest::parse(&read_manifest_text(folder)?)?)
}

fn read_manifest_text(folder: &Path) -> Result<String, PackError> {
    let bytes = read_plain(folder, MANIFEST, MAX_MANIFEST_BYTES)?;
    let no_text = |error| PackError::Io { path: folder.join(MANIFEST), source: io::Error::other(error) };
    String::from_utf8(bytes).map_err(no_text)
}

/// Opens a regular file in a folder. Links are not followed; links, folders and devices are rejected.
pub(crate) fn open_plain(folder: &Path, name: &str) -> Result<File, PackError> {
    let path = folder.join(name);
    // without `NONBLOCK`, opening a named pipe would wait for a writer
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match File::options().read(true).custom_flags(flags.bits().cast_signed()).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(PackError::Missing(name.to_owned()));
        }
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(PackError::NotRegularFile(name.to_owned()));
        }
        file => file.map_err(PackError::io(&path))?,
    };
    if !file.metadata().map_err(PackError::io(&path))?.is_file() {
        return Err(PackError::NotRegularFile(name.to_owned()));
    }
    Ok(file)
}

/// Reads a regular file of at most `most` bytes in a folder. Links are not followed.
pub fn read_plain(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, PackError> {
    let path = folder.join(name);
    let mut bytes = Vec::new();
    open_plain(folder, name)?.take(most + 1).read_to_end(&mut bytes).map_err(PackError::io(&path))?;
    let found = bytes.len() as u64;
    if found > most {
        return Err(PackError::Length { path: name.to_owned(), found, expected: most });
    }
    Ok(bytes)
}

/// Returns the length of a regular file in a folder.
fn plain_file(folder: &Path, name: &str) -> Result<u64, PackError> {
    let path = folder.join(name);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
        Ok(_) => Err(PackError::NotRegularFile(name.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(PackError::Missing(name.to_owned())),
        Err(source) => Err(PackError::Io { path, source }),
    }
}

fn compare(file: &PackFile, bytes: u64, digest: &[u8]) -> Result<(), PackError> {
    if bytes != file.bytes {
        return Err(PackError::Length { path: file.path.clone(), found: bytes, expected: file.bytes });
    }
    let found = hex(digest);
    if found != file.sha256 {
        return Err(PackError::Checksum { path: file.path.clone(), found, expected: file.sha256.clone() });
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
