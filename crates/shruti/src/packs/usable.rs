//! The packs that are installed, whether their graphs are here or their voices are another server's.

use std::path::Path;

use shruti_neural::{Manifest, Pack, PackVoice, RemoteManifest, installed, installed_remotes};

use super::named;

/// A pack that can be used.
pub(super) enum Usable {
    /// Its graphs are here.
    Trained(Pack),
    /// Another server speaks.
    Remote(RemoteManifest),
}

/// What a pack says of itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Described {
    Trained(Manifest),
    Remote(RemoteManifest),
}

impl Usable {
    /// All packs of a folder; fails with the first that cannot be used.
    pub(super) fn all(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let trained =
            installed(folder)?.into_iter().map(|found| named(found.pack, &found.id).map(Self::Trained));
        let remote = installed_remotes(folder)?;
        let remote = remote.into_iter().map(|found| named(found.manifest, &found.id).map(Self::Remote));
        trained.chain(remote).collect()
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Trained(pack) => &pack.manifest().id,
            Self::Remote(manifest) => &manifest.id,
        }
    }

    pub(super) fn voices(&self) -> &[PackVoice] {
        match self {
            Self::Trained(pack) => &pack.manifest().voices,
            Self::Remote(manifest) => &manifest.voices,
        }
    }

    pub(super) fn described(&self) -> Described {
        match self {
            Self::Trained(pack) => Described::Trained(pack.manifest().clone()),
            Self::Remote(manifest) => Described::Remote(manifest.clone()),
        }
    }

    /// The pack, if its graphs are here.
    pub(super) fn trained(&self) -> Option<&Pack> {
        match self {
            Self::Trained(pack) => Some(pack),
            Self::Remote(_) => None,
        }
    }
}
