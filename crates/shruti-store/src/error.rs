//! Why a store did not answer.

/// Why the store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be made or entered.
    #[error("data folder '{path}': {source}")]
    Folder {
        /// The folder.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A copy cannot be written.
    #[error("backup file '{path}': {source}")]
    Backup {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database was written by a newer version.
    #[error("the database has schema {found}, this version knows {known}; use the newer version")]
    NewerSchema {
        /// The database's.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// A row holds what this version cannot read.
    #[error("the database holds what cannot be read: {0}")]
    Unreadable(String),
    /// The database cannot be read or written, because of the disk that it lies on.
    #[error("database in '{folder}': {trouble} ({found})")]
    Disk {
        /// The data folder.
        folder: String,
        /// What is wrong, and what to do.
        trouble: DiskTrouble,
        /// What was found, in the words of who found it.
        found: String,
    },
    /// Another process has been writing for longer than was waited.
    #[error(
        "another process holds the lock of the database; look for what has it open (fuser, lsof) if this goes on"
    )]
    Locked,
    /// The database cannot be reached, or does not work at the moment.
    #[error("the database is away: {0}")]
    Away(String),
    /// A pooler shares its connections by transaction, and this needs a session of its own.
    #[error(
        "this needs a session of its own, which a pooler by transaction has not; name the database itself"
    )]
    Pooled,
    /// More passwords wait to be hashed than may.
    #[error("too many passwords wait to be checked")]
    PasswordsWait,
    /// The database failed, in its own words.
    #[error("database: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A password could not be hashed.
    #[error("passwords: {0}")]
    Password(String),
    /// The system gave no random bytes.
    #[error("random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// More work waits than the store takes on.
    #[error("the store is busy")]
    Busy,
    /// The store's thread has ended.
    #[error("the store is closed")]
    Closed,
}

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
