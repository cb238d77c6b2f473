//! Whether the store can be read.

use std::sync::atomic::{AtomicU32, Ordering};

use shruti_store::StoreError;

/// Whether the store can be read, as was found last.
#[derive(Debug, Default)]
pub struct StoreHealth {
    failures: AtomicU32,
}

impl StoreHealth {
    /// Of so many failures in a row one is logged: with a look every half second, one a minute.
    const LOGGED: u32 = 120;

    /// Takes note of a look at the store; what has changed is logged.
    pub fn note(&self, looked: &Result<(), StoreError>) {
        match looked {
            Ok(()) => {
                if self.failures.swap(0, Ordering::Relaxed) > 0 {
                    tracing::info!("the store can be read again; the server is ready");
                }
            }
            // more asks than it takes on, which says nothing about it
            Err(StoreError::Busy) => tracing::warn!("the store is too busy to tell what has changed"),
            Err(error) => {
                let failures = self.failures.fetch_add(1, Ordering::Relaxed);
                if failures.is_multiple_of(Self::LOGGED) {
                    tracing::error!(%error, "the store cannot be read; the server is not ready");
                }
            }
        }
    }

    /// Whether it could be read when it was looked at last.
    pub fn is_well(&self) -> bool {
        self.failures.load(Ordering::Relaxed) == 0
    }
}
