//! Response body of a cached clip, or of a part of it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

use super::writer::AbortReason;
use crate::clips::CachedClip;
use crate::limits::StreamPermit;
use crate::metering::Charge;

/// Size of a frame, in bytes. The allocator retains the freed memory of larger buffers for longer. With buffers of 64
/// KiB here, in the recorder and in the file check, the server used 20 MiB more memory under load.
const CHUNK: usize = 16 * 1024;
/// Maximum number of frames per read.
const CHUNKS: usize = 4;

/// Response body that streams a cached clip in chunks.
pub struct CachedBody {
    /// `None` during a read and after a failure.
    file: Option<File>,
    reading: Option<JoinHandle<io::Result<Read>>>,
    /// Chunks that have been read but not sent.
    chunks: VecDeque<Bytes>,
    /// Number of bytes that remain to be read and sent.
    left: u64,
    /// Charge that grows as the reader reads the clip; `None` if the clip has already been charged.
    charge: Option<PendingCharge>,
    _permit: Arc<StreamPermit>,
}

/// A file and the chunks that were read from it.
type Read = (File, VecDeque<Bytes>);

struct PendingCharge {
    charge: Charge,
    chars: u32,
    samples: u64,
    sent_samples: u64,
    length: u64,
}

impl CachedBody {
    /// Creates the body of a whole clip that is charged in proportion to the bytes sent: after half of its bytes, half
    /// of its characters.
    pub(crate) fn charged(clip: CachedClip, charge: Charge, permit: Arc<StreamPermit>) -> Self {
        let (chars, samples) = (clip.facts.chars, clip.facts.samples);
        let charge = Some(PendingCharge { charge, chars, samples, sent_samples: 0, length: clip.length });
        Self {
            file: Some(clip.file),
            reading: None,
            chunks: VecDeque::new(),
            left: clip.length,
            charge,
            _permit: permit,
        }
    }

    /// Creates the body of `length` bytes, starting at `first`, of a clip that has already been charged.
    pub(crate) fn part(
        clip: CachedClip,
        first: u64,
        length: u64,
        permit: Arc<StreamPermit>,
    ) -> io::Result<Self> {
        let mut file = clip.file;
        file.seek(SeekFrom::Start(clip.offset + first))?;
        Ok(Self {
            file: Some(file),
            reading: None,
            chunks: VecDeque::new(),
            left: length,
            charge: None,
            _permit: permit,
        })
    }
}

impl PendingCharge {
    /// Charges the bytes that have been sent when `left` bytes remain.
    fn sent(&mut self, left: u64) {
        let sent = u128::from(self.length - left);
        let share = |of: u64| (u128::from(of) * sent).div_ceil(u128::from(self.length.max(1))) as u64;
        let (chars, samples) = (share(self.chars.into()), share(self.samples));
        let more = samples - self.sent_samples;
        self.sent_samples = samples;
        self.charge.sent(chars as u32, more as usize);
    }
}

/// Reads up to `left` bytes, at most [`CHUNKS`] chunks of [`CHUNK`] bytes.
fn read(mut file: File, left: u64) -> io::Result<Read> {
    let mut left = left.min((CHUNKS * CHUNK) as u64) as usize;
    let mut chunks = VecDeque::new();
    while left > 0 {
        let mut bytes = vec![0; left.min(CHUNK)];
        file.read_exact(&mut bytes)?;
        left -= bytes.len();
        chunks.push_back(bytes.into());
    }
    Ok((file, chunks))
}

impl Body for CachedBody {
    type Data = Bytes;
    type Error = AbortReason;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AbortReason>>> {
        let body = &mut *self;
        if body.left == 0 {
            return Poll::Ready(None);
        }
        if body.chunks.is_empty() {
            if let Some(file) = body.file.take() {
                let left = body.left;
                body.reading = Some(spawn_blocking(move || read(file, left)));
            }
            let Some(reading) = &mut body.reading else { return Poll::Ready(Some(Err(AbortReason::Fault))) };
            let done = ready!(Pin::new(reading).poll(context));
            body.reading = None;
            match done.map_err(io::Error::other).flatten() {
                Ok((file, chunks)) => {
                    body.file = Some(file);
                    body.chunks = chunks;
                }
                Err(error) => {
                    tracing::error!(%error, "a cached clip failed");
                    return Poll::Ready(Some(Err(AbortReason::Fault)));
                }
            }
        }
        let Some(bytes) = body.chunks.pop_front() else { return Poll::Ready(Some(Err(AbortReason::Fault))) };
        body.left -= bytes.len() as u64;
        if let Some(paying) = &mut body.charge {
            paying.sent(body.left);
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
