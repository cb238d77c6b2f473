//! The data folder of the operator's commands, which work also while the server runs.

use std::path::{Path, PathBuf};

use anyhow::bail;
use shruti_store::SqliteStore;

use crate::settings::DATA_DIR;

#[derive(clap::Args)]
pub(crate) struct DataDir {
    /// The server's data folder, in which also the packs of voices are
    #[arg(long, global = true, env = "SHRUTI_DATA_DIR", value_name = "DIR", default_value = DATA_DIR)]
    data_dir: PathBuf,
}

// What to do on a data folder. No doc comment: that would be the help of each command.
#[derive(clap::Args)]
pub(crate) struct OnData<Action: clap::Subcommand> {
    #[command(subcommand)]
    pub(crate) action: Action,

    #[command(flatten)]
    pub(crate) data: DataDir,
}

impl DataDir {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.data_dir
    }

    /// Opens its store, and creates it if there is none.
    pub(crate) fn open(&self) -> anyhow::Result<SqliteStore> {
        Ok(SqliteStore::open(&self.data_dir)?)
    }

    /// Opens its store, which must exist: a mistyped folder is not created.
    pub(crate) fn existing(&self) -> anyhow::Result<SqliteStore> {
        self.must_exist()?;
        self.open()
    }

    /// Fails where there is no store.
    pub(crate) fn must_exist(&self) -> anyhow::Result<()> {
        if !SqliteStore::is_in(&self.data_dir) {
            bail!(
                "there is no store in {}; name the server's folder with --data-dir",
                self.data_dir.display()
            );
        }
        Ok(())
    }
}

/// Runs a future of the store to its end.
pub(crate) fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(work)
}
