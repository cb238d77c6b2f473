//! The body of a clip: samples as they are made.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use shruti_audio::Encoder;
use shruti_engine::WordMark;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::ApiError;
use shruti_store::KeyRecord;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::clip::{Clip, Piece};
use super::turn_error;
use crate::app::App;
use crate::auth::REAUTHORIZE_EVERY;
use crate::limits::StreamPermit;

/// What is known of a clip once it sounds.
#[derive(Clone, Copy, Debug)]
pub struct ClipStart<'a> {
    /// The voice, in its canonical spelling.
    pub voice: &'a VoiceId,
    /// The language.
    pub language: Language,
    /// The kind of synthesis, as `GET /v1/voices` names it.
    pub engine: &'a str,
    /// What it costs when it is sent whole, in characters.
    pub chars: u32,
}

/// Writes a clip as the bytes of a body: the beginning, each piece, the end.
pub trait ClipWriter: Send {
    /// Takes what is known of the clip; called once, before [`begin`](Self::begin).
    fn start(&mut self, _clip: ClipStart<'_>) {}

    /// What comes first. `samples`: how many there will be, where that is known.
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8>;

    /// More sound, and the words that begin in it, where they are wanted; may give nothing yet.
    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8>;

    /// What comes last.
    fn end(&mut self) -> Vec<u8>;

    /// What comes last in place of [`end`](Self::end) where the clip broke off; `None` for bytes that cannot report
    /// it: then the connection is aborted.
    fn broken(&mut self, _error: ApiError) -> Option<Vec<u8>> {
        None
    }

    /// How many bytes so many samples will be, without what comes first; `None` where that is not known before.
    fn bytes(&self, samples: u64) -> Option<u64>;
}

/// The bytes of a format, and nothing besides.
impl ClipWriter for Box<dyn Encoder> {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        self.header(samples)
    }

    fn piece(&mut self, _words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        self.encode(samples)
    }

    fn end(&mut self) -> Vec<u8> {
        self.finish()
    }

    fn bytes(&self, samples: u64) -> Option<u64> {
        self.encoded_bytes(samples)
    }
}

/// A clip on its way to its reader.
///
/// It makes nothing ahead: sound is taken from the clip when the connection has room for it, and the engine stays
/// a few chunks ahead of that. A reader that takes nothing for a while loses the clip; when it comes back, the
/// connection is aborted. So is a clip whose key is revoked, locked or expires.
///
/// Dropping the body, as happens when the client goes away, cancels what is not made yet.
pub struct AudioBody {
    writer: Box<dyn ClipWriter>,
    /// What comes before the samples, empty once it has been sent.
    header: Bytes,
    /// Whether what comes last has been sent.
    is_finished: bool,
    /// Made before the head was sent.
    waiting: VecDeque<Piece>,
    /// How many bytes are still to be sent, where that is known.
    left: Option<u64>,
    shared: Arc<Mutex<Shared>>,
    watch: AbortHandle,
}

/// What the watch on readers and keys needs to see.
struct Shared {
    /// `None` when the clip has broken off.
    running: Option<Running>,
    polled: Instant,
    /// Why it has broken off.
    broken: Broken,
    /// Who waits for more.
    waiting: Option<Waker>,
}

struct Running {
    clip: Clip,
    _permit: Arc<StreamPermit>,
}

/// Why a clip broke off, with what its reader can be told.
#[derive(Clone, Debug)]
struct Broken {
    why: BrokenOff,
    error: Option<ApiError>,
}

impl From<BrokenOff> for Broken {
    fn from(why: BrokenOff) -> Self {
        Self { why, error: None }
    }
}

/// The clip broke off. The connection is aborted without the closing chunk.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum BrokenOff {
    /// The voice failed, or a file.
    #[error("the speech broke off")]
    Fault,
    /// The reader took nothing for too long.
    #[error("the reader stalled")]
    Stalled,
    /// The key was revoked or locked, or has expired.
    #[error("the key is no longer valid")]
    Refused,
}

impl AudioBody {
    /// A body that begins with the header of its format and the pieces, and goes on with the clip unless they are the
    /// whole of it, as long as the key is valid.
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
            Shared { running, polled: Instant::now(), broken: BrokenOff::Fault.into(), waiting: None };
        let shared = Arc::new(Mutex::new(shared));
        let watch = tokio::spawn(watch(Arc::clone(&shared), app, key)).abort_handle();
        Self { writer, header, is_finished: false, waiting: pieces.into(), left, shared, watch }
    }
}

impl AudioBody {
    /// Bytes on their way.
    fn frame(&mut self, bytes: Bytes) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        self.left = self.left.map(|left| left.saturating_sub(bytes.len() as u64));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    /// The next piece, counted as sent; `None` once there are no more.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Piece>, Broken>> {
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
            tracing::error!(?cause, "a clip broke off after its first byte");
            Broken { why: BrokenOff::Fault, error: Some(turn_error(&cause)) }
        }))
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

/// Takes the clip from a reader that has not come for more for too long, and from a key that is no longer valid.
async fn watch(shared: Arc<Mutex<Shared>>, app: Arc<App>, mut key: Arc<KeyRecord>) {
    let stall_timeout = app.config.timeouts.stalled_reader;
    let mut reauthorize = app.clock.wait_until(app.clock.now().monotonic + REAUTHORIZE_EVERY);
    loop {
        let due = lock(&shared).polled + stall_timeout;
        tokio::select! {
            () = sleep_until(due) => {
                let has_stalled = lock(&shared).polled + stall_timeout <= Instant::now();
                if has_stalled {
                    tracing::info!("a reader stalled; its clip was given up");
                    break_off(&shared, BrokenOff::Stalled.into());
                    return;
                }
            }
            () = &mut reauthorize => {
                reauthorize = app.clock.wait_until(app.clock.now().monotonic + REAUTHORIZE_EVERY);
                match app.auth.still_valid(key).await {
                    Ok(same) => key = same,
                    Err(error) => {
                        tracing::info!(code = error.code.as_str(), "a clip was broken off: its key is no longer valid");
                        app.metrics.failed(error.code);
                        break_off(&shared, Broken { why: BrokenOff::Refused, error: Some(error) });
                        return;
                    }
                }
            }
        }
    }
}

fn break_off(shared: &Mutex<Shared>, why: Broken) {
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
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
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
                Err(Broken { why, error }) => match error.and_then(|error| body.writer.broken(error)) {
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
