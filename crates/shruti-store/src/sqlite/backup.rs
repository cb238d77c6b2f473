//! Backups of a store, which can be made even while a server is using it.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::connection::{FILE_NAME, LOCK_WAIT};
use super::fault;
use super::store::SqliteStore;
use crate::data_folder::create_private_file;
use crate::error::StoreError;

impl SqliteStore {
    /// Copies the store of a data folder into a new file that only its owner may read. The copy is one snapshot, even
    /// if other processes write meanwhile, and no other process has to wait. The integrity of the copy is checked
    /// before it gets its final name. An existing file is not replaced.
    ///
    /// The call takes as long as copying the file, so call it where blocking is allowed.
    pub fn backup(data_dir: &Path, file: &Path) -> Result<(), StoreError> {
        let file_error = |source: io::Error| StoreError::Backup { path: file.display().to_string(), source };
        if file.try_exists().map_err(file_error)? {
            return Err(file_error(io::ErrorKind::AlreadyExists.into()));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut name =
            file.file_name().ok_or_else(|| file_error(io::ErrorKind::InvalidInput.into()))?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = folder.join(name);
        create_private_file(&part).map_err(file_error)?;
        let copied = copy(&data_dir.join(FILE_NAME), &part)
            // unlike a rename, this fails if the file has been created in the meantime
            .and_then(|()| fs::hard_link(&part, file).map_err(file_error))
            .and_then(|()| fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(file_error));
        // the temporary name is no longer needed: the copy has its final name, or it has failed
        let removed = fs::remove_file(&part).map_err(file_error);
        copied.and(removed).map_err(|error| fault::explain(error, data_dir))
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    // the connection is not read-only, because readers of a write-ahead log write to its index
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    source.busy_timeout(LOCK_WAIT)?;
    let mut target = Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // copying all pages in one step gives one snapshot; with a write-ahead log, readers and writers are not blocked
    Backup::new(&source, &mut target)?.step(-1)?;
    // makes the copy one file, without a write-ahead log
    target.pragma_update(None, "journal_mode", "DELETE")?;
    let verdict: String = target.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Unreadable(format!("the copy: {verdict}"))) }
}
