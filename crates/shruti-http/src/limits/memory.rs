//! Memory budget for unfinished requests and unsent responses.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// The share of one client address is the budget divided by this number.
const ADDRESS_SHARE_DIVISOR: usize = 4;

/// The limit for the memory of evicted connections is the budget divided by this number. While evicted connections hold
/// more than this limit, the other connections wait.
const EVICTION_SHARE_DIVISOR: usize = 8;

/// Byte budget for all unread request heads and bodies and for all response data that clients have not read yet.
///
/// If a client address exceeds its share, connections of that address are evicted. Otherwise, if the budget is
/// exceeded, connections of any address are evicted. In both cases, the connections whose bytes have been idle longest
/// are evicted first.
#[derive(Debug)]
pub struct MemoryBudget {
    most: usize,
    /// Bytes of connections that are being evicted and have not ended yet.
    ending: AtomicUsize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    bytes: usize,
    changes: u64,
    by_age: BTreeMap<u64, Holder>,
    by_client: HashMap<IpAddr, ClientUsage>,
}

#[derive(Debug)]
struct Holder {
    bytes: usize,
    client: Option<IpAddr>,
    evicted: CancellationToken,
}

#[derive(Debug, Default)]
struct ClientUsage {
    bytes: usize,
    by_age: BTreeSet<u64>,
}

/// Charge for the bytes of one connection, released on drop.
#[derive(Debug)]
pub(crate) struct MemoryCharge {
    budget: Arc<MemoryBudget>,
    /// Network whose share of the budget the charge counts against.
    client: Option<IpAddr>,
    bytes: usize,
    /// Position in the eviction order.
    age: u64,
    evicted: CancellationToken,
}

impl MemoryBudget {
    /// Creates a budget of `most` bytes.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, ending: AtomicUsize::new(0), used: Mutex::default() })
    }

    /// Returns the charge of a new connection, initially zero. `client` is the network whose share of the budget the
    /// charge counts against, if any.
    pub(crate) fn charge(self: &Arc<Self>, client: Option<IpAddr>) -> MemoryCharge {
        MemoryCharge { budget: Arc::clone(self), client, bytes: 0, age: 0, evicted: CancellationToken::new() }
    }

    /// Returns whether evicted connections still hold too much memory. If so, nothing more should be read until they
    /// have ended.
    pub(crate) fn awaits_evictions(&self) -> bool {
        self.ending.load(Ordering::Relaxed) > self.most / EVICTION_SHARE_DIVISOR
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Used {
    fn insert(&mut self, holder: Holder) -> u64 {
        self.changes += 1;
        let age = self.changes;
        self.bytes += holder.bytes;
        if let Some(client) = holder.client {
            let client_usage = self.by_client.entry(client).or_default();
            client_usage.bytes += holder.bytes;
            client_usage.by_age.insert(age);
        }
        self.by_age.insert(age, holder);
        age
    }

    fn remove(&mut self, age: u64) -> Option<Holder> {
        let holder = self.by_age.remove(&age)?;
        self.bytes -= holder.bytes;
        if let Some(client) = holder.client
            && let Some(client_usage) = self.by_client.get_mut(&client)
        {
            client_usage.bytes -= holder.bytes;
            client_usage.by_age.remove(&age);
            if client_usage.by_age.is_empty() {
                self.by_client.remove(&client);
            }
        }
        Some(holder)
    }

    /// Returns the key of the holder to evict if a limit is exceeded: the oldest holder of the client if the client
    /// exceeds its share, otherwise the oldest of all holders.
    fn surplus(&self, most: usize, client: Option<IpAddr>) -> Option<u64> {
        let client_usage = client.and_then(|client| self.by_client.get(&client));
        match client_usage.filter(|client_usage| client_usage.bytes > most / ADDRESS_SHARE_DIVISOR) {
            Some(client_usage) => client_usage.by_age.first().copied(),
            None if self.bytes > most => self.by_age.first_key_value().map(|(&age, _)| age),
            None => None,
        }
    }
}

impl MemoryCharge {
    /// Returns a token that is cancelled when the connection is evicted.
    pub(crate) fn evicted(&self) -> CancellationToken {
        self.evicted.clone()
    }

    /// Sets the number of bytes that the connection holds, and marks them as recently used. Evicts connections if a
    /// limit is exceeded.
    pub(crate) fn set(&mut self, bytes: usize) {
        if self.bytes == 0 && bytes == 0 {
            return;
        }
        let mut used = self.budget.used();
        if self.evicted.is_cancelled() {
            return;
        }
        used.remove(self.age);
        self.bytes = bytes;
        if bytes == 0 {
            return;
        }
        self.age = used.insert(Holder { bytes, client: self.client, evicted: self.evicted.clone() });
        while let Some(oldest) = used.surplus(self.budget.most, self.client)
            && let Some(holder) = used.remove(oldest)
        {
            self.budget.ending.fetch_add(holder.bytes, Ordering::Relaxed);
            holder.evicted.cancel();
        }
    }

    /// Returns the number of bytes that the connection holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        self.set(0);
        if self.evicted.is_cancelled() {
            self.budget.ending.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charges<const N: usize>(budget: &Arc<MemoryBudget>, bytes: [usize; N]) -> [MemoryCharge; N] {
        bytes.map(|bytes| {
            let mut charge = budget.charge(None);
            charge.set(bytes);
            charge
        })
    }

    fn evicted(charges: &[MemoryCharge]) -> Vec<bool> {
        charges.iter().map(|charge| charge.evicted.is_cancelled()).collect()
    }

    #[test]
    fn evicts_the_longest_idle() {
        let budget = MemoryBudget::new(100);
        let mut held = charges(&budget, [40, 30, 30]);
        assert_eq!(evicted(&held), [false; 3]);
        held[0].set(40);
        let more = charges(&budget, [10]);
        assert_eq!(evicted(&held), [false, true, false], "the first has moved");
        held[1].set(1_000);
        assert_eq!(budget.used().bytes, 80, "an evicted connection takes no room");
        assert!(budget.awaits_evictions(), "but it has not ended");
        drop(held);
        drop(more);
        assert!(!budget.awaits_evictions());
        let used = budget.used();
        assert_eq!((used.bytes, used.by_age.len()), (0, 0));
    }

    #[test]
    fn holder_above_the_budget_evicts_all_others() {
        let budget = MemoryBudget::new(100);
        let held = charges(&budget, [60, 101]);
        assert_eq!(evicted(&held), [true, true]);
        assert_eq!(budget.used().bytes, 0);
    }

    #[test]
    fn address_over_its_share_evicts_its_own() {
        let budget = MemoryBudget::new(100);
        let others = charges(&budget, [10, 10]);
        let client = "192.0.2.1".parse().ok();
        let client_usage = [15, 10, 5].map(|bytes| {
            let mut charge = budget.charge(client);
            charge.set(bytes);
            charge
        });
        assert_eq!(evicted(&others), [false; 2]);
        assert_eq!(evicted(&client_usage), [true, false, false]);
        drop(client_usage);
        assert!(budget.used().by_client.is_empty());
    }
}
