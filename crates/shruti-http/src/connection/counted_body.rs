//! Response body that is charged to its connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::activity::{Hold, RequestGuard};
use super::streams::StreamReader;

/// Maximum number of bytes that are handed to hyper in one frame. It is small because the progress of the reader is
/// visible only between frames.
const PIECE_BYTES: usize = 16 * 1024;

/// Response body that lives until flow control admits all of it. Until then, the connection does not count as idle, and
/// the body is charged to it.
///
/// For HTTP/2, hyper drops a body when the body returns its last frame, but requests no frame until all previous frames
/// fit in the windows of the stream and the connection. The last byte is therefore a separate frame, so that the body
/// lives until flow control admits all the bytes before it.
pub(super) struct CountedBody {
    body: Body,
    /// Bytes of `body` that have not been handed to hyper.
    front: Bytes,
    /// Trailers or error that `body` returned when it was polled in advance.
    pulled: Option<Result<Frame<Bytes>, axum::Error>>,
    hold: Hold,
    reader: Option<Arc<StreamReader>>,
    _in_progress: RequestGuard,
}

impl CountedBody {
    pub(super) fn new(body: Body, in_progress: RequestGuard) -> Self {
        let (hold, reader) = (in_progress.hold(), StreamReader::current());
        let mut counted =
            Self { body, front: Bytes::new(), pulled: None, hold, reader, _in_progress: in_progress };
        // data that is available from the start is charged even if the reader's window is empty
        if counted.body.size_hint().exact().is_some() {
            let body = Pin::new(&mut counted.body);
            match body.poll_frame(&mut Context::from_waker(Waker::noop())).map_ok(Frame::into_data) {
                Poll::Ready(Some(Ok(Ok(data)))) => counted.put(data),
                Poll::Ready(Some(Ok(Err(trailers)))) => counted.pulled = Some(Ok(trailers)),
                Poll::Ready(Some(Err(error))) => counted.pulled = Some(Err(error)),
                Poll::Ready(None) | Poll::Pending => {}
            }
        }
        counted
    }

    fn put(&mut self, data: Bytes) {
        // documents that are shared by all responses are not charged
        self.hold.set(if data.is_unique() { data.len() } else { 0 });
        self.front = data;
    }

    fn next_piece(&mut self) -> Bytes {
        let is_last = self.body.is_end_stream() && self.reader.is_some();
        let most = if is_last { (self.front.len() - 1).max(1) } else { self.front.len() };
        self.front.split_to(most.min(PIECE_BYTES))
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(reader) = &self.reader {
            reader.took(!self.front.is_empty());
        }
        if let Some(pulled) = self.pulled.take() {
            return Poll::Ready(Some(pulled));
        }
        if self.front.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => self.put(data),
                    Ok(empty) => return Poll::Ready(Some(Ok(Frame::data(empty)))),
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
            if let Some(reader) = &self.reader {
                reader.took(true);
            }
        }
        Poll::Ready(Some(Ok(Frame::data(self.next_piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.front.is_empty() && self.pulled.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.body.size_hint();
        let front = self.front.len() as u64;
        let mut hint = SizeHint::new();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper + front);
        }
        hint.set_lower(rest.lower() + front);
        hint
    }
}

impl Drop for CountedBody {
    fn drop(&mut self) {
        self.hold.release_when_flushed();
    }
}
