//! `shruti store`: the database itself.

mod copy;

use std::path::PathBuf;

use shruti_store::SqliteStore;

use crate::data_dir::{OnData, block_on};
use crate::database::Place;

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
    /// Copy all that is stored into an empty store: from SQLite to PostgreSQL, or back
    ///
    /// All of it or nothing: what was written is read back and compared, table by table, before it is kept. Keys,
    /// passwords, sessions, links and tokens work on as they are. Stop the servers first: whatever they write after the copy has begun,
    /// a revocation too, is not in it. Packs of voices and certificates stay in the data folder.
    Copy {
        /// Where to: postgres://user@host/name, or a data folder; it is made if it is not there, and must be empty
        to: Place,
        /// Copy also while servers run, to try it out; what they write meanwhile is not in the copy
        #[arg(long)]
        while_served: bool,
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
        Action::Copy { to, while_served } => {
            block_on(copy::run(&args.data.place().store()?, &to.store()?, *while_served))
        }
        Action::Migrate => block_on(async {
            args.data.open().await?;
            eprintln!("the tables are those of this version");
            Ok(())
        }),
    }
}
