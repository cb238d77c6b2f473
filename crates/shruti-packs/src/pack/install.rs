//! Installation of packs from a folder or an archive into the folder of packs.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use tar::{Archive, EntryType};

use super::{Pack, PackError, Staging, open_plain};
use crate::manifest::{MANIFEST, MAX_MANIFEST_BYTES, Manifest};

/// Copies a pack from a folder, and checks the files while copying them. If the pack does not match its manifest, no
/// files remain.
pub fn install_folder(packs: &Path, source: &Path) -> Result<Pack, PackError> {
    let pack = Pack::open_source(source)?;
    let staging = Staging::begin(packs, &pack.manifest.id)?;
    for file in &pack.manifest.files {
        staging.copy(file, open_plain(source, &file.path)?)?;
    }
    staging.commit(&pack.manifest)
}

/// Unpacks a pack from an uncompressed tar archive whose first entry is the manifest, and checks the files while
/// writing them. Only regular files with the names in the manifest are accepted, with an optional prefix `./`. If there
/// is any other entry, the archive is rejected and no files remain.
pub fn install_tar(packs: &Path, archive: impl Read) -> Result<Pack, PackError> {
    let mut archive = Archive::new(archive);
    let unreadable = || PackError::io("the archive");
    // in raw mode, extensions such as long names appear as entries, so they are rejected instead of being collected in
    // memory
    let mut entries = archive.entries().map_err(unreadable())?.raw(true);
    let Some(first) = entries.next() else {
        return Err(PackError::Missing(MANIFEST.to_owned()));
    };
    let first = first.map_err(unreadable())?;
    let name = plain_name(&first)?;
    if name != MANIFEST {
        return Err(PackError::ManifestNotFirst(name));
    }
    if first.size() > MAX_MANIFEST_BYTES {
        let (found, expected) = (first.size(), MAX_MANIFEST_BYTES);
        return Err(PackError::Length { path: name, found, expected });
    }
    let mut text = String::new();
    first.take(MAX_MANIFEST_BYTES).read_to_string(&mut text).map_err(unreadable())?;
    let manifest = Manifest::parse(&text)?;
    let staging = Staging::begin(packs, &manifest.id)?;
    let mut seen = HashSet::new();
    for entry in entries {
        let entry = entry.map_err(unreadable())?;
        let name = plain_name(&entry)?;
        let file = manifest.file(&name).ok_or_else(|| PackError::Unlisted(name.clone()))?;
        if !seen.insert(name.clone()) {
            return Err(PackError::DuplicateFile(name));
        }
        staging.copy(file, entry)?;
    }
    if let Some(file) = manifest.files.iter().find(|file| !seen.contains(&file.path)) {
        return Err(PackError::Missing(file.path.clone()));
    }
    staging.commit(&manifest)
}

/// Returns the name of an entry that is a regular file. Names with folders never occur in a manifest.
fn plain_name(entry: &tar::Entry<'_, impl Read>) -> Result<String, PackError> {
    let bytes = entry.path_bytes();
    let name = String::from_utf8_lossy(&bytes);
    let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
    match entry.header().entry_type() {
        EntryType::Regular => Ok(name),
        _ => Err(PackError::NotRegularFile(name)),
    }
}
