//! Data folder, which only its owner may read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Common prefix of the names of the database's files: the database itself, its write-ahead log and the index of the
/// log.
pub(crate) const DATABASE: &str = "shruti.db";
/// Name prefixes of other files with secrets: those of `serve --tls-self-signed`.
const BESIDE: [&str; 2] = ["self-signed.pem", "self-signed.key"];
/// Folder of rendered clips.
pub const CLIPS: &str = "clips";

/// Creates a data folder if it is missing (mode 700). In an existing folder, restricts the access of other users: files
/// with secrets get mode 600, and the folder of clips gets mode 700.
///
/// The data folder itself gets mode 700 unless it contains unrelated files, because then it may be a home folder or
/// `/tmp`. Changed modes and modes that should be changed are logged.
pub fn make_private(folder: &Path) -> io::Result<()> {
    private::make(folder)
}

/// Returns the paths of the files in a data folder that only the owner may read, sorted.
pub fn secret_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut secret = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_secret(&entry.file_name().to_string_lossy()) && entry.path().is_file() {
            secret.push(entry.path());
        }
    }
    secret.sort();
    Ok(secret)
}

/// Creates a file that only its owner may read, unless it exists. Fails if the path is a dangling symbolic link,
/// because a program that opens the path would create the target with other modes.
pub(crate) fn ensure_private_file(path: &Path) -> io::Result<()> {
    match create_private_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.try_exists()? => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!(
                "{} is a symbolic link to a file that does not exist; remove the link, or create the file",
                path.display()
            );
            Err(io::Error::new(io::ErrorKind::NotFound, message))
        }
        made => made,
    }
}

/// Creates a file that only its owner may read. Fails if the file exists.
pub(crate) fn create_private_file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn is_secret(name: &str) -> bool {
    name.starts_with(DATABASE) || BESIDE.iter().any(|known| name.starts_with(known))
}

/// Returns `true` if a file with this name is expected in a data folder. Any other name suggests that the folder is
/// also used for other purposes.
fn is_at_home(name: &str) -> bool {
    // settings, lexicons and backups are often kept in the data folder; `lost+found` exists if the folder is the root
    // of a disk
    is_secret(name)
        || name.starts_with("shruti")
        || name.starts_with("self-signed")
        || ["packs", CLIPS, "serve.pid", "lost+found"].contains(&name)
}

#[cfg(unix)]
mod private {
    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    use std::path::Path;

    /// Mode bits that give access to other users.
    const OTHERS: u32 = 0o077;

    pub(super) fn make(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        for file in super::secret_files(folder)? {
            tighten(&file, 0o600);
        }
        tighten(&folder.join(super::CLIPS), 0o700);
        let is_own = fs::read_dir(folder)?
            .all(|entry| entry.is_ok_and(|entry| super::is_at_home(&entry.file_name().to_string_lossy())));
        if is_own {
            tighten(folder, 0o700);
        } else if let Some(mode) = open_to_others(folder) {
            tracing::warn!(
                folder = %folder.display(), mode = format!("{mode:03o}"),
                "other users can access the data folder; its permissions were not changed because it contains other \
                 files; only the owner can read the database, but use a separate folder, or run chmod 700 on this one"
            );
        }
        Ok(())
    }

    /// Sets the mode of a file or folder to `to` if other users can access it.
    fn tighten(path: &Path, to: u32) {
        let Some(mode) = open_to_others(path) else { return };
        let (shown_path, was) = (path.display(), format!("{mode:03o}"));
        match fs::set_permissions(path, Permissions::from_mode(to)) {
            Ok(()) => {
                tracing::warn!(path = %shown_path, was, "other users could read this; now only its owner can");
            }
            Err(error) => {
                tracing::warn!(path = %shown_path, mode = was, %error, "other users can read this; run chmod {to:03o} on it");
            }
        }
    }

    /// Returns the mode of a file or folder if it gives access to other users.
    fn open_to_others(path: &Path) -> Option<u32> {
        let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
        (mode & OTHERS != 0).then_some(mode)
    }
}

#[cfg(not(unix))]
mod private {
    pub(super) fn make(folder: &std::path::Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)
    }
}
