//! Replacement of the embedded acoustic data, for parameter searches, not for releases.

use std::collections::BTreeMap;

use crate::tables::{Tables, replaced};

/// Acoustic data under trial. The data, about 40 kB, is leaked: it stays in memory until the process ends.
#[derive(Clone, Copy)]
pub struct Trial(&'static Tables);

impl Trial {
    /// Parses files that replace embedded ones. The map contains the text by file name relative to `data/`
    /// (`vowels.tsv`, `languages/hi.toml`).
    ///
    /// # Errors
    ///
    /// Returns an error if a file is invalid.
    pub fn new(files: BTreeMap<String, String>) -> Result<Self, String> {
        Ok(Self(Box::leak(Box::new(replaced::parse(files)?))))
    }

    /// Makes the current thread use this data from now on.
    pub fn apply(self) {
        replaced::apply(self.0);
    }
}
