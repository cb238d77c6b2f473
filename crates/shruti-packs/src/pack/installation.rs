//! Installation of a pack in a server's folder of packs. The pack is built and tested before it is moved to its final
//! location.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::staging::{create_folder, lock, part, remove, sync};
use super::{Pack, PackError, installed, installed_remotes};
use crate::manifest::{Manifest, ManifestError, PackVoice, is_pack_id};

/// A pack that is being installed.
///
/// The pack is created in a [separate folder of packs](Self::folder), `<id>.part`, by any code that writes packs,
/// possibly in another process. It can be run there before a server sees it. [`commit`](Self::commit) moves it to its
/// final location with a single rename. If this value is dropped without a commit, the pack is removed. While this
/// value exists, no other pack can be installed or removed.
#[derive(Debug)]
pub struct Installation {
    packs: PathBuf,
    id: String,
    folder: PathBuf,
    built_in: &'static [&'static str],
    /// Lock that is held until the value is dropped.
    _lock: File,
}

impl Installation {
    /// Begins an installation in a folder of packs, which is created if necessary. Remains of interrupted installations
    /// are removed. `built_in` contains the names of the voices that need no pack; no voice of the pack may have one of
    /// these names.
    pub fn begin(packs: &Path, id: &str, built_in: &'static [&'static str]) -> Result<Self, PackError> {
        check_id(id)?;
        let lock = lock(packs)?;
        remove_parts(packs)?;
        if fs::symlink_metadata(packs.join(id)).is_ok() {
            return Err(PackError::AlreadyInstalled(id.to_owned()));
        }
        let folder = part(packs, id);
        create_folder(&folder)?;
        Ok(Self { packs: packs.to_owned(), id: id.to_owned(), folder, built_in, _lock: lock })
    }

    /// Returns the folder of packs in which the pack is created under its ID. Other files in this folder are removed
    /// when the installation ends; their names must not be valid pack IDs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the pack after it has been created.
    pub fn pack(&self) -> Result<Pack, PackError> {
        let mut made = installed(&self.folder)?;
        match made.pop() {
            Some(made) if made.id == self.id => made.pack,
            Some(made) => Err(PackError::UnexpectedPack { wanted: self.id.clone(), found: made.id }),
            None => Err(PackError::NotInstalled(self.id.clone())),
        }
    }

    /// Checks that none of the names belongs to a built-in voice or to a voice of an installed pack, trained or remote.
    pub fn check_names<'a>(&self, voices: impl IntoIterator<Item = &'a str>) -> Result<(), PackError> {
        let trained = installed(&self.packs)?.into_iter().filter_map(|found| found.pack.ok());
        let trained = trained.map(|pack| (pack.manifest.id, pack.manifest.voices));
        let remote = installed_remotes(&self.packs)?.into_iter().filter_map(|found| found.manifest.ok());
        let others: Vec<(String, Vec<PackVoice>)> =
            trained.chain(remote.map(|manifest| (manifest.id, manifest.voices))).collect();
        let others = || others.iter().map(|(id, voices)| (id.as_str(), voices.as_slice()));
        voices.into_iter().try_for_each(|voice| check_voice_name(self.built_in, others(), voice, |_| true))
    }

    /// Checks the names of the pack's voices and moves the pack to its final location.
    pub fn commit(self) -> Result<Pack, PackError> {
        let pack = self.pack()?;
        self.check_names(names(pack.manifest()))?;
        let place = self.packs.join(&self.id);
        fs::rename(pack.folder(), &place).map_err(PackError::io(&place))?;
        sync(&self.packs)?;
        Pack::open(&place)
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        // if removal fails now, the next installation or removal of a pack removes the folder
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes a pack. A server that uses the pack continues to use it until the server reloads its packs.
pub fn remove_pack(packs: &Path, id: &str) -> Result<(), PackError> {
    check_id(id)?;
    let place = packs.join(id);
    let not_installed = || PackError::NotInstalled(id.to_owned());
    fs::symlink_metadata(&place).map_err(|_| not_installed())?;
    let _lock = lock(packs)?;
    remove_parts(packs)?;
    // the rename removes the pack in one step, even if this process ends before the files are deleted
    let going = part(packs, id);
    match fs::rename(&place, &going) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_installed()),
        renamed => renamed.map_err(PackError::io(&place))?,
    }
    sync(packs)?;
    remove(&going)
}

/// Removes the remains of processes that were killed while they installed or removed a pack. Has no effect while
/// another process installs or removes a pack, or if there is no folder of packs.
pub fn remove_leftovers(packs: &Path) -> Result<(), PackError> {
    if parts(packs)?.is_empty() {
        return Ok(());
    }
    match lock(packs) {
        Err(PackError::Busy) => Ok(()),
        Err(error) => Err(error),
        Ok(_lock) => remove_parts(packs),
    }
}

/// Removes all unfinished packs. The folder must be locked.
fn remove_parts(packs: &Path) -> Result<(), PackError> {
    parts(packs)?.iter().try_for_each(|part| remove(part))
}

fn parts(packs: &Path) -> Result<Vec<PathBuf>, PackError> {
    let entries = match fs::read_dir(packs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(PackError::io(packs))?,
    };
    let mut parts = Vec::new();
    for entry in entries {
        let entry = entry.map_err(PackError::io(packs))?;
        let name = entry.file_name();
        if name.to_str().and_then(|name| name.strip_suffix(".part")).is_some_and(is_pack_id) {
            parts.push(entry.path());
        }
    }
    Ok(parts)
}

fn check_id(id: &str) -> Result<(), PackError> {
    if is_pack_id(id) {
        return Ok(());
    }
    let shown: String = id.chars().take(100).collect();
    let (field, expected) = ("id".to_owned(), "1 to 64 characters of a-z, 0-9 and -");
    Err(ManifestError::Field { field, found: format!("{shown:?}"), expected }.into())
}

fn names(manifest: &Manifest) -> impl Iterator<Item = &str> {
    manifest.voices.iter().map(|voice| voice.name.as_str())
}

/// Checks that no voice of a pack has the name of a built-in voice, or the name and one of the languages of a voice in
/// another pack. `built_in` contains the names of the voices that need no pack, `others` the IDs and voices of the
/// other packs.
pub fn name_clash(
    built_in: &[&str],
    others: &[(&str, &[PackVoice])],
    voices: &[PackVoice],
) -> Result<(), PackError> {
    voices.iter().try_for_each(|voice| {
        let shares = |other: &PackVoice| other.languages.iter().any(|one| voice.languages.contains(one));
        check_voice_name(built_in, others.iter().copied(), &voice.name, shares)
    })
}

/// Returns an error if a name belongs to a built-in voice, or to a voice of `packs` for which `is_other` returns
/// `true`. The comparison ignores case.
fn check_voice_name<'a>(
    built_in: &[&str],
    mut packs: impl Iterator<Item = (&'a str, &'a [PackVoice])>,
    name: &str,
    is_other: impl Fn(&PackVoice) -> bool,
) -> Result<(), PackError> {
    let is_named = |other: &str| other.to_lowercase() == name.to_lowercase();
    let of = if built_in.iter().any(|name| is_named(name)) {
        Some("built in".to_owned())
    } else {
        let clashes = |voice: &PackVoice| is_named(&voice.name) && is_other(voice);
        packs.find(|(_, voices)| voices.iter().any(clashes)).map(|(id, _)| format!("in the pack {id}"))
    };
    of.map_or(Ok(()), |of| Err(PackError::DuplicateVoiceName { voice: name.to_owned(), of }))
}
