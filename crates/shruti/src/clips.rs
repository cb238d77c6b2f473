//! Clips by URL and the cache of rendered clips, as the settings have them.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use shruti_service::ClipsConfig;
use shruti_service::clips::{CacheLimits, ClipCache, Ledger};
use shruti_store::CLIPS;

use crate::calendar;
use crate::settings::Settings;

/// The most disk space of rendered clips where none is set, in MiB.
const USUAL_MIB: u64 = 128;
/// The most rendered clips where none are set.
const USUAL_CLIPS: usize = 10_000;

/// Opens the cache, and the record of what was charged beside it.
pub(crate) fn set_up(settings: &Settings, data_dir: &Path) -> anyhow::Result<ClipsConfig> {
    let limits = CacheLimits {
        bytes: settings.clip_cache.unwrap_or(USUAL_MIB).saturating_mul(1024 * 1024),
        clips: settings.clip_cache_clips.unwrap_or(USUAL_CLIPS),
    };
    let folder = data_dir.join(CLIPS);
    // with limits of 0 it removes what an earlier start has kept
    let is_wanted = limits.bytes > 0 && limits.clips > 0;
    let opened = if is_wanted || folder.is_dir() { Some(ClipCache::open(&folder, limits)) } else { None };
    let cache = opened.transpose().with_context(|| format!("clip-cache: {}", folder.display()))?;
    let ledger =
        if folder.is_dir() { Ledger::open(&folder, calendar::now_ms()) } else { Ledger::in_memory() };
    let cache = cache.filter(|_| is_wanted);
    let cache = cache.map(|cache| Arc::new(cache.shared(settings.clip_cache_shared.unwrap_or(false))));
    Ok(ClipsConfig {
        has_urls: settings.clip_urls.unwrap_or(true),
        charges_each_time: settings.clip_urls_charge_each.unwrap_or(false),
        cache,
        ledger: Arc::new(ledger),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_of_nothing_is_none_and_removes_what_was_kept() {
        let data = tempfile::tempdir().unwrap();
        let set = |clip_cache| set_up(&Settings { clip_cache, ..Settings::default() }, data.path()).unwrap();
        let off = set(Some(0));
        assert!(off.cache.is_none() && off.has_urls && !off.charges_each_time);
        assert!(!data.path().join(CLIPS).exists());
        let on = set(None);
        let limits = on.cache.unwrap().limits();
        assert_eq!(limits, CacheLimits { bytes: 128 * 1024 * 1024, clips: 10_000 });
        let kept = data.path().join(CLIPS).join(format!("{}.clip", "0".repeat(64)));
        std::fs::write(&kept, "a clip").unwrap();
        assert!(set(Some(0)).cache.is_none());
        assert!(!kept.exists());
    }
}
