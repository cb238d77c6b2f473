//! Errors that occur when a pack is loaded.

use shruti_packs::PackError;

use crate::session::GraphError;
use crate::symbols::SymbolError;

/// Reason why a pack could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The files of the pack are invalid or could not be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The symbol table of the pack is invalid.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// A graph of the pack could not be loaded, or its inputs or outputs are wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The manifest or a style table does not match the graph.
    #[error("{0}")]
    Mismatch(String),
}
