//! Errors that occur when a pack is loaded.

use shruti_packs::PackError;

use crate::session::GraphError;
use crate::symbols::SymbolError;

/// Reason why a pack could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The files of the pack are invalid.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The symbols of the pack are invalid.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// The graph of the pack is invalid.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The manifest contradicts the graph.
    #[error("{0}")]
    Mismatch(String),
}
