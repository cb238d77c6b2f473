//! The body of a clip: samples as they are made.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::clip::Clip;
use crate::limits::StreamPermit;
use crate::speech::sample_bytes;

/// A clip on its way to its reader.
///
/// It makes nothing ahead: sound is taken from the clip when the connection has room for it, and the engine stays
/// a few chunks ahead of that. A reader that takes nothing for a while loses the clip; when it comes back, the
/// connection is aborted. Dropping the body, as happens when the client goes away, cancels what is not made yet.
pub(crate) struct AudioBody {
    /// Made before the head was sent.
    waiting: VecDeque<Bytes>,
    shared: Arc<Mutex<Shared>>,
    watch: AbortHandle,
}

/// What the watch on stalled readers needs to see.
struct Shared {
    /// `None` when the clip has ended, well or not.
    running: Option<Running>,
    polled: Instant,
}

struct Running {
    clip: Clip,
    _permit: StreamPermit,
}

/// The clip broke off. The connection is aborted without the closing chunk.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrokenOff {
    #[error("the speech broke off")]
    Fault,
    #[error("the reader stalled")]
    Stalled,
}

impl AudioBody {
    /// A body that begins with `waiting` and goes on with the clip.
    pub(crate) fn new(
        waiting: VecDeque<Bytes>,
        clip: Clip,
        permit: StreamPermit,
        patience: Duration,
    ) -> Self {
        let running = Some(Running { clip, _permit: permit });
        let shared = Arc::new(Mutex::new(Shared { running, polled: Instant::now() }));
        let watch = tokio::spawn(watch(Arc::clone(&shared), patience)).abort_handle();
        Self { waiting, shared, watch }
    }
}

impl Drop for AudioBody {
    fn drop(&mut self) {
        self.watch.abort();
        // the watch may hold the other reference for a moment longer
        let running = lock(&self.shared).running.take();
        drop(running);
    }
}

/// Takes the clip from a reader that has not come for more within `patience`.
async fn watch(shared: Arc<Mutex<Shared>>, patience: Duration) {
    loop {
        let due = lock(&shared).polled + patience;
        sleep_until(due).await;
        let mut shared = lock(&shared);
        if shared.polled + patience <= Instant::now() {
            let running = shared.running.take();
            drop(shared);
            if running.is_some() {
                tracing::info!("a reader stalled; its clip was given up");
            }
            return;
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Body for AudioBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        if let Some(bytes) = self.waiting.pop_front() {
            if self.waiting.is_empty()
                && let Some(running) = &mut lock(&self.shared).running
            {
                running.clip.opening_sent();
            }
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        let mut shared = lock(&self.shared);
        shared.polled = Instant::now();
        let Some(running) = &mut shared.running else { return Poll::Ready(Some(Err(BrokenOff::Stalled))) };
        let next = ready!(running.clip.poll_samples(context));
        Poll::Ready(match next {
            Some(Ok(samples)) => Some(Ok(Frame::data(sample_bytes(&samples)))),
            Some(Err(cause)) => {
                tracing::error!(?cause, "a clip broke off after its first byte");
                Some(Err(BrokenOff::Fault))
            }
            None => None,
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
