//! The `shruti store` command, which manages the database.

mod copy;

use std::path::PathBuf;

use shruti_store::SqliteStore;

use crate::data_dir::{OnData, block_on};
use crate::database::Place;

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// Write a consistent copy of the database to a new file, even while the server is running
    ///
    /// To restore the copy: stop the server, remove shruti.db, shruti.db-wal and shruti.db-shm from the data folder,
    /// copy the file there as shruti.db, and start the server. For a PostgreSQL database, use pg_dump.
    Backup {
        /// File to write; it must not exist yet
        file: PathBuf,
    },
    /// Copy all data into an empty store: from SQLite to PostgreSQL or vice versa
    ///
    /// The copy is all or nothing: each table is read back and compared before the copy is committed. Keys, passwords,
    /// sessions, links and tokens remain valid. Stop the servers first: changes made after the copy has started,
    /// including revocations of keys, are not copied. Voice packs and certificates stay in the data folder.
    Copy {
        /// Destination: postgres://user@host/name, or a data folder; created if it does not exist, and must be empty
        to: Place,
        /// Copy even while servers run, for testing; changes that they make during the copy are not copied
        #[arg(long)]
        while_served: bool,
    },
    /// Create the tables of this version, or upgrade those of an older version, as the server does on startup
    Migrate,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::Backup { file } => {
            anyhow::ensure!(args.data.database().is_none(), "use pg_dump to back up a PostgreSQL database");
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
            eprintln!("the tables are up to date with this version");
            Ok(())
        }),
    }
}
