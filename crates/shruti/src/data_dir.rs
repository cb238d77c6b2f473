//! Location of the server's data, for the commands of the operator. These commands work even while the server is
//! running.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::bail;
use shruti_store::{PostgresStore, SqliteStore, Store};

use crate::calendar;
use crate::data_folder;
use crate::database::{DatabaseUrl, Place};
use crate::runtime;

#[derive(clap::Args)]
pub(crate) struct DataDir {
    /// The server's data folder, which also holds voice packs [default: the folder of the running server, otherwise the
    /// default folder of `shruti serve`]
    #[arg(long, global = true, env = "SHRUTI_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Path of the folder, determined on first use.
    #[arg(skip)]
    found: OnceLock<PathBuf>,
}

impl DataDir {
    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.found.get_or_init(|| self.data_dir.clone().unwrap_or_else(data_folder::folder_in_use))
    }
}

/// Locations of the data folder and of the store, which is in that folder or in a database.
#[derive(clap::Args)]
pub(crate) struct Data {
    #[command(flatten)]
    folder: DataDir,

    /// The server's PostgreSQL database (postgres://user@host/name) [default: the SQLite file in the data folder]
    #[arg(long, global = true, env = "SHRUTI_DATABASE", value_name = "URL", hide_env_values = true)]
    database: Option<DatabaseUrl>,
}

// Action on the store. This is not a doc comment, because a doc comment would replace the help of each command.
#[derive(clap::Args)]
pub(crate) struct OnData<Action: clap::Subcommand> {
    #[command(subcommand)]
    pub(crate) action: Action,

    #[command(flatten)]
    pub(crate) data: Data,
}

impl Data {
    /// Returns the path of the data folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the URL of the database, or `None` if the store is in the data folder.
    pub(crate) fn database(&self) -> Option<&DatabaseUrl> {
        self.database.as_ref()
    }

    /// Returns the location of the store.
    pub(crate) fn place(&self) -> Place {
        match &self.database {
            Some(url) => Place::Database(url.clone()),
            None => Place::Folder(self.path().to_owned()),
        }
    }

    /// Opens the store, or creates it if it does not exist.
    pub(crate) async fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        Ok(match &self.database {
            Some(url) => PostgresStore::open(&url.address()?).await?.shared(),
            None => SqliteStore::open(self.path())?.shared(),
        })
    }

    /// Opens the store. Fails if the store does not exist, so that a mistyped location does not create one.
    pub(crate) async fn existing(&self) -> anyhow::Result<Arc<dyn Store>> {
        match &self.database {
            Some(url) => {
                let address = url.address()?;
                if PostgresStore::inspect(&address, calendar::now_ms()).await?.schema == 0 {
                    bail!("there is no store in {address}; `shruti store migrate` creates one");
                }
            }
            None => self.must_have_file()?,
        }
        self.open().await
    }

    /// Returns an error if there is no store in the folder.
    pub(crate) fn must_have_file(&self) -> anyhow::Result<()> {
        if !SqliteStore::is_in(self.path()) {
            bail!(
                "there is no store in {}; `shruti serve` creates one, --data-dir selects the folder of another server",
                self.path().display()
            );
        }
        Ok(())
    }
}

/// Runs a future to completion on a new runtime.
pub(crate) fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    runtime::block_on(&tokio::runtime::Builder::new_current_thread().enable_all().build()?, work)
}
