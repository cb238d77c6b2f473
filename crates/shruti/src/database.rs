//! Where a store is, as an operator says it.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;
use serde::Deserialize;
use shruti_store::{PostgresAddress, StorePlace};

/// An address as it was given, with its password: nothing shows it, an error neither. So it is read when it is used.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// What it says.
    pub(crate) fn address(&self) -> anyhow::Result<PostgresAddress> {
        self.0.parse().map_err(|error| anyhow!("database: {error}"))
    }
}

impl FromStr for DatabaseUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

/// A data folder, or the address of a database.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    Database(DatabaseUrl),
}

impl Place {
    /// What it says.
    pub(crate) fn store(&self) -> anyhow::Result<StorePlace> {
        Ok(match self {
            Self::Folder(path) => StorePlace::Folder(path.clone()),
            Self::Database(url) => StorePlace::Database(Box::new(url.address()?)),
        })
    }
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // a mistyped scheme is no folder
        Ok(if text.contains("://") {
            Self::Database(DatabaseUrl(text.to_owned()))
        } else {
            Self::Folder(text.into())
        })
    }
}
