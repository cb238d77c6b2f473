//! Pronunciation dictionary of the server.

use std::sync::{Arc, PoisonError, RwLock};

use shruti_text::Lexicon;

use crate::lexicons::AppliedLexicon;

/// Pronunciation dictionary that applies to every request. It can be replaced while the server runs. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ServerLexicon(Arc<RwLock<AppliedLexicon>>);

impl ServerLexicon {
    /// Creates the initial lexicon.
    pub fn new(lexicon: Lexicon) -> Self {
        Self(Arc::new(RwLock::new(AppliedLexicon::of(lexicon))))
    }

    /// Replaces the lexicon for clips and conversations that start later.
    pub fn replace(&self, lexicon: Lexicon) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = AppliedLexicon::of(lexicon);
    }

    /// Returns the current lexicon.
    pub fn current(&self) -> Arc<Lexicon> {
        self.applied().lexicon
    }

    /// Returns the current lexicon with its digest.
    pub(crate) fn applied(&self) -> AppliedLexicon {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
