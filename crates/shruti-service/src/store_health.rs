//! Availability of the store.

use std::sync::atomic::{AtomicU32, Ordering};

use shruti_store::StoreError;

/// Health of the store: the number of consecutive failed checks.
#[derive(Debug, Default)]
pub struct StoreHealth {
    failures: AtomicU32,
}

impl StoreHealth {
    /// Number of consecutive failures of which only the first is logged. With a check every half second, one failure
    /// per minute is logged.
    const LOGGED: u32 = 120;

    /// Records the result of a check. Changes are logged.
    pub fn note(&self, looked: &Result<(), StoreError>) {
        match looked {
            Ok(()) => {
                if self.failures.swap(0, Ordering::Relaxed) > 0 {
                    tracing::info!("the store can be read again; the server is ready");
                }
            }
            // not counted as a failure: too many requests are in progress, but the store itself may work
            Err(StoreError::Busy) => tracing::warn!("the store is too busy to check for changes"),
            Err(error) => {
                let failures = self.failures.fetch_add(1, Ordering::Relaxed);
                if failures.is_multiple_of(Self::LOGGED) {
                    tracing::error!(%error, "the store cannot be read; the server is not ready");
                }
            }
        }
    }

    /// Returns whether the last check succeeded.
    pub fn is_well(&self) -> bool {
        self.failures.load(Ordering::Relaxed) == 0
    }
}
