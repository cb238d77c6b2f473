//! Request body that is charged to its connection.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use shruti_protocol::limits::MAX_BODY_BYTES;

use super::activity::Hold;

/// Request body that is charged to its connection while it is read.
pub(super) struct Upload {
    body: Incoming,
    read: usize,
    hold: Hold,
}

impl Upload {
    pub(super) fn new(body: Incoming, hold: Hold) -> Self {
        Self { body, read: 0, hold }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            self.read += frame.data_ref().map_or(0, Bytes::len);
            // bytes beyond the limit are not stored
            let counted = self.read.min(MAX_BODY_BYTES);
            self.hold.set(counted);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
