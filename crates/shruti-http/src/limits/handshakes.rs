//! Limit on concurrent TLS handshakes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// TLS handshakes in progress. A handshake beyond the limit aborts the oldest one, so that slow clients make room for
/// fast ones.
#[derive(Debug)]
pub struct Handshakes {
    most: usize,
    going_on: Mutex<GoingOn>,
}

#[derive(Debug, Default)]
struct GoingOn {
    begun: u64,
    by_age: BTreeMap<u64, CancellationToken>,
}

/// Slot for a handshake, released on drop.
#[derive(Debug)]
pub(crate) struct HandshakeSlot<'a> {
    handshakes: &'a Handshakes,
    number: u64,
    lost: CancellationToken,
}

impl Handshakes {
    /// Creates a limiter for at most `most` concurrent handshakes.
    pub fn new(most: usize) -> Self {
        Self { most, going_on: Mutex::default() }
    }

    pub(crate) fn begin(&self) -> HandshakeSlot<'_> {
        let lost = CancellationToken::new();
        let mut going_on = self.going_on();
        if going_on.by_age.len() >= self.most
            && let Some((_, oldest)) = going_on.by_age.pop_first()
        {
            oldest.cancel();
        }
        let number = going_on.begun;
        going_on.begun += 1;
        going_on.by_age.insert(number, lost.clone());
        HandshakeSlot { handshakes: self, number, lost }
    }

    fn going_on(&self) -> MutexGuard<'_, GoingOn> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandshakeSlot<'_> {
    /// Waits until the slot is lost to a newer handshake.
    pub(crate) async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Drop for HandshakeSlot<'_> {
    fn drop(&mut self) {
        self.handshakes.going_on().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_the_oldest_handshake() {
        let handshakes = Handshakes::new(2);
        let slots = [handshakes.begin(), handshakes.begin()];
        drop(handshakes.begin());
        assert_eq!(slots.each_ref().map(|slot| slot.lost.is_cancelled()), [true, false]);
        let third = handshakes.begin();
        assert!(!slots[1].lost.is_cancelled(), "the one before has ended");
        drop(slots);
        let _fourth = handshakes.begin();
        assert!(!third.lost.is_cancelled());
        assert_eq!(handshakes.going_on().by_age.len(), 2);
    }
}
