//! `shruti store`: the database itself.

use std::path::PathBuf;

use shruti_store::SqliteStore;

use crate::data_dir::OnData;

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// Copy all that is stored, as it is at one moment, into a new file
    ///
    /// To restore it: stop the server, remove shruti.db, shruti.db-wal and shruti.db-shm from the data folder, copy the
    /// file there as shruti.db, start the server.
    Backup {
        /// The file; it must not exist yet
        file: PathBuf,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::Backup { file } => {
            args.data.must_exist()?;
            SqliteStore::backup(args.data.path(), file)?;
            eprintln!("copied to {}", file.display());
            Ok(())
        }
    }
}
