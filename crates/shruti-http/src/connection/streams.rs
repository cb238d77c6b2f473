//! Tasks for HTTP/2 streams. A task ends if its reader reads nothing for too long.
//!
//! Flow control applies to each stream. A reader whose window is used up blocks its stream while the socket is idle, so
//! the write deadline of the connection does not detect such a reader.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, sleep_until};

tokio::task_local! {
    static READER: Arc<StreamReader>;
}

/// Executor that runs each stream of a connection as a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamExecutor {
    /// Maximum time for which a client may leave available data unread.
    pub(super) stalled_reader: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, stream: F) {
        let (reader, patience) = (Arc::new(StreamReader::default()), self.stalled_reader);
        tokio::spawn(READER.scope(Arc::clone(&reader), async move {
            tokio::select! {
                biased;
                _ = stream => {}
                // dropping a stream resets it
                () = reader.stalled(patience) => tracing::debug!("a stream was closed because its reader stalled"),
            }
        }));
    }
}

/// State of the reader of a stream: the time since which data has been available to it.
#[derive(Debug, Default)]
pub(super) struct StreamReader(Mutex<Option<Instant>>);

impl StreamReader {
    /// Returns the reader of the current task's stream; `None` in HTTP/1.1.
    pub(super) fn current() -> Option<Arc<Self>> {
        READER.try_with(Arc::clone).ok()
    }

    /// Records that the reader has taken the data offered so far, and whether more data is available.
    pub(super) fn took(&self, has_more: bool) {
        *self.offered() = has_more.then(Instant::now);
    }

    /// Waits until data has been available for `patience` without the reader taking any.
    async fn stalled(&self, patience: Duration) {
        loop {
            let since = *self.offered();
            let now = Instant::now();
            match since.map(|since| since + patience) {
                Some(due) if due <= now => return,
                due => sleep_until(due.unwrap_or(now + patience)).await,
            }
        }
    }

    fn offered(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::yield_now;
    use tokio::time::{Duration, advance};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn drops_readers_that_read_nothing() {
        let reader = Arc::new(StreamReader::default());
        let waiting = Arc::clone(&reader);
        let stalled = tokio::spawn(async move { waiting.stalled(Duration::from_mins(1)).await });
        let pass = async |seconds| {
            yield_now().await;
            advance(Duration::from_secs(seconds)).await;
            yield_now().await;
        };
        pass(1_000).await;
        assert!(!stalled.is_finished(), "there was nothing to take");
        reader.took(true);
        pass(59).await;
        reader.took(true);
        pass(59).await;
        assert!(!stalled.is_finished(), "it took something");
        reader.took(false);
        pass(100).await;
        assert!(!stalled.is_finished(), "it has read everything");
        reader.took(true);
        pass(60).await;
        stalled.await.unwrap();
    }
}
