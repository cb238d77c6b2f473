//! Clips by URL, and the cache of rendered clips.

use std::sync::Arc;

use crate::clips::{ClipCache, Ledger};

/// What an operator sets of clips by URL and of the cache.
#[derive(Clone, Debug)]
pub struct ClipsConfig {
    /// Whether signed URLs of clips are served.
    pub has_urls: bool,
    /// Whether each request for a URL is charged, and not only the first of a month.
    pub charges_each_time: bool,
    /// The cache of rendered clips; without it each request is rendered.
    pub cache: Option<Arc<ClipCache>>,
    /// Which clips by URL were charged this month.
    pub ledger: Arc<Ledger>,
}

impl Default for ClipsConfig {
    fn default() -> Self {
        Self { has_urls: true, charges_each_time: false, cache: None, ledger: Arc::new(Ledger::in_memory()) }
    }
}
