//! Pronunciation dictionary of the server.

use std::sync::{Arc, PoisonError, RwLock};

use shruti_text::Lexicon;

/// Pronunciation dictionary that applies to every request. The lexicon can be replaced while the server is running.
/// Clones share the lexicon.
#[derive(Clone, Debug, Default)]
pub struct ServerLexicon(Arc<RwLock<Arc<Lexicon>>>);

impl ServerLexicon {
    /// Creates the initial lexicon.
    pub fn new(lexicon: Lexicon) -> Self {
        let new = Self::default();
        new.replace(lexicon);
        new
    }

    /// Replaces the lexicon for clips and conversations that start after the call.
    pub fn replace(&self, lexicon: Lexicon) {
        // computed now, so that no request waits for the digest of a long lexicon
        lexicon.digest();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(lexicon);
    }

    /// Returns the current lexicon.
    pub fn current(&self) -> Arc<Lexicon> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
