//! Immediate notification of changed keys, with `LISTEN`.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;

use super::connections::config_of;
use super::fault::told;
use super::{PostgresAddress, tls};
use crate::error::StoreError;

/// Statement that subscribes to the notifications that [`NEXT_REVISION`](crate::sql::keys::NEXT_REVISION) sends.
const LISTEN: &str = "LISTEN shruti_keys";
/// Delay before another attempt to connect.
const RETRY: Duration = Duration::from_secs(1);

/// Handle of a task that listens for changes until the handle is dropped.
#[derive(Debug)]
pub(super) struct Listener(JoinHandle<()>);

impl Listener {
    /// Starts a task that listens for changes and notifies `changes` of each one. The task also notifies `changes`
    /// after each connection, because changes may have been missed before.
    pub(super) fn start(address: PostgresAddress, changes: Arc<Notify>) -> Self {
        Self(tokio::spawn(async move {
            loop {
                if let Err(error) = listen(&address, &changes).await {
                    tracing::debug!(%error, "notifications of key changes are unavailable; the store is polled");
                }
                tokio::time::sleep(RETRY).await;
            }
        }))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn listen(address: &PostgresAddress, changes: &Notify) -> Result<(), StoreError> {
    let (client, mut connection) = config_of(address).connect(tls::connector(address)?).await?;
    let listening = client.batch_execute(LISTEN);
    let mut listening = std::pin::pin!(listening);
    let mut is_listening = false;
    let ended = poll_fn(|context| {
        // the statement makes progress only while the connection is polled, so both are polled until the statement has
        // completed
        loop {
            if let std::task::Poll::Ready(message) = connection.poll_message(context) {
                match message {
                    Some(Ok(AsyncMessage::Notification(_))) => changes.notify_one(),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return std::task::Poll::Ready(Err(error)),
                    None => return std::task::Poll::Ready(Ok(())),
                }
                continue;
            }
            if is_listening {
                return std::task::Poll::Pending;
            }
            match listening.as_mut().poll(context) {
                std::task::Poll::Ready(Ok(())) => {
                    is_listening = true;
                    // changes before the subscription may have been missed
                    changes.notify_one();
                }
                std::task::Poll::Ready(Err(error)) => return std::task::Poll::Ready(Err(error)),
                std::task::Poll::Pending => return std::task::Poll::Pending,
            }
        }
    });
    ended.await.map_err(|error| StoreError::Away(told(&error)))
}
