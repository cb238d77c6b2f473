//! The server's own readings of words.

use std::sync::{Arc, PoisonError, RwLock};

use shruti_text::Lexicon;

use crate::lexicons::Standing;

/// How words are to be read in every request; can be replaced while the server runs. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ServerLexicon(Arc<RwLock<Standing>>);

impl ServerLexicon {
    /// A lexicon that holds from the start.
    pub fn new(lexicon: Lexicon) -> Self {
        Self(Arc::new(RwLock::new(Standing::of(lexicon))))
    }

    /// Takes another one for the clips and conversations that begin from now on.
    pub fn replace(&self, lexicon: Lexicon) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Standing::of(lexicon);
    }

    /// The one that holds now.
    pub fn current(&self) -> Arc<Lexicon> {
        self.standing().lexicon
    }

    /// The same with its digest.
    pub(crate) fn standing(&self) -> Standing {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
