//! Configuration of signed clip URLs and of the clip cache.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use shruti_service::ClipsConfig;
use shruti_service::clips::{CacheLimits, ClipCache, Ledger};
use shruti_store::CLIPS;

use crate::calendar;
use crate::settings::Settings;

/// Default maximum disk space of the clip cache, in MiB.
const USUAL_MIB: u64 = 128;
/// Default maximum number of clips in the cache.
const USUAL_CLIPS: usize = 10_000;

/// Opens the clip cache, if it is enabled, and the ledger of charged clips. The ledger is in the cache folder, or in
/// memory if that folder does not exist.
pub(crate) fn set_up(settings: &Settings, data_dir: &Path) -> anyhow::Result<ClipsConfig> {
    let limits = CacheLimits {
        bytes: settings.clip_cache.unwrap_or(USUAL_MIB).saturating_mul(1024 * 1024),
        clips: settings.clip_cache_clips.unwrap_or(USUAL_CLIPS),
    };
    let folder = data_dir.join(CLIPS);
    // opening a cache with a limit of 0 removes the clips of earlier runs
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
    fn a_cache_of_size_zero_is_disabled_and_deletes_old_clips() {
        let data = tempfile::tempdir().unwrap();
        let set = |clip_cache| set_up(&Settings { clip_cache, ..Settings::default() }, data.path()).unwrap();
        let off = set(Some(0));
        assert!(off.cache.is_none() && off.has_urls && !off.charges_each_time);
        assert!(!data.path().join(CLIPS).exists());
        let on = set(None);
        let limits = on.cache.unwrap().limits();
        assert_eq!(limits, CacheLimits { bytes: 128 * 1024 * 1024, clips: 10_000 });
        let cached_clip = data.path().join(CLIPS).join(format!("{}.clip", "0".repeat(64)));
        std::fs::write(&cached_clip, "a clip").unwrap();
        assert!(set(Some(0)).cache.is_none());
        assert!(!cached_clip.exists());
    }
}
