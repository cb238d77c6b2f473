//! What can be wrong with the disk that a database lies on, and what to do about it.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::store::StoreError;

/// Less room than this is none for SQLite, whose shared memory file alone takes 32 KiB.
const NO_ROOM: u64 = 64 * 1_024;

/// Why a database cannot be read or written. Each says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskTrouble {
    /// No room is left.
    #[error("the disk is full; make room there")]
    Full,
    /// It may not be written to.
    #[error(
        "it cannot be written to; look whether its disk is mounted read-only and whether the server's user owns it"
    )]
    ReadOnly,
    /// It may not be opened.
    #[error("it cannot be opened; look whether the server's user owns the folder and all files in it")]
    Forbidden,
    /// It is no database any more, or not a sound one.
    #[error("it is damaged; stop the server, keep a copy of the folder and restore a backup")]
    Damaged,
    /// It is not there any more.
    #[error("it was removed while it was in use; stop the server and restore a backup")]
    Removed,
    /// Another file has its name.
    #[error("another file was put in its place while it was in use; start the server anew to use that one")]
    Replaced,
    /// The disk fails.
    #[error("the disk fails; look at the system's log (dmesg)")]
    Failing,
}

impl DiskTrouble {
    /// The error of a database that lies in a folder.
    pub(crate) fn of(self, folder: &Path, found: impl Into<String>) -> StoreError {
        StoreError::Disk { folder: folder.display().to_string(), trouble: self, found: found.into() }
    }
}

/// An error of a database in a folder, with what it means there.
pub(crate) fn explain(error: StoreError, folder: &Path) -> StoreError {
    let StoreError::Sqlite(error) = error else { return error };
    let Some(code) = error.sqlite_error_code() else { return StoreError::Sqlite(error) };
    let is_full = || is_full(folder);
    let trouble = match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => return StoreError::Locked,
        ErrorCode::DiskFull => DiskTrouble::Full,
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly if is_full() => {
            DiskTrouble::Full
        }
        ErrorCode::SystemIoFailure => DiskTrouble::Failing,
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => DiskTrouble::Forbidden,
        ErrorCode::ReadOnly => DiskTrouble::ReadOnly,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => DiskTrouble::Damaged,
        _ => return StoreError::Sqlite(error),
    };
    trouble.of(folder, error.to_string())
}

/// Whether the disk under a folder has no room left, for files or for bytes.
fn is_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|found| {
        let has_no_files = found.f_files > 0 && found.f_favail == 0;
        has_no_files || found.f_bavail.saturating_mul(found.f_frsize) < NO_ROOM
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(code: i32) -> StoreError {
        let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        explain(error.into(), &std::env::temp_dir())
    }

    #[test]
    fn each_failure_of_the_disk_says_what_to_do() {
        use rusqlite::ffi;
        for (code, trouble) in [
            (ffi::SQLITE_FULL, DiskTrouble::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, DiskTrouble::Failing),
            (ffi::SQLITE_IOERR_READ, DiskTrouble::Failing),
            (ffi::SQLITE_READONLY, DiskTrouble::ReadOnly),
            (ffi::SQLITE_READONLY_DIRECTORY, DiskTrouble::ReadOnly),
            (ffi::SQLITE_CANTOPEN, DiskTrouble::Forbidden),
            (ffi::SQLITE_NOTADB, DiskTrouble::Damaged),
            (ffi::SQLITE_CORRUPT_INDEX, DiskTrouble::Damaged),
        ] {
            let error = explained(code);
            assert!(
                matches!(error, StoreError::Disk { trouble: found, .. } if found == trouble),
                "{error:?}"
            );
            assert!(error.to_string().contains(&std::env::temp_dir().display().to_string()), "{error}");
        }
        assert!(matches!(explained(ffi::SQLITE_BUSY), StoreError::Locked));
        assert!(matches!(explained(ffi::SQLITE_CONSTRAINT), StoreError::Sqlite(_)));
    }
}
