//! Classification of SQLite errors: a lock, a problem with the disk, or neither.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::{DiskTrouble, StoreError};

/// Free space below which the disk counts as full. The shared memory file of SQLite alone needs 32 KiB.
const MIN_FREE_BYTES: u64 = 64 * 1_024;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Box::new(error))
    }
}

/// Returns the error for a disk problem of a database in a folder.
pub(super) fn disk_error(trouble: DiskTrouble, folder: &Path, found: impl Into<String>) -> StoreError {
    StoreError::Disk { folder: folder.display().to_string(), trouble, found: found.into() }
}

/// Converts a database error into an error that names the problem, if the problem is known.
pub(super) fn explain(error: StoreError, folder: &Path) -> StoreError {
    let StoreError::Database(error) = error else { return error };
    let error = match error.downcast::<rusqlite::Error>() {
        Ok(error) => *error,
        Err(other) => return StoreError::Database(other),
    };
    let Some(code) = error.sqlite_error_code() else { return error.into() };
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
        _ => return error.into(),
    };
    disk_error(trouble, folder, error.to_string())
}

/// Returns `true` if the disk of a folder has no free inodes or no free space.
fn is_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|found| {
        let has_no_files = found.f_files > 0 && found.f_favail == 0;
        has_no_files || found.f_bavail.saturating_mul(found.f_frsize) < MIN_FREE_BYTES
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
    fn each_disk_failure_has_advice() {
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
        assert!(matches!(explained(ffi::SQLITE_CONSTRAINT), StoreError::Database(_)));
    }
}
