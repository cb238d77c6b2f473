//! Default data folder, according to the conventions of the platform.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use shruti_store::SqliteStore;

use crate::running::Running;

/// Default data folder of versions up to 0.1, relative to the server's working directory.
const OLD: &str = "./shruti-data";

/// Returns the default data folder of a server: `./shruti-data` if an earlier version stored data there or the
/// platform's folder is unknown, otherwise the platform's folder.
pub(crate) fn default_folder() -> PathBuf {
    let old = PathBuf::from(OLD);
    if holds_data(&old) {
        return old;
    }
    platform_folder(DATA).unwrap_or(old)
}

/// Returns whether `path` is the default data folder of earlier versions, on a platform that has a standard data
/// folder.
pub(crate) fn is_old_default(path: &Path) -> bool {
    path == Path::new(OLD) && platform_folder(DATA).is_some()
}

/// Returns the default data folder of all other commands: the folder of the running server if this user runs exactly
/// one, otherwise the default folder of a server.
pub(crate) fn folder_in_use() -> PathBuf {
    match &Running::all()[..] {
        [server] => server.data_dir.clone(),
        _ => default_folder(),
    }
}

fn holds_data(folder: &Path) -> bool {
    SqliteStore::is_in(folder) || folder.join("packs").is_dir()
}

/// Location of one kind of file in the XDG base directory specification: an environment variable, and the folder in the
/// home directory that is used if the variable is not set. <https://specifications.freedesktop.org/basedir-spec>
type Xdg = (&'static str, &'static str);
const DATA: Xdg = ("XDG_DATA_HOME", ".local/share");
const STATE: Xdg = ("XDG_STATE_HOME", ".local/state");

/// Returns Shruti's folder for state files, or `None` if the environment names no home directory.
pub(crate) fn state_folder() -> Option<PathBuf> {
    platform_folder(STATE)
}

fn platform_folder(kind: Xdg) -> Option<PathBuf> {
    folder(std::env::consts::OS, kind, |name| std::env::var_os(name))
}

/// Returns Shruti's folder for one kind of file on a platform, or `None` if the environment variables name no home
/// directory.
fn folder(
    platform: &str,
    (xdg, in_home): Xdg,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let path = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let parent = match platform {
        "windows" => path("LOCALAPPDATA")?,
        "macos" => path("HOME")?.join("Library/Application Support"),
        _ => path(xdg).or_else(|| Some(path("HOME")?.join(in_home)))?,
    };
    Some(parent.join("shruti"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_has_its_own_folder() {
        for (platform, variables, expected) in [
            ("linux", &[("HOME", "/home/a")][..], Some("/home/a/.local/share/shruti")),
            ("linux", &[("HOME", "/home/a"), ("XDG_DATA_HOME", "/data")], Some("/data/shruti")),
            // the specification requires that relative paths are ignored
            ("linux", &[("HOME", "/home/a"), ("XDG_DATA_HOME", "data")], Some("/home/a/.local/share/shruti")),
            ("macos", &[("HOME", "/Users/a")], Some("/Users/a/Library/Application Support/shruti")),
            ("windows", &[("LOCALAPPDATA", "/c/a/Local")], Some("/c/a/Local/shruti")),
            ("linux", &[], None),
            ("linux", &[("HOME", "")], None),
        ] {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(
                folder(platform, DATA, variable),
                expected.map(PathBuf::from),
                "{platform} {variables:?}"
            );
        }
    }

    #[test]
    fn a_folder_with_a_store_or_packs_contains_data() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!holds_data(folder.path()));
        std::fs::create_dir(folder.path().join("packs")).unwrap();
        assert!(holds_data(folder.path()));
    }
}
