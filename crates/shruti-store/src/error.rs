//! Errors of a store.

/// Error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be created or opened.
    #[error("data folder '{path}': {source}")]
    Folder {
        /// Path of the folder.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A backup cannot be written.
    #[error("backup file '{path}': {source}")]
    Backup {
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A newer version of the program has migrated the database.
    #[error("the database has schema {found}, this version supports {known}; use the newer version")]
    NewerSchema {
        /// Schema version of the database.
        found: i64,
        /// Newest schema version that this program supports.
        known: i64,
    },
    /// The database, or a file that the store needs, contains data that this version cannot read.
    #[error("the database contains invalid data: {0}")]
    Unreadable(String),
    /// The database cannot be read or written because of a problem with its disk.
    #[error("database in '{folder}': {trouble} ({found})")]
    Disk {
        /// Path of the data folder.
        folder: String,
        /// Problem and remedy.
        trouble: DiskTrouble,
        /// Message of the operating system or of SQLite.
        found: String,
    },
    /// Another process has kept the database locked for longer than the lock timeout.
    #[error(
        "another process has locked the database; if this continues, find the process that has it open (fuser, lsof)"
    )]
    Locked,
    /// The file of root certificates for connections to the database cannot be used.
    #[error("sslrootcert '{path}': {why}")]
    RootCertificates {
        /// Path of the file.
        path: String,
        /// Reason why the file cannot be used.
        why: String,
    },
    /// The database cannot be reached or does not work at the moment.
    #[error("the database cannot be reached: {0}")]
    Away(String),
    /// The operation needs a session, but the connection goes through a pooler in transaction mode.
    #[error(
        "this operation needs a session, which a pooler in transaction mode does not provide; use the address of the \
         database itself"
    )]
    Pooled,
    /// Too many passwords are waiting to be hashed.
    #[error("too many passwords are waiting to be checked")]
    PasswordsWait,
    /// The database failed with an error that has no variant of its own.
    #[error("database: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A password could not be hashed or verified.
    #[error("passwords: {0}")]
    Password(String),
    /// The operating system returned no random bytes.
    #[error("random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The queue of the store is full, or a lock or a connection was not available in time.
    #[error("the store is busy")]
    Busy,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

/// Problem with the disk or the file of a database. The message of each variant names the remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskTrouble {
    /// The disk is full.
    #[error("the disk is full; free some space")]
    Full,
    /// The file is read-only.
    #[error(
        "it cannot be written to; check whether its disk is mounted read-only and whether the server's user owns it"
    )]
    ReadOnly,
    /// The server's user is not permitted to open the file.
    #[error("it cannot be opened; check whether the server's user owns the folder and all files in it")]
    Forbidden,
    /// The file is not a database, or the database is corrupt.
    #[error("it is damaged; stop the server, keep a copy of the folder and restore a backup")]
    Damaged,
    /// The file was removed.
    #[error("it was removed while it was in use; stop the server and restore a backup")]
    Removed,
    /// Another file has replaced the database file.
    #[error("it was replaced by another file while it was in use; restart the server to use the new file")]
    Replaced,
    /// The disk reports errors.
    #[error("the disk has errors; see the system's log (dmesg)")]
    Failing,
}
