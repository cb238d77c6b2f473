//! Settings of signed-URL clips and of the clip cache.

use std::sync::Arc;

use crate::clips::{ClipCache, Ledger};

/// Settings of signed-URL clips and of the clip cache.
#[derive(Clone, Debug)]
pub struct ClipsConfig {
    /// Whether clips are available through signed URLs.
    pub has_urls: bool,
    /// Whether every request for a URL is charged, instead of only the first one in a month.
    pub charges_each_time: bool,
    /// Cache of rendered clips; without it, every request is rendered.
    pub cache: Option<Arc<ClipCache>>,
    /// Record of the signed-URL clips that were charged this month.
    pub ledger: Arc<Ledger>,
}

impl Default for ClipsConfig {
    fn default() -> Self {
        Self { has_urls: true, charges_each_time: false, cache: None, ledger: Arc::new(Ledger::in_memory()) }
    }
}
