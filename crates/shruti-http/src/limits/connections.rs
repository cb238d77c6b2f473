//! Limits on open connections, in total and per client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::network::{customer, site};

/// Number of shares that all addresses of an IPv6 /48 may use together.
const CUSTOMERS_OF_SITE: usize = 2;

/// Limiter for open connections. Each IPv4 address and each IPv6 /64 has one share; all addresses of an IPv6 /48
/// together have two shares.
#[derive(Debug)]
pub struct Connections {
    most: usize,
    most_of_address: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    /// Open connections per IPv4 address or IPv6 /64.
    customers: HashMap<IpAddr, usize>,
    /// Open connections per IPv6 /48.
    sites: HashMap<IpAddr, usize>,
}

/// Limit that a connection would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// Limit of the server.
    Total,
    /// Limit of the client address.
    PerAddress,
}

/// Slot for an open connection, released on drop.
#[derive(Debug)]
pub struct ConnectionSlot {
    connections: Arc<Connections>,
    /// Client address whose share the connection uses; `None` for a peer without a share.
    client: Option<IpAddr>,
}

impl Connections {
    /// Creates a limiter with a maximum number of connections in total and per address.
    pub fn new(most: usize, most_of_address: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_address, open: Mutex::default() })
    }

    /// Admits a connection. `client` is the address whose share it uses, or `None` for a peer without a share, such as
    /// a proxy that represents many clients.
    pub fn open(self: &Arc<Self>, client: Option<IpAddr>) -> Result<ConnectionSlot, ExceededLimit> {
        let mut open = self.open_now();
        if open.total >= self.most {
            return Err(ExceededLimit::Total);
        }
        if let Some(client) = client {
            let of_site = site(client).and_then(|site| open.sites.get(&site));
            if open.customers.get(&customer(client)).is_some_and(|&count| count >= self.most_of_address)
                || of_site.is_some_and(|&count| count >= CUSTOMERS_OF_SITE * self.most_of_address)
            {
                return Err(ExceededLimit::PerAddress);
            }
            *open.customers.entry(customer(client)).or_default() += 1;
            if let Some(site) = site(client) {
                *open.sites.entry(site).or_default() += 1;
            }
        }
        open.total += 1;
        Ok(ConnectionSlot { connections: Arc::clone(self), client })
    }

    fn open_now(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.connections.open_now();
        open.total -= 1;
        if let Some(client) = self.client {
            count_down(&mut open.customers, customer(client));
            if let Some(site) = site(client) {
                count_down(&mut open.sites, site);
            }
        }
    }
}

fn count_down(counts: &mut HashMap<IpAddr, usize>, network: IpAddr) {
    if let Some(count) = counts.get_mut(&network) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&network);
        }
    }
}

/// Counter for refused connections. It reports at most once a minute, so that a client cannot flood the log.
#[derive(Debug, Default)]
pub struct Refusals {
    since: RefusedCounts,
    reported: Option<Duration>,
}

/// Numbers of refused connections, by the limit that each would have exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusedCounts {
    /// Connections refused because of the server's limit.
    pub in_total: u64,
    /// Connections refused because of the limit of their address.
    pub of_address: u64,
}

impl Refusals {
    const REPORT_EVERY: Duration = Duration::from_mins(1);

    /// Counts a refused connection. Returns the counts since the last report if a report is due.
    pub fn note(&mut self, which: ExceededLimit, now: Duration) -> Option<RefusedCounts> {
        match which {
            ExceededLimit::Total => self.since.in_total += 1,
            ExceededLimit::PerAddress => self.since.of_address += 1,
        }
        if self.reported.is_some_and(|reported| now.saturating_sub(reported) < Self::REPORT_EVERY) {
            return None;
        }
        self.reported = Some(now);
        Some(std::mem::take(&mut self.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(connections: &Arc<Connections>, client: &str) -> Result<ConnectionSlot, ExceededLimit> {
        connections.open(Some(client.parse().unwrap()))
    }

    #[test]
    fn address_64_and_48_networks_have_shares() {
        for (first, same, other) in [
            ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
            ("2001:db8::1", "2001:db8::ffff:1:2:3", "2001:db8:0:1::1"),
        ] {
            let connections = Connections::new(100, 2);
            let held = [open(&connections, first).unwrap(), open(&connections, same).unwrap()];
            for of_same in [first, same] {
                assert_eq!(open(&connections, of_same).unwrap_err(), ExceededLimit::PerAddress, "{of_same}");
            }
            let others = [open(&connections, other).unwrap(), open(&connections, other).unwrap()];
            drop(held);
            let _again = open(&connections, first).unwrap();
            drop(others);
        }
        let connections = Connections::new(100, 1);
        let _site = ["2001:db8:0:1::1", "2001:db8:0:2::1"].map(|client| open(&connections, client).unwrap());
        assert_eq!(open(&connections, "2001:db8:0:3::1").unwrap_err(), ExceededLimit::PerAddress);
        open(&connections, "2001:db8:1::1").unwrap();
    }

    #[test]
    fn shared_clients_have_only_the_total_limit() {
        let connections = Connections::new(3, 1);
        let held = [connections.open(None).unwrap(), connections.open(None).unwrap()];
        let _one = open(&connections, "192.0.2.1").unwrap();
        assert_eq!(connections.open(None).unwrap_err(), ExceededLimit::Total);
        assert_eq!(open(&connections, "192.0.2.2").unwrap_err(), ExceededLimit::Total);
        drop(held);
        open(&connections, "192.0.2.2").unwrap();
        let open = connections.open_now();
        assert_eq!((open.total, open.customers.len(), open.sites.len()), (1, 1, 0), "nothing is remembered");
    }

    #[test]
    fn refusals_are_reported_once_a_minute() {
        let mut refusals = Refusals::default();
        let mut note = |which, seconds| refusals.note(which, Duration::from_secs(seconds));
        assert_eq!(note(ExceededLimit::PerAddress, 5), Some(RefusedCounts { in_total: 0, of_address: 1 }));
        for _ in 0..1_000 {
            assert_eq!(note(ExceededLimit::PerAddress, 64), None);
        }
        assert_eq!(note(ExceededLimit::Total, 65), Some(RefusedCounts { in_total: 1, of_address: 1_000 }));
        assert_eq!(note(ExceededLimit::Total, 66), None);
    }
}
