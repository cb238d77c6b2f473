//! A pack on its way into a server's folder of packs, where it is made and tried before it gets its place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::staging::{create_folder, lock, part, remove, sync};
use super::{Pack, PackError, installed, installed_remotes};
use crate::manifest::{Manifest, ManifestError, PackVoice, is_pack_id};

/// A pack that is being installed.
///
/// It is made in a [folder of packs of its own](Self::folder), `<id>.part`, by whatever writes packs, also by another
/// process; there it can be run before a server sees it. [`commit`](Self::commit) gives it its place by one
/// rename. What is dropped before that is removed. As long as it lives no other pack can be installed or removed.
#[derive(Debug)]
pub struct Installation {
    packs: PathBuf,
    id: String,
    folder: PathBuf,
    built_in: &'static [&'static str],
    /// Held until the end.
    _lock: File,
}

impl Installation {
    /// Begins in a folder of packs, which is made where there is none. What was cut off before is removed.
    /// No voice may have a name of `built_in`, those of the voices that need no pack.
    pub fn begin(packs: &Path, id: &str, built_in: &'static [&'static str]) -> Result<Self, PackError> {
        check_id(id)?;
        let lock = lock(packs)?;
        remove_parts(packs)?;
        if fs::symlink_metadata(packs.join(id)).is_ok() {
            return Err(PackError::Installed(id.to_owned()));
        }
        let folder = part(packs, id);
        create_folder(&folder)?;
        Ok(Self { packs: packs.to_owned(), id: id.to_owned(), folder, built_in, _lock: lock })
    }

    /// The folder of packs in which the pack is made, under its id. Other things in it go with it at the end; their
    /// names must be no ids.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The pack, once it has been made.
    pub fn pack(&self) -> Result<Pack, PackError> {
        let mut made = installed(&self.folder)?;
        match made.pop() {
            Some(made) if made.id == self.id => made.pack,
            Some(made) => Err(PackError::Other { wanted: self.id.clone(), found: made.id }),
            None => Err(PackError::NotInstalled(self.id.clone())),
        }
    }

    /// Checks that no other voice has the name of one of these: neither a built-in one nor one of another pack, whether
    /// its graphs are here or its voices are remote.
    pub fn check_names<'a>(&self, voices: impl IntoIterator<Item = &'a str>) -> Result<(), PackError> {
        let trained = installed(&self.packs)?.into_iter().filter_map(|found| found.pack.ok());
        let trained = trained.map(|pack| (pack.manifest.id, pack.manifest.voices));
        let remote = installed_remotes(&self.packs)?.into_iter().filter_map(|found| found.manifest.ok());
        let others: Vec<(String, Vec<PackVoice>)> =
            trained.chain(remote.map(|manifest| (manifest.id, manifest.voices))).collect();
        let others = || others.iter().map(|(id, voices)| (id.as_str(), voices.as_slice()));
        voices.into_iter().try_for_each(|voice| taken(self.built_in, others(), voice, |_| true))
    }

    /// Gives the pack its place.
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
        // the next command removes what cannot be removed now
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes a pack. A server that speaks with it goes on until it reads its packs again.
pub fn remove_pack(packs: &Path, id: &str) -> Result<(), PackError> {
    check_id(id)?;
    let place = packs.join(id);
    let not_installed = || PackError::NotInstalled(id.to_owned());
    fs::symlink_metadata(&place).map_err(|_| not_installed())?;
    let _lock = lock(packs)?;
    remove_parts(packs)?;
    // gone in one step, whatever happens to this process
    let going = part(packs, id);
    match fs::rename(&place, &going) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_installed()),
        renamed => renamed.map_err(PackError::io(&place))?,
    }
    sync(packs)?;
    remove(&going)
}

/// Removes what processes have left behind that were ended while they installed or removed a pack. Where such a process
/// is at work, and where there is no folder of packs, nothing is done.
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

/// Removes all that is not finished. The folder must be locked.
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
    let (field, expected) = ("id".to_owned(), "1 to 64 of a-z, 0-9 and -");
    Err(ManifestError::Field { field, found: format!("{shown:?}"), expected }.into())
}

fn names(manifest: &Manifest) -> impl Iterator<Item = &str> {
    manifest.voices.iter().map(|voice| voice.name.as_str())
}

/// Checks that no voice of a pack speaks a language under the name of a built-in voice, or of a voice of another pack
/// that speaks it as well. `built_in` are the names of the voices that need no pack, `others` the ids and voices of the other
/// packs.
pub fn name_clash(
    built_in: &[&str],
    others: &[(&str, &[PackVoice])],
    voices: &[PackVoice],
) -> Result<(), PackError> {
    voices.iter().try_for_each(|voice| {
        let shares = |other: &PackVoice| other.languages.iter().any(|one| voice.languages.contains(one));
        taken(built_in, others.iter().copied(), &voice.name, shares)
    })
}

/// Fails where a name is that of a built-in voice, or of one of these that `is_other`. Case does not matter.
fn taken<'a>(
    built_in: &[&str],
    mut packs: impl Iterator<Item = (&'a str, &'a [PackVoice])>,
    name: &str,
    is_other: impl Fn(&PackVoice) -> bool,
) -> Result<(), PackError> {
    let is_named = |other: &str| other.to_lowercase() == name.to_lowercase();
    let of = if built_in.iter().any(|name| is_named(name)) {
        Some("a built-in one".to_owned())
    } else {
        let clashes = |voice: &PackVoice| is_named(&voice.name) && is_other(voice);
        packs.find(|(_, voices)| voices.iter().any(clashes)).map(|(id, _)| format!("of the pack {id}"))
    };
    of.map_or(Ok(()), |of| Err(PackError::VoiceTaken { voice: name.to_owned(), of }))
}
