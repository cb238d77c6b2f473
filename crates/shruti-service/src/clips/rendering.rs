//! Signed-URL clips that are being rendered. A clip is rendered once for all concurrent requests of a key.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use shruti_protocol::ApiError;
use shruti_store::KeyPrefix;
use tokio::sync::watch;

use super::{ClipDigest, Facts};
use crate::http::errors::{internal, overloaded};
use crate::limits::StreamPermit;

/// Maximum number of bytes that all renderings and their readers hold. While they hold more, no new rendering starts.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A clip and the key that is charged for it.
pub(crate) type RenderingName = (ClipDigest, KeyPrefix);

/// Renderings in progress.
#[derive(Default)]
pub(crate) struct Renderings {
    running: Mutex<HashMap<RenderingName, Arc<Rendering>>>,
    bytes: Arc<AtomicU64>,
}

/// A clip that is being rendered or has been rendered. Rendering continues even without readers, and all bytes are kept
/// for later readers.
pub(crate) struct Rendering {
    state: Mutex<State>,
    changed: watch::Sender<()>,
    /// Number of bytes in all renderings together.
    bytes: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    opening: Option<Result<Opening, ApiError>>,
    chunks: Vec<Bytes>,
    /// Whether the rendering succeeded; `None` until it ends.
    is_whole: Option<bool>,
}

/// Properties of a clip that are known when its audio starts.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Metadata of the clip, without the number of samples.
    pub(crate) facts: Facts,
    /// Time from the last byte of the first request to the first audible sample.
    pub(crate) first_audio: Duration,
}

/// Error for a clip that was not rendered completely.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the rendering of the clip failed")]
pub(crate) struct RenderingFailed;

impl Renderings {
    /// Returns the rendering of a clip for a key, and whether it is new. If it is new, the caller must render the clip;
    /// otherwise, the rendering is shared with earlier requests. Returns an error if a new rendering would be needed
    /// but the renderings hold more than [`MAX_BYTES`].
    pub(crate) fn get_or_insert(&self, name: &RenderingName) -> Result<(Arc<Rendering>, bool), ApiError> {
        let mut running = self.running();
        if let Some(rendering) = running.get(name) {
            return Ok((Arc::clone(rendering), false));
        }
        if self.bytes.load(Ordering::Relaxed) > MAX_BYTES {
            return Err(overloaded(Duration::from_secs(1)));
        }
        let (changed, _) = watch::channel(());
        let bytes = Arc::clone(&self.bytes);
        let rendering = Arc::new(Rendering { state: Mutex::default(), changed, bytes });
        running.insert(name.clone(), Arc::clone(&rendering));
        Ok((rendering, true))
    }

    /// Removes a rendering that has ended.
    pub(crate) fn remove(&self, name: &RenderingName) {
        self.running().remove(name);
    }

    fn running(&self) -> MutexGuard<'_, HashMap<RenderingName, Arc<Rendering>>> {
        // a poisoned lock is usable, because no panic can leave the map incomplete
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rendering {
    /// Sets the properties of the clip, or the error that prevents its first audio, and wakes the readers.
    pub(crate) fn open(&self, opening: Result<Opening, ApiError>) {
        self.change(|state| state.opening = Some(opening));
    }

    /// Appends bytes of the clip.
    pub(crate) fn append(&self, bytes: Bytes) {
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.change(|state| state.chunks.push(bytes));
    }

    /// Ends the rendering; further calls change nothing. If the rendering was not opened, its readers get an internal
    /// error.
    pub(crate) fn end(&self, is_whole: bool) {
        self.change(|state| {
            state.is_whole.get_or_insert(is_whole);
            state.opening.get_or_insert_with(|| Err(internal()));
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // a poisoned lock is usable, because no panic can leave the state incomplete
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.send_replace(());
    }

    /// Waits until `known` returns a value, and returns that value.
    async fn wait<T>(&self, known: impl Fn(&State) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(known) = known(&self.state()) {
                return known;
            }
            if changes.changed().await.is_err() {
                // cannot happen: this rendering owns the sender
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits for the first audio and returns the properties of the clip, or the error that prevents its audio.
    pub(crate) async fn opened(&self) -> Result<Opening, ApiError> {
        self.wait(|state| state.opening.clone()).await
    }

    /// Waits for the end of the rendering. Returns the length of the clip, or an error if it was not rendered
    /// completely.
    pub(crate) async fn ended(&self) -> Result<u64, RenderingFailed> {
        let length = |state: &State| state.chunks.iter().map(|chunk| chunk.len() as u64).sum();
        self.wait(|state| state.is_whole.map(|is_whole| is_whole.then(|| length(state))))
            .await
            .ok_or(RenderingFailed)
    }

    /// Streams up to `length` bytes, starting at the offset `first`, as they are rendered.
    pub(crate) fn read(
        self: Arc<Self>,
        first: u64,
        length: u64,
        permit: Arc<StreamPermit>,
    ) -> impl Stream<Item = Result<Bytes, RenderingFailed>> + Send + 'static {
        unfold((self, permit, 0, first, length), async |(rendering, permit, at, mut skip, mut left)| {
            if left == 0 {
                return None;
            }
            let next = rendering.wait(|state| {
                let chunk = state.chunks.get(at).cloned().map(Ok);
                let end = || {
                    state
                        .is_whole
                        .map(|is_whole| if is_whole { Err(None) } else { Err(Some(RenderingFailed)) })
                };
                chunk.or_else(end)
            });
            match next.await {
                Ok(mut chunk) => {
                    let skipped = chunk.split_to(skip.min(chunk.len() as u64) as usize);
                    skip -= skipped.len() as u64;
                    chunk.truncate(left.min(chunk.len() as u64) as usize);
                    left -= chunk.len() as u64;
                    Some((Ok(chunk), (rendering, permit, at + 1, skip, left)))
                }
                Err(None) => None,
                Err(Some(broken)) => Some((Err(broken), (rendering, permit, at, skip, 0))),
            }
        })
    }
}

impl Drop for Rendering {
    fn drop(&mut self) {
        let held = self.state().chunks.iter().map(|chunk| chunk.len() as u64).sum();
        self.bytes.fetch_sub(held, Ordering::Relaxed);
    }
}
