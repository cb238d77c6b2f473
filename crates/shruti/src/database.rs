//! The address of a database as an operator gives it.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use anyhow::anyhow;
use serde::Deserialize;
use shruti_store::PostgresAddress;

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
