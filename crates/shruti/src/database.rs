//! Location of a store, as given by an operator.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;
use serde::Deserialize;
use shruti_store::{PostgresAddress, StorePlace};

/// Database URL. The URL may contain a password, so it is never displayed. It is parsed only on use, because the error
/// message of `clap` would quote a URL that cannot be parsed.
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

/// Location of a store: a data folder, or the URL of a database.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    Database(DatabaseUrl),
}

impl Place {
    /// Returns the location in the form that the store library uses. Fails if the URL is invalid.
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
        // any string with a scheme is treated as a URL, so that a URL with a mistyped scheme is not used as a folder
        // name
        Ok(if text.contains("://") {
            Self::Database(DatabaseUrl(text.to_owned()))
        } else {
            Self::Folder(text.into())
        })
    }
}
