//! Response body of a clip, streamed during synthesis.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use shruti_protocol::ApiError;
use shruti_store::KeyRecord;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::clip::{Clip, Piece};
use super::turn_error;
use super::writer::{AbortReason, ClipWriter};
use crate::app::App;
use crate::auth::REAUTHORIZE_EVERY;
use crate::limits::StreamPermit;

/// Response body that streams a clip to its reader.
///
/// The body does not read ahead: it takes audio from the clip when the connection has room for it, and the engine stays
/// a few chunks ahead. If the reader reads nothing for too long, the clip is aborted, and the next read fails. The same
/// happens if the key is revoked, is locked or expires.
///
/// Dropping the body, for example when the client disconnects, cancels the rest of the synthesis.
pub struct AudioBody {
    writer: Box<dyn ClipWriter>,
    /// Header of the format; empty after it has been sent.
    header: Bytes,
    /// Whether the last bytes of the body have been sent.
    is_finished: bool,
    /// Pieces that were synthesised before the response head was sent.
    waiting: VecDeque<Piece>,
    /// Number of bytes that remain to be sent, if known.
    left: Option<u64>,
    shared: Arc<Mutex<Shared>>,
    watch: AbortHandle,
}

/// State that the body shares with the task that watches the reader and the key.
struct Shared {
    /// `None` if the clip was aborted.
    running: Option<Running>,
    polled: Instant,
    /// Reason for the abort.
    broken: Abort,
    /// Waker of the task that waits for the next piece.
    waiting: Option<Waker>,
}

struct Running {
    clip: Clip,
    _permit: Arc<StreamPermit>,
}

/// Reason for an abort, and the error for the reader.
#[derive(Clone, Debug)]
struct Abort {
    why: AbortReason,
    error: Option<ApiError>,
}

impl From<AbortReason> for Abort {
    fn from(why: AbortReason) -> Self {
        Self { why, error: None }
    }
}

impl AudioBody {
    /// Creates a body that starts with the header of its format and the given pieces. Unless the pieces are the whole
    /// clip, the body continues with the remaining audio of the clip, as long as the key is valid.
    pub(crate) fn new(
        mut writer: Box<dyn ClipWriter>,
        pieces: Vec<Piece>,
        is_whole: bool,
        clip: Clip,
        permit: Arc<StreamPermit>,
        app: Arc<App>,
        key: Arc<KeyRecord>,
    ) -> Self {
        let samples = is_whole.then(|| pieces.iter().map(|piece| piece.samples.len() as u64).sum());
        let header: Bytes = writer.begin(samples).into();
        let encoded = samples.and_then(|samples| writer.bytes(samples));
        let left = encoded.map(|encoded| encoded + header.len() as u64);
        let running = Some(Running { clip, _permit: permit });
        let shared =
            Shared { running, polled: Instant::now(), broken: AbortReason::Fault.into(), waiting: None };
        let shared = Arc::new(Mutex::new(shared));
        let watch = tokio::spawn(watch(Arc::clone(&shared), app, key)).abort_handle();
        Self { writer, header, is_finished: false, waiting: pieces.into(), left, shared, watch }
    }
}

impl AudioBody {
    /// Returns a data frame and updates the number of remaining bytes.
    fn frame(&mut self, bytes: Bytes) -> Poll<Option<Result<Frame<Bytes>, AbortReason>>> {
        self.left = self.left.map(|left| left.saturating_sub(bytes.len() as u64));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    /// Returns the next piece and counts it as sent; `None` after the last one.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Piece>, Abort>> {
        let waiting = self.waiting.pop_front();
        let mut shared = lock(&self.shared);
        shared.polled = Instant::now();
        if let (Some(piece), Some(running)) = (&waiting, &mut shared.running) {
            running.clip.sent(piece.chars, piece.samples.len());
            return Poll::Ready(Ok(waiting));
        }
        let Some(running) = &mut shared.running else { return Poll::Ready(Err(shared.broken.clone())) };
        let Poll::Ready(next) = running.clip.poll_piece(context) else {
            shared.waiting = Some(context.waker().clone());
            return Poll::Pending;
        };
        Poll::Ready(next.transpose().map_err(|cause| {
            tracing::error!(?cause, "a clip failed after its first byte");
            Abort { why: AbortReason::Fault, error: Some(turn_error(&cause)) }
        }))
    }
}

impl Drop for AudioBody {
    fn drop(&mut self) {
        self.watch.abort();
        // the clip is dropped explicitly, because the watch task may hold the other reference a moment longer
        let running = lock(&self.shared).running.take();
        drop(running);
    }
}

/// Aborts the clip if its reader reads nothing for too long or its key is no longer valid.
async fn watch(shared: Arc<Mutex<Shared>>, app: Arc<App>, mut key: Arc<KeyRecord>) {
    let stall_timeout = app.config.timeouts.stalled_reader;
    let mut reauthorize = app.clock.wait_until(app.clock.now().monotonic + REAUTHORIZE_EVERY);
    loop {
        let due = lock(&shared).polled + stall_timeout;
        tokio::select! {
            () = sleep_until(due) => {
                let has_stalled = lock(&shared).polled + stall_timeout <= Instant::now();
                if has_stalled {
                    tracing::info!("a reader stalled; its clip was aborted");
                    break_off(&shared, AbortReason::Stalled.into());
                    return;
                }
            }
            () = &mut reauthorize => {
                reauthorize = app.clock.wait_until(app.clock.now().monotonic + REAUTHORIZE_EVERY);
                match app.auth.still_valid(key).await {
                    Ok(same) => key = same,
                    Err(error) => {
                        tracing::info!(code = error.code.as_str(), "a clip was aborted: its key is no longer valid");
                        app.metrics.failed(error.code);
                        break_off(&shared, Abort { why: AbortReason::KeyInvalid, error: Some(error) });
                        return;
                    }
                }
            }
        }
    }
}

fn break_off(shared: &Mutex<Shared>, why: Abort) {
    let mut shared = lock(shared);
    shared.broken = why;
    let (running, waiting) = (shared.running.take(), shared.waiting.take());
    drop(shared);
    drop(running);
    if let Some(waiting) = waiting {
        waiting.wake();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Body for AudioBody {
    type Data = Bytes;
    type Error = AbortReason;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AbortReason>>> {
        let body = &mut *self;
        if !body.header.is_empty() {
            let header = std::mem::take(&mut body.header);
            return body.frame(header);
        }
        while !body.is_finished {
            let last = match ready!(body.poll_piece(context)) {
                Ok(Some(piece)) => {
                    let bytes = body.writer.piece(&piece.words, &piece.samples);
                    if bytes.is_empty() {
                        continue;
                    }
                    return body.frame(bytes.into());
                }
                Ok(None) => body.writer.end(),
                Err(Abort { why, error }) => match error.and_then(|error| body.writer.broken(error)) {
                    Some(last) => last,
                    None => return Poll::Ready(Some(Err(why))),
                },
            };
            body.is_finished = true;
            if !last.is_empty() {
                return body.frame(last.into());
            }
        }
        Poll::Ready(None)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
