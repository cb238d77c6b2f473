//! Size-limited disk cache of rendered clips.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use hashlink::{LinkedHashMap, LruCache};

use super::digest::ClipDigest;
use super::file::{self, Facts, Verified};

const SUFFIX: &str = ".clip";
const UNFINISHED: &str = ".unfinished";
/// Minimum age of a file's modification time before a read updates it. After a restart, that time is the only record of
/// the last use.
const USE_NOTED_EVERY: Duration = Duration::from_mins(10);

/// Limits of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Maximum size of all complete clips, in bytes. Clips that are being written may use an additional quarter of this
    /// size.
    pub bytes: u64,
    /// Maximum number of files.
    pub clips: usize,
}

impl CacheLimits {
    /// Returns the maximum size of one clip, in bytes: an eighth of the total, and at most 16 MiB.
    pub fn clip_bytes(&self) -> u64 {
        (self.bytes / 8).min(16 * 1024 * 1024)
    }

    /// Returns the maximum size of all clips that are being written, in bytes, in addition to the complete clips.
    fn unfinished_bytes(&self) -> u64 {
        self.bytes / 4
    }
}

/// Maximum number of turns that are [noted](ClipCache::note_turn). They use about two megabytes of memory.
const MAX_NOTED: usize = 32_768;
/// Maximum number of turns that are recorded concurrently. The audio of a turn may arrive only as fast as it is played,
/// so without this limit, turns could occupy all [file slots](MAX_UNFINISHED) and all memory that clips need.
const MAX_RECORDED_TURNS: usize = 32;

/// Rendered clips and turns on disk. When a limit is exceeded, the least recently used clips are removed.
///
/// Unless its documentation says otherwise, a method may read and write files, so it must not be called on a thread of
/// the async runtime. A file is written under a temporary name, renamed, and verified on every read, so a reader gets
/// either a complete clip or none. Each server needs a separate folder. If two servers share a folder, no file is
/// damaged, but neither server finds the clips that the other has added.
#[derive(Debug)]
pub struct ClipCache {
    folder: PathBuf,
    limits: CacheLimits,
    is_shared: bool,
    index: Mutex<Index>,
    counters: Counters,
    /// The last turns that were requested, as the first eight bytes of their digests.
    noted: Mutex<LruCache<u64, (), RandomState>>,
    /// Number of turns that are being recorded.
    recorded_turns: AtomicUsize,
    /// Number for the name of the next unfinished file.
    begun: AtomicU64,
    /// Number of files that are being written.
    unfinished_files: AtomicUsize,
    unfinished_bytes: AtomicU64,
    /// Number of bytes that are buffered in memory until they are written to a file.
    held: AtomicU64,
}

/// Index of the files, the least recently used first.
#[derive(Debug, Default)]
struct Index {
    bytes_of: LinkedHashMap<ClipDigest, u64, RandomState>,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
    corrupt: AtomicU64,
    failed_writes: AtomicU64,
}

/// Contents of a cache, and its counters since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Number of clips.
    pub clips: usize,
    /// Total size of the files, in bytes.
    pub bytes: u64,
    /// Number of cache hits.
    pub hits: u64,
    /// Number of cache misses.
    pub misses: u64,
    /// Number of clips that were removed to make room.
    pub evictions: u64,
    /// Number of corrupt files that were removed.
    pub corrupt: u64,
    /// Number of clips that could not be written.
    pub failed_writes: u64,
}

/// A verified clip or turn from the cache. It stays readable even if its file is removed.
#[derive(Debug)]
pub struct CachedClip {
    /// Metadata of the clip.
    pub facts: Facts,
    /// Size of the clip, in bytes.
    pub length: u64,
    pub(crate) file: File,
    /// Offset of the clip in the file.
    pub(crate) offset: u64,
}

impl ClipCache {
    /// Opens a cache in a folder, which is created if it does not exist (mode 700). The cache adopts the clips in the
    /// folder, removes unfinished files and ignores files with other names.
    pub fn open(folder: &Path, limits: CacheLimits) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let mut found: Vec<(SystemTime, ClipDigest, u64)> = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.ends_with(UNFINISHED) {
                // removal fails if another server has finished the file in the meantime
                let _ = fs::remove_file(entry.path());
            } else if let Some(digest) = name.strip_suffix(SUFFIX).and_then(ClipDigest::parse)
                && let Ok(file) = entry.metadata()
                && file.is_file()
            {
                found.push((file.modified().unwrap_or(SystemTime::UNIX_EPOCH), digest, file.len()));
            }
        }
        found.sort_unstable();
        let cache = Self {
            folder: folder.to_owned(),
            limits,
            is_shared: false,
            index: Mutex::default(),
            counters: Counters::default(),
            noted: Mutex::new(LruCache::with_hasher(MAX_NOTED, RandomState::new())),
            recorded_turns: AtomicUsize::new(0),
            begun: AtomicU64::new(0),
            unfinished_files: AtomicUsize::new(0),
            unfinished_bytes: AtomicU64::new(0),
            held: AtomicU64::new(0),
        };
        for (_, digest, bytes) in found {
            cache.index().insert(digest, bytes);
        }
        cache.evict();
        Ok(cache)
    }

    /// Sets whether accounts share cached clips.
    #[must_use]
    pub fn shared(mut self, is_shared: bool) -> Self {
        self.is_shared = is_shared;
        self
    }

    /// Returns whether accounts share cached clips.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the limits.
    pub fn limits(&self) -> CacheLimits {
        self.limits
    }

    /// Notes that a turn was requested. Returns whether the turn was already among the last [`MAX_NOTED`] noted turns.
    pub(crate) fn note_turn(&self, digest: &ClipDigest) -> bool {
        let bytes = digest.0.first_chunk().copied().unwrap_or_default();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.insert(u64::from_le_bytes(bytes), ()).is_some()
    }

    /// Reserves a slot for the recording of a turn. Returns `None` if too many turns are being recorded.
    pub(crate) fn reserve_turn(self: &Arc<Self>) -> Option<TurnReservation> {
        let before = self.recorded_turns.fetch_add(1, Ordering::Relaxed);
        let reservation = TurnReservation(Arc::clone(self));
        (before < MAX_RECORDED_TURNS).then_some(reservation)
    }

    /// Returns whether a clip is missing from the index, and counts a miss if it is. This method reads no file, so it
    /// may be called on any thread.
    pub fn is_missing(&self, digest: &ClipDigest) -> bool {
        let is_missing = !self.index().bytes_of.contains_key(digest);
        if is_missing {
            self.counters.misses.fetch_add(1, Ordering::Relaxed);
        }
        is_missing
    }

    /// Returns a clip, or `None` if it is not in the cache or cannot be read. A corrupt file is removed.
    pub fn find(&self, digest: &ClipDigest) -> Option<CachedClip> {
        let found = self.verified(digest);
        let counter = if found.is_some() { &self.counters.hits } else { &self.counters.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn verified(&self, digest: &ClipDigest) -> Option<CachedClip> {
        let is_known = self.index().touch(digest);
        if !is_known {
            return None;
        }
        let path = self.path(digest);
        match file::open(&path) {
            Ok(Verified { facts, file, offset, length }) => {
                note_use(&file);
                Some(CachedClip { facts, length, file, offset })
            }
            Err(error) => {
                self.index().remove(digest);
                if error.kind() == io::ErrorKind::InvalidData {
                    self.counters.corrupt.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!("a corrupt clip was removed from the cache");
                    let _ = fs::remove_file(path);
                } else if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, "a cached clip could not be read");
                }
                None
            }
        }
    }

    /// Starts writing a clip with a header of `header` bytes. Returns `None` if the cache stores no clips, a limit for
    /// unfinished clips is reached, or the file cannot be created.
    pub(crate) fn begin(self: &Arc<Self>, digest: ClipDigest, header: usize) -> Option<Unfinished> {
        if self.limits.clips == 0 {
            return None;
        }
        let place = FileReservation::take(self, header as u64)?;
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{digest}.{}.{number}{UNFINISHED}", std::process::id()));
        match file::Writer::create(&path, header) {
            Ok(writer) => Some(Unfinished { place, digest, path, writer: Some(writer) }),
            Err(error) => {
                self.note_failure(&error);
                None
            }
        }
    }

    fn note_failure(&self, error: &io::Error) {
        self.counters.failed_writes.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(%error, "a clip could not be written to the cache");
    }

    /// Removes the least recently used clips until the limits are met.
    fn evict(&self) {
        loop {
            let oldest = self.index().pop_beyond(self.limits);
            let Some(digest) = oldest else { return };
            self.counters.evictions.fetch_add(1, Ordering::Relaxed);
            // the file may already be gone
            let _ = fs::remove_file(self.path(&digest));
        }
    }

    /// Returns the contents and the counters.
    pub fn stats(&self) -> CacheStats {
        let (clips, bytes) = {
            let index = self.index();
            (index.bytes_of.len(), index.bytes)
        };
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStats {
            clips,
            bytes,
            hits: count(&self.counters.hits),
            misses: count(&self.counters.misses),
            evictions: count(&self.counters.evictions),
            corrupt: count(&self.counters.corrupt),
            failed_writes: count(&self.counters.failed_writes),
        }
    }

    fn path(&self, digest: &ClipDigest) -> PathBuf {
        self.folder.join(format!("{digest}{SUFFIX}"))
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // a poisoned lock is usable, because no panic can leave the index incomplete
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum number of files that are written concurrently. Each file needs a file descriptor.
const MAX_UNFINISHED: usize = 256;

/// Reservation for the recording of a turn, released on drop.
pub(crate) struct TurnReservation(Arc<ClipCache>);

impl Drop for TurnReservation {
    fn drop(&mut self) {
        self.0.recorded_turns.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reservation for a file that is being written and for its bytes, released on drop.
#[derive(Debug)]
struct FileReservation {
    cache: Arc<ClipCache>,
    bytes: u64,
}

impl FileReservation {
    fn take(cache: &Arc<ClipCache>, header: u64) -> Option<Self> {
        let before = cache.unfinished_files.fetch_add(1, Ordering::Relaxed);
        let mut place = Self { cache: Arc::clone(cache), bytes: 0 };
        (before < MAX_UNFINISHED && place.grow(header)).then_some(place)
    }

    /// Reserves more bytes; returns `false` if a limit is exceeded.
    fn grow(&mut self, more: u64) -> bool {
        let limits = self.cache.limits;
        self.bytes += more;
        let before = self.cache.unfinished_bytes.fetch_add(more, Ordering::Relaxed);
        self.bytes <= limits.clip_bytes() && before + more <= limits.unfinished_bytes()
    }
}

impl Drop for FileReservation {
    fn drop(&mut self) {
        self.cache.unfinished_files.fetch_sub(1, Ordering::Relaxed);
        self.cache.unfinished_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A clip that is being written. If this value is dropped before [`finish`](Self::finish), the file is removed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    place: FileReservation,
    digest: ClipDigest,
    path: PathBuf,
    writer: Option<file::Writer>,
}

impl Unfinished {
    /// Appends bytes after the header. Returns `false` if the clip becomes too large, the limit for unfinished clips is
    /// reached, or the disk write fails.
    #[must_use]
    pub(crate) fn append(&mut self, bytes: &[u8]) -> bool {
        let Some(writer) = &mut self.writer else { return false };
        if !self.place.grow(bytes.len() as u64) {
            return false;
        }
        writer.append(bytes).inspect_err(|error| self.place.cache.note_failure(error)).is_ok()
    }

    /// Completes the clip and adds it to the cache.
    pub(crate) fn finish(mut self, header: &[u8], facts: &Facts) {
        let Some(writer) = self.writer.take() else { return };
        let cache = &self.place.cache;
        let path = cache.path(&self.digest);
        let written = writer.finish(header, facts);
        match written.and_then(|bytes| fs::rename(&self.path, path).map(|()| bytes)) {
            Ok(bytes) => {
                cache.index().insert(self.digest, bytes);
                cache.evict();
            }
            Err(error) => {
                cache.note_failure(&error);
                let _ = fs::remove_file(&self.path);
            }
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // the file may already be gone
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Maximum total size of the data that is buffered in memory until it is written to a file, in bytes. A clip that would
/// exceed this limit is not cached.
const MAX_UNWRITTEN: u64 = 8 * 1024 * 1024;

/// Reservation of memory for bytes that have not been written yet, released on drop.
#[derive(Debug)]
pub(crate) struct WriteReservation {
    cache: Arc<ClipCache>,
    bytes: u64,
}

impl WriteReservation {
    /// Reserves memory for `bytes` bytes if the limit allows it.
    pub(crate) fn take(cache: &Arc<ClipCache>, bytes: u64) -> Option<Self> {
        let held = Self { cache: Arc::clone(cache), bytes };
        let before = cache.held.fetch_add(bytes, Ordering::Relaxed);
        (before + bytes <= MAX_UNWRITTEN).then_some(held)
    }
}

impl Drop for WriteReservation {
    fn drop(&mut self) {
        self.cache.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Updates the modification time of a file that is read, if that time is older than [`USE_NOTED_EVERY`].
fn note_use(file: &File) {
    let now = SystemTime::now();
    let noted = file.metadata().and_then(|file| file.modified());
    let is_old =
        noted.is_ok_and(|noted| now.duration_since(noted).is_ok_and(|since| since > USE_NOTED_EVERY));
    if is_old {
        // a failure has only one effect: the clip counts as less recently used
        let _ = file.set_modified(now);
    }
}

impl Index {
    fn insert(&mut self, digest: ClipDigest, bytes: u64) {
        let before = self.bytes_of.insert(digest, bytes);
        self.bytes = self.bytes + bytes - before.unwrap_or(0);
        self.bytes_of.to_back(&digest);
    }

    fn touch(&mut self, digest: &ClipDigest) -> bool {
        self.bytes_of.to_back(digest).is_some()
    }

    fn remove(&mut self, digest: &ClipDigest) {
        self.bytes -= self.bytes_of.remove(digest).unwrap_or(0);
    }

    /// Removes and returns the least recently used clip if a limit is exceeded.
    fn pop_beyond(&mut self, limits: CacheLimits) -> Option<ClipDigest> {
        if self.bytes <= limits.bytes && self.bytes_of.len() <= limits.clips {
            return None;
        }
        let (digest, bytes) = self.bytes_of.pop_front()?;
        self.bytes -= bytes;
        Some(digest)
    }
}

#[cfg(test)]
mod tests;
