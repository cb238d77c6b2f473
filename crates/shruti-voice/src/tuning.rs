//! Replacement of the embedded acoustic data, for parameter searches; never in a release.

use std::collections::BTreeMap;

use crate::tables::{Tables, replaced};

/// Acoustic data under trial. It is leaked: about 40 kB for the lifetime of the process.
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

    /// Uses this data for everything that the current thread renders from now on.
    pub fn apply(self) {
        replaced::apply(self.0);
    }
}
