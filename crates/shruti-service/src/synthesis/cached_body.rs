//! The body of a clip that comes from the cache, or a part of it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

use super::body::BrokenOff;
use crate::clips::CachedClip;
use crate::limits::StreamPermit;
use crate::metering::Charge;

/// The bytes of a frame. The allocator keeps freed memory of larger buffers for longer: 64 KiB here, in the recorder and in the
/// check of a file took 20 MiB more under load.
const CHUNK: usize = 16 * 1024;
/// Frames that are read at once.
const CHUNKS: usize = 4;

/// A clip of the cache on its way to its reader, a chunk at a time.
pub struct CachedBody {
    /// `None` while it is being read, and after a failure.
    file: Option<File>,
    reading: Option<JoinHandle<io::Result<Read>>>,
    /// What was read and is not sent yet.
    chunks: VecDeque<Bytes>,
    /// What is still to be read and sent.
    left: u64,
    /// What the reader pays as it takes the clip; `None` where it was charged before.
    charge: Option<Paying>,
    _permit: Arc<StreamPermit>,
}

/// A file, and what was read of it.
type Read = (File, VecDeque<Bytes>);

struct Paying {
    charge: Charge,
    chars: u32,
    samples: u64,
    sent_samples: u64,
    length: u64,
}

impl CachedBody {
    /// A whole clip, charged as it is taken: of half of its bytes, half of its characters.
    pub(crate) fn charged(clip: CachedClip, charge: Charge, permit: Arc<StreamPermit>) -> Self {
        let (chars, samples) = (clip.facts.chars, clip.facts.samples);
        let charge = Some(Paying { charge, chars, samples, sent_samples: 0, length: clip.length });
        Self {
            file: Some(clip.file),
            reading: None,
            chunks: VecDeque::new(),
            left: clip.length,
            charge,
            _permit: permit,
        }
    }

    /// The bytes from `first` on, so many of them, of a clip that was charged before.
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

impl Paying {
    /// Charges what has been sent with so many bytes left.
    fn sent(&mut self, left: u64) {
        let sent = u128::from(self.length - left);
        let share = |of: u64| (u128::from(of) * sent).div_ceil(u128::from(self.length.max(1))) as u64;
        let (chars, samples) = (share(self.chars.into()), share(self.samples));
        let more = samples - self.sent_samples;
        self.sent_samples = samples;
        self.charge.sent(chars as u32, more as usize);
    }
}

/// Reads so many bytes, at most [`CHUNKS`] of [`CHUNK`].
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
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let body = &mut *self;
        if body.left == 0 {
            return Poll::Ready(None);
        }
        if body.chunks.is_empty() {
            if let Some(file) = body.file.take() {
                let left = body.left;
                body.reading = Some(spawn_blocking(move || read(file, left)));
            }
            let Some(reading) = &mut body.reading else { return Poll::Ready(Some(Err(BrokenOff::Fault))) };
            let done = ready!(Pin::new(reading).poll(context));
            body.reading = None;
            match done.map_err(io::Error::other).flatten() {
                Ok((file, chunks)) => {
                    body.file = Some(file);
                    body.chunks = chunks;
                }
                Err(error) => {
                    tracing::error!(%error, "a cached clip broke off");
                    return Poll::Ready(Some(Err(BrokenOff::Fault)));
                }
            }
        }
        let Some(bytes) = body.chunks.pop_front() else { return Poll::Ready(Some(Err(BrokenOff::Fault))) };
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
