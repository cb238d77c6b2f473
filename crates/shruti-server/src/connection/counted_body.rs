//! The body of an answer as a part of its connection.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::activity::RequestGuard;

/// A body that keeps its connection from counting as idle until it was sent or given up.
pub(super) struct CountedBody {
    body: Body,
    _in_progress: RequestGuard,
}

impl CountedBody {
    pub(super) fn new(body: Body, in_progress: RequestGuard) -> Self {
        Self { body, _in_progress: in_progress }
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
