//! Check of the data folder.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Setup;
use super::finding::Finding;

/// Free space, in bytes, below which the server will soon fail.
const NO_ROOM: u64 = 32 << 20;
/// Free space, in bytes, below which the check warns.
const LITTLE_ROOM: u64 = 1 << 30;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let folder = &setup.data_dir;
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => {
            let mut findings =
                vec![permissions(folder, &found), files(folder), writable(folder), room(folder)];
            findings.extend(network(folder));
            findings
        }
        Ok(_) => {
            vec![Finding::fail(
                format!("{} is not a folder", folder.display()),
                "set a folder with --data-dir",
            )]
        }
        Err(error) if error.kind() == ErrorKind::NotFound => vec![to_be_made(folder)],
        Err(error) => vec![Finding::fail(format!("{}: {error}", folder.display()), BE_THE_OWNER)],
    }
}

const BE_THE_OWNER: &str = "run this command and the server as the folder's owner, or set another folder with \
                            --data-dir";

fn to_be_made(folder: &Path) -> Finding {
    let parent = folder.ancestors().skip(1).find(|parent| parent.as_os_str().is_empty() || parent.exists());
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match tempfile::tempfile_in(parent) {
        Ok(_) => Finding::warn(
            format!("{} does not exist", folder.display()),
            "nothing if the server has never run here: its first start creates the folder; otherwise set the right \
             one with --data-dir",
        ),
        Err(error) => Finding::fail(
            format!(
                "{} does not exist and cannot be created in {}: {error}",
                folder.display(),
                parent.display()
            ),
            "create the folder for the user that runs the server, or set another one with --data-dir",
        ),
    }
}

fn permissions(folder: &Path, found: &Metadata) -> Finding {
    let mode = found.permissions().mode() & 0o777;
    let of_others = mode & 0o077;
    if of_others == 0 {
        return Finding::ok(format!("only the owner can access {}", folder.display()));
    }
    Finding::warn(
        format!(
            "other users can access {} (mode {mode:03o}), which contains email addresses and hashes of secrets",
            folder.display()
        ),
        format!("chmod 700 '{}'", folder.display()),
    )
}

/// Checks the permissions of the files in the folder. A file that an operator copied into the folder may be readable by
/// every user.
fn files(folder: &Path) -> Finding {
    let files = match shruti_store::secret_files(folder) {
        Ok(files) => files,
        Err(error) => {
            return Finding::fail(format!("the files in the folder cannot be listed: {error}"), BE_THE_OWNER);
        }
    };
    let is_open =
        |file: &PathBuf| fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
    let open: Vec<String> = files.iter().filter(|file| is_open(file)).map(|file| quoted(file)).collect();
    if open.is_empty() {
        return Finding::ok(format!("only the owner can read the files in the folder ({})", files.len()));
    }
    Finding::warn(
        format!("other users can read files in the folder: {}", open.join(" ")),
        format!("chmod 600 {}; the next start of the server also does this", open.join(" ")),
    )
}

fn quoted(file: &Path) -> String {
    format!("'{}'", file.display())
}

fn writable(folder: &Path) -> Finding {
    // the test file has no name, so the system deletes it even if this process is killed
    match tempfile::tempfile_in(folder) {
        Ok(_) => Finding::ok("the folder is writable"),
        Err(error) => Finding::fail(format!("the folder is not writable: {error}"), BE_THE_OWNER),
    }
}

fn room(folder: &Path) -> Finding {
    let room = match rustix::fs::statvfs(folder) {
        Ok(found) => found.f_bavail.saturating_mul(found.f_frsize),
        Err(error) => {
            return Finding::warn(
                format!("the free disk space cannot be determined: {error}"),
                "check it with df",
            );
        }
    };
    judge_room(room)
}

fn judge_room(room: u64) -> Finding {
    let left = format!("{:.1} GiB are free", room as f64 / f64::from(1 << 30));
    match room {
        0..NO_ROOM => Finding::fail(left, "free some disk space: soon neither keys nor usage can be stored"),
        NO_ROOM..LITTLE_ROOM => Finding::warn(left, "free some disk space before it runs out"),
        _ => Finding::ok(left),
    }
}

#[cfg(target_os = "linux")]
fn network(folder: &Path) -> Option<Finding> {
    let found = rustix::fs::statfs(folder).ok()?;
    judge_file_system(u64::try_from(found.f_type).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn network(_folder: &Path) -> Option<Finding> {
    None
}

/// Returns a failure for a network file system, identified by its Linux magic number.
#[cfg(target_os = "linux")]
fn judge_file_system(kind: u64) -> Option<Finding> {
    let name = match kind {
        0x6969 => "NFS",
        0xff53_4d42 | 0xfe53_4d42 | 0x517b => "SMB",
        _ => return None,
    };
    Some(Finding::fail(
        format!(
            "the folder is on {name}: the database's log needs shared memory, which network file systems do not \
             provide"
        ),
        "use a local disk; backups may be elsewhere (`shruti store backup`)",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn low_disk_space_is_reported_in_advance() {
        for (mebibytes, verdict) in [
            (0, Verdict::Fail),
            (31, Verdict::Fail),
            (32, Verdict::Warn),
            (1_023, Verdict::Warn),
            (1_024, Verdict::Ok),
        ] {
            assert_eq!(judge_room(mebibytes << 20).verdict, verdict, "{mebibytes} MiB");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_file_systems_are_reported() {
        let (ext4, tmpfs) = (0xef53, 0x0102_1994);
        assert_eq!([ext4, tmpfs].map(judge_file_system), [None, None]);
        for (kind, name) in [(0x6969, "NFS"), (0xff53_4d42, "SMB"), (0xfe53_4d42, "SMB")] {
            assert!(judge_file_system(kind).unwrap().found.contains(name));
        }
    }
}
