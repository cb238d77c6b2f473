//! `shruti store`: the database itself.

use std::path::PathBuf;

use shruti_store::SqliteStore;

use crate::data_dir::{OnData, block_on};

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// Copy all that is stored, as it is at one moment, into a new file
    ///
    /// To restore it: stop the server, remove shruti.db, shruti.db-wal and shruti.db-shm from the data folder, copy the
    /// file there as shruti.db, start the server. A PostgreSQL database is copied by pg_dump.
    Backup {
        /// The file; it must not exist yet
        file: PathBuf,
    },
    /// Make the tables of this version, or bring those of an older one up to date, as the server's start does
    Migrate,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::Backup { file } => {
            anyhow::ensure!(args.data.database().is_none(), "a PostgreSQL database is copied by pg_dump");
            args.data.must_have_file()?;
            SqliteStore::backup(args.data.path(), file)?;
            eprintln!("copied to {}", file.display());
            Ok(())
        }
        Action::Migrate => block_on(async {
            args.data.open().await?;
            eprintln!("the tables are those of this version");
            Ok(())
        }),
    }
}
