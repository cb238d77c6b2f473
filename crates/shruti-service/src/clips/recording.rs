//! Recording of a clip in the cache during synthesis. Files are written on blocking threads.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;

use super::cache::{ClipCache, Unfinished, WriteReservation};
use super::digest::ClipDigest;
use super::file::Facts;

/// Number of queued steps at which a thread is started to process them. The last step of a clip starts a thread
/// immediately. Batching reduces the number of threads and their memory.
const STEPS_AT_ONCE: usize = 4;
/// Maximum number of bytes per write to the file, unless a single append is larger.
const BATCH: usize = 16 * 1024;

/// A clip that is being written to the cache. If this value is dropped before [`finish`](Self::finish), the clip is
/// discarded.
pub(crate) struct Recording {
    /// `None` after the clip is finished.
    shared: Option<Arc<Shared>>,
    /// Appended bytes that have not been queued.
    batch: Vec<u8>,
}

struct Shared {
    cache: Arc<ClipCache>,
    state: Mutex<State>,
}

/// Queue of steps. At most one thread at a time processes them, in order.
#[derive(Default)]
struct State {
    steps: VecDeque<Step>,
    is_running: bool,
    /// Unfinished file; `None` while a thread is processing steps, because the thread owns the file.
    file: Option<Unfinished>,
    has_failed: bool,
}

enum Step {
    /// Name of the clip and size of its header, in bytes.
    Begin(ClipDigest, usize),
    Append(Vec<u8>, WriteReservation),
    Finish(Vec<u8>, Facts),
    Discard,
}

impl Recording {
    /// Starts the recording of a clip with a header of `header` bytes.
    pub(crate) fn begin(cache: Arc<ClipCache>, digest: ClipDigest, header: usize) -> Self {
        let state = State { steps: VecDeque::from([Step::Begin(digest, header)]), ..State::default() };
        Self { shared: Some(Arc::new(Shared { cache, state: Mutex::new(state) })), batch: Vec::new() }
    }

    /// Appends bytes after the header. Returns `false` if the clip can no longer be cached.
    #[must_use]
    pub(crate) fn append(&mut self, bytes: &[u8]) -> bool {
        let is_full = !self.batch.is_empty() && self.batch.len() + bytes.len() > BATCH;
        if is_full && !self.queue_batch() {
            return false;
        }
        self.batch.extend_from_slice(bytes);
        true
    }

    /// Completes the clip with its header.
    pub(crate) fn finish(mut self, header: Vec<u8>, facts: Facts) {
        if self.queue_batch()
            && let Some(shared) = self.shared.take()
        {
            shared.push(Step::Finish(header, facts));
        }
    }

    /// Queues the appended bytes. Returns `false` if the clip can no longer be cached.
    fn queue_batch(&mut self) -> bool {
        let Some(shared) = &self.shared else { return false };
        let bytes = mem::take(&mut self.batch);
        let held = WriteReservation::take(&shared.cache, bytes.len() as u64);
        held.is_some_and(|held| shared.push(Step::Append(bytes, held)))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let Some(shared) = &self.shared else { return };
        let mut state = shared.state();
        state.steps.clear();
        let has_begun = state.is_running || state.file.is_some();
        drop(state);
        if has_begun {
            shared.push(Step::Discard);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // a poisoned lock is usable, because no panic can leave the state incomplete
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a step. Returns `false` if the clip can no longer be cached.
    fn push(self: &Arc<Self>, step: Step) -> bool {
        let mut state = self.state();
        if state.has_failed {
            return false;
        }
        let is_last = matches!(step, Step::Finish(..) | Step::Discard);
        state.steps.push_back(step);
        if !state.is_running && (is_last || state.steps.len() >= STEPS_AT_ONCE) {
            state.is_running = true;
            let shared = Arc::clone(self);
            if let Ok(runtime) = Handle::try_current() {
                drop(runtime.spawn_blocking(move || shared.run()));
            } else {
                // without a runtime, this thread may block
                drop(state);
                self.run();
            }
        }
        true
    }

    fn run(&self) {
        let mut file = self.state().file.take();
        loop {
            let mut state = self.state();
            let Some(step) = state.steps.pop_front() else {
                (state.file, state.is_running) = (file, false);
                return;
            };
            drop(state);
            let is_kept = match step {
                Step::Begin(digest, header) => {
                    file = self.cache.begin(digest, header);
                    file.is_some()
                }
                Step::Append(bytes, _held) => file.as_mut().is_some_and(|file| file.append(&bytes)),
                Step::Finish(header, facts) => {
                    if let Some(file) = file.take() {
                        file.finish(&header, &facts);
                    }
                    true
                }
                Step::Discard => false,
            };
            if !is_kept {
                file = None;
                self.state().has_failed = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::cache::CacheLimits;
    use super::*;

    fn facts() -> Facts {
        let [voice, language, engine] = ["Ananya", "hi", "parametric"].map(str::to_owned);
        Facts { voice, language, engine, chars: 5, samples: 1 }
    }

    const DIGEST: ClipDigest = ClipDigest([7; 32]);
    /// Limits that allow a clip of six batches.
    const LIMITS: CacheLimits = CacheLimits { bytes: 8 * 6 * BATCH as u64, clips: 4 };

    /// Runs a task to completion. Returns the folder of its cache, the cache, and the result of the task.
    fn run<T>(task: impl AsyncFnOnce(&Arc<ClipCache>) -> T) -> (tempfile::TempDir, Arc<ClipCache>, T) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(ClipCache::open(folder.path(), LIMITS).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let result = runtime.block_on(task(&cache));
        (folder, cache, result)
    }

    fn shared(recording: &Recording) -> Arc<Shared> {
        Arc::clone(recording.shared.as_ref().unwrap())
    }

    /// Waits until all steps are processed.
    async fn settled(recording: &Shared) {
        while recording.state().is_running {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn clip_is_found_once_complete() {
        let (_folder, cache, was_missing) = run(async |cache| {
            let mut recording = Recording::begin(Arc::clone(cache), DIGEST, 4);
            let shared = shared(&recording);
            assert!(recording.append(&[1; 500]) && recording.append(&[2; BATCH]));
            settled(&shared).await;
            let was_missing = cache.is_missing(&DIGEST);
            recording.finish(b"head".to_vec(), facts());
            settled(&shared).await;
            was_missing
        });
        assert!(was_missing);
        let mut found = cache.find(&DIGEST).unwrap();
        let mut bytes = vec![0; found.length as usize];
        found.file.read_exact(&mut bytes).unwrap();
        assert_eq!(bytes, [b"head".as_slice(), &[1; 500], &[2; BATCH]].concat());
    }

    #[test]
    fn discarded_clip_leaves_no_file() {
        let (folder, cache, ()) = run(async |cache| {
            let mut given_up = Recording::begin(Arc::clone(cache), DIGEST, 4);
            let steps = shared(&given_up);
            for _ in 0..STEPS_AT_ONCE {
                assert!(given_up.append(&[1; BATCH]));
            }
            settled(&steps).await;
            assert!(steps.state().file.is_some());
            drop(given_up);
            settled(&steps).await;

            let mut large = Recording::begin(Arc::clone(cache), DIGEST, 4);
            let steps = shared(&large);
            for _ in 0..STEPS_AT_ONCE {
                assert!(large.append(&vec![1; 3 * BATCH]), "it waits");
            }
            settled(&steps).await;
            assert!(!large.append(&[1; 1]));
            large.finish(b"head".to_vec(), facts());
            settled(&steps).await;
        });
        assert!(cache.find(&DIGEST).is_none());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
