//! Installed packs, trained and remote.

use std::fmt::Display;
use std::path::Path;

use shruti_engine::UnusableBackend;
use shruti_packs::{
    Manifest, Pack, PackError, PackVoice, RemoteManifest, installed, installed_remotes, name_clash,
};

use crate::built_in::BUILT_IN;

/// A pack that can be used.
#[derive(Debug)]
pub enum Usable {
    /// A pack whose graphs run on this machine.
    Trained(Pack),
    /// A pack whose voices run on another server.
    Remote(RemoteManifest),
}

/// Manifest of a trained or remote pack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PackManifest {
    Trained(Manifest),
    Remote(RemoteManifest),
}

/// Packs of a folder.
#[derive(Debug)]
pub struct FolderScan {
    /// Packs that can be used.
    pub usable: Vec<Usable>,
    /// Packs that are invalid, or that have a voice with the name of another voice.
    pub unusable: Vec<UnusableBackend>,
}

impl FolderScan {
    /// Reads all packs of a folder. Fails if the folder cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Self, PackError> {
        let trained = installed(folder)?.into_iter().map(|found| (found.id, found.pack.map(Usable::Trained)));
        let remote = installed_remotes(folder)?;
        let remote = remote.into_iter().map(|found| (found.id, found.manifest.map(Usable::Remote)));
        let mut found = Self { usable: Vec::new(), unusable: Vec::new() };
        for (id, pack) in trained.chain(remote) {
            match pack.and_then(|pack| found.without_clash(pack)) {
                Ok(pack) => found.usable.push(pack),
                Err(error) => found.unusable.push(unusable(&id, &error)),
            }
        }
        Ok(found)
    }

    /// Returns the pack, or an error if one of its voices has the name of a built-in voice, or of another pack's voice
    /// with a common language.
    fn without_clash(&self, pack: Usable) -> Result<Usable, PackError> {
        let others: Vec<_> = self.usable.iter().map(|other| (other.id(), other.voices())).collect();
        name_clash(&BUILT_IN, &others, pack.voices()).map(|()| pack)
    }
}

/// Returns the entry for a pack that cannot be used, with the reason.
pub(crate) fn unusable(id: &str, reason: &impl Display) -> UnusableBackend {
    UnusableBackend { name: id.to_owned(), reason: reason.to_string() }
}

impl Usable {
    /// Returns the ID of the pack.
    pub fn id(&self) -> &str {
        match self {
            Self::Trained(pack) => &pack.manifest().id,
            Self::Remote(manifest) => &manifest.id,
        }
    }

    /// Returns the voices of the pack.
    pub fn voices(&self) -> &[PackVoice] {
        match self {
            Self::Trained(pack) => &pack.manifest().voices,
            Self::Remote(manifest) => &manifest.voices,
        }
    }

    pub(crate) fn described(&self) -> PackManifest {
        match self {
            Self::Trained(pack) => PackManifest::Trained(pack.manifest().clone()),
            Self::Remote(manifest) => PackManifest::Remote(manifest.clone()),
        }
    }
}

impl PackManifest {
    pub(crate) fn voices(&self) -> &[PackVoice] {
        match self {
            Self::Trained(manifest) => &manifest.voices,
            Self::Remote(manifest) => &manifest.voices,
        }
    }
}
