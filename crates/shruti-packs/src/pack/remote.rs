//! Packs with remote voices: a manifest and an optional licence text.

use std::path::Path;

use super::{PackError, folders, read_manifest_text};
use crate::manifest::RemoteManifest;

/// An installed pack with remote voices.
#[derive(Debug)]
pub struct InstalledRemote {
    /// ID of the pack.
    pub id: String,
    /// Manifest, or the reason why it is invalid.
    pub manifest: Result<RemoteManifest, PackError>,
}

/// Returns the packs with remote voices in a folder of packs, sorted by ID; each may be invalid. Returns an empty list
/// if the folder does not exist.
pub fn installed_remotes(packs: &Path) -> Result<Vec<InstalledRemote>, PackError> {
    let folders = folders(packs)?.into_iter().filter(|(_, folder)| is_remote(folder));
    let remote = folders.map(|(id, folder)| InstalledRemote { manifest: open(&folder, &id), id });
    Ok(remote.collect())
}

/// Returns whether a folder has a manifest of remote voices, valid or not.
pub(super) fn is_remote(folder: &Path) -> bool {
    read_manifest_text(folder).is_ok_and(|text| RemoteManifest::is_remote(&text))
}

fn open(folder: &Path, name: &str) -> Result<RemoteManifest, PackError> {
    let manifest = RemoteManifest::parse(&read_manifest_text(folder)?)?;
    if name != manifest.id {
        return Err(PackError::Name { folder: name.to_owned(), id: manifest.id });
    }
    Ok(manifest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::fs;

    use super::*;
    use crate::pack::installed;

    const MANIFEST: &str = "format = 1\nid = 'away'\n[[voice]]\nname = 'Meera'\nlanguages = ['hi']\nupstream = 'x'\n\
        [licence]\nspdx = 'MIT'\nattribution = 'a'\ncommercial = 'yes'\nsource = 'b'\n\
        [remote]\nprotocol = 'openai'\nurl = 'https://a/v1'\nmodel = 'm'\nrate = 24000\n";

    #[test]
    fn packs_with_remote_voices_are_listed_separately() {
        let packs = tempfile::tempdir().unwrap();
        let folder = |id: &str, text: &str| {
            fs::create_dir(packs.path().join(id)).unwrap();
            fs::write(packs.path().join(id).join("pack.toml"), text).unwrap();
        };
        folder("away", MANIFEST);
        folder("broken", &MANIFEST.replace("rate = 24000", "rate = 1"));
        folder("misnamed", MANIFEST);
        folder("other", "format = 1");
        let remotes = installed_remotes(packs.path()).unwrap();
        let listed: Vec<(String, Option<String>)> = remotes
            .into_iter()
            .map(|found| (found.id, found.manifest.err().map(|error| error.to_string())))
            .collect();
        assert_eq!(listed.len(), 3, "{listed:?}");
        assert_eq!(listed[0], ("away".to_owned(), None));
        assert!(listed[1].1.as_ref().unwrap().contains("remote.rate"), "{listed:?}");
        assert!(listed[2].1.as_ref().unwrap().contains("misnamed"), "{listed:?}");
        let others: Vec<String> =
            installed(packs.path()).unwrap().into_iter().map(|found| found.id).collect();
        assert_eq!(others, ["other"]);
    }
}
