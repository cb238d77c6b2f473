//! Channel from the task of a request to the render state of its utterance.

use std::task::{Context, Poll, Waker};

use shruti_backend::{BackendError, Rendered};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

/// Number of samples in a piece: 100 ms.
pub(crate) const PIECE: usize = 2_400;
/// Capacity of the channel in pieces: two seconds. When it is full, no more data is read from the server.
pub(crate) const PIECES: usize = 20;

/// Message from the task of a request.
#[derive(Debug)]
pub(crate) enum Piece {
    Samples(Vec<i16>),
    /// End of the audio.
    End,
    Failed(BackendError),
}

/// Audio that is being received. Dropping it cancels the request.
#[derive(Debug)]
pub(crate) struct Incoming {
    pieces: mpsc::Receiver<Piece>,
    /// Piece that is being rendered. `given` is the number of its samples that have been rendered.
    piece: Vec<i16>,
    given: usize,
    /// Result of the request, once it has ended.
    end: Option<Result<(), BackendError>>,
    _task: AbortOnDropHandle<()>,
}

impl Incoming {
    pub(crate) fn new(pieces: mpsc::Receiver<Piece>, task: AbortOnDropHandle<()>) -> Self {
        Self { pieces, piece: Vec::new(), given: 0, end: None, _task: task }
    }

    /// Fills a block with the received samples. If the result is [`Rendered::Pending`], `waker` is woken when more
    /// samples or the end of the audio arrive.
    pub(crate) fn fill(&mut self, block: &mut [i16], waker: &Waker) -> Result<Rendered, BackendError> {
        let mut written = 0;
        loop {
            let ready = &self.piece[self.given..];
            let count = ready.len().min(block.len() - written);
            block[written..written + count].copy_from_slice(&ready[..count]);
            written += count;
            self.given += count;
            if written == block.len() {
                return Ok(Rendered::Samples(written));
            }
            match &self.end {
                Some(Ok(())) => return Ok(Rendered::Samples(written)),
                Some(Err(error)) if written == 0 => return Err(error.clone()),
                Some(Err(_)) => {
                    // the samples received before the failure are rendered first
                    waker.wake_by_ref();
                    return Ok(Rendered::Pending(written));
                }
                None => {}
            }
            match self.pieces.poll_recv(&mut Context::from_waker(waker)) {
                Poll::Ready(Some(Piece::Samples(samples))) => (self.piece, self.given) = (samples, 0),
                Poll::Ready(Some(Piece::End)) => self.end = Some(Ok(())),
                Poll::Ready(Some(Piece::Failed(error))) => self.end = Some(Err(error)),
                Poll::Ready(None) => {
                    let error = BackendError::Failed("the task of a request ended early".to_owned());
                    self.end = Some(Err(error));
                }
                Poll::Pending => return Ok(Rendered::Pending(written)),
            }
        }
    }
}
