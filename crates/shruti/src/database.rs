//! Location of a store, as given by an operator.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;
use serde::Deserialize;
use shruti_store::{PostgresAddress, StorePlace};

/// URL of a database, which may contain a password. The URL is never displayed, not even in an error message about an
/// argument, so it is parsed only on use.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Parses the URL.
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

/// Data folder, or URL of a database.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    Database(DatabaseUrl),
}

impl Place {
    /// Parses the location.
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
        // any scheme means a URL, so that a URL with a mistyped scheme is not taken for a folder
        Ok(if text.contains("://") {
            Self::Database(DatabaseUrl(text.to_owned()))
        } else {
            Self::Folder(text.into())
        })
    }
}
