//! The contents of a pack's files, read and compared with their checksums once, for whatever runs them.

use std::fmt;

use crate::manifest::{Graph, Manifest};

/// All that a pack needs to speak.
#[derive(Clone, Debug, PartialEq)]
pub struct PackFiles {
    /// What the pack says of itself.
    pub manifest: Manifest,
    /// The text of its table of symbols.
    pub symbols: String,
    /// Its graph, with the contents of its files.
    pub graph: Graph<FileContent>,
}

/// The content of a file of a pack.
#[derive(Clone, PartialEq, Eq)]
pub struct FileContent {
    /// Its name, for errors.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for FileContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileContent").field("path", &self.path).field("bytes", &self.bytes.len()).finish()
    }
}
