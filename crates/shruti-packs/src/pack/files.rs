//! Contents of a pack's files, read and compared with their checksums once, for the code that runs the graphs.

use std::fmt;

use crate::manifest::{Graph, Manifest};

/// Everything that synthesis with a pack requires.
#[derive(Clone, Debug, PartialEq)]
pub struct PackFiles {
    /// Manifest of the pack.
    pub manifest: Manifest,
    /// Text of the symbol table.
    pub symbols: String,
    /// Graph with the contents of its files.
    pub graph: Graph<FileContent>,
}

/// Content of a file of a pack.
#[derive(Clone, PartialEq, Eq)]
pub struct FileContent {
    /// Name of the file, for errors.
    pub path: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for FileContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileContent").field("path", &self.path).field("bytes", &self.bytes.len()).finish()
    }
}
