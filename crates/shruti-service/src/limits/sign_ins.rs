//! Limit on WebSockets that have not authenticated yet.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_protocol::{ApiError, ErrorCode};

use shruti_http::customer;

/// Maximum number of unauthenticated sockets. Each may hold a message of 64 KiB.
const MAX_WAITING: usize = 256;
/// Maximum number of unauthenticated sockets per client, that is, per IPv4 address or IPv6 /64.
const MAX_PER_ADDRESS: usize = 32;

/// Limiter for sockets that have not authenticated yet.
#[derive(Debug, Default)]
pub struct SignIns {
    waiting: Mutex<WaitingCounts>,
}

#[derive(Debug, Default)]
struct WaitingCounts {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Permit for one unauthenticated socket, released on drop.
#[derive(Debug)]
pub struct SignInPermit {
    sign_ins: Arc<SignIns>,
    address: IpAddr,
}

impl SignIns {
    /// Admits another socket of a client, or returns an error if a limit is reached.
    pub fn admit(self: &Arc<Self>, client: IpAddr) -> Result<SignInPermit, ApiError> {
        let address = customer(client);
        let mut waiting = self.waiting();
        if waiting.total >= MAX_WAITING {
            let message =
                "too many connections wait for authentication; send the key in a header, or try again";
            return Err(ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000));
        }
        let of_address = waiting.by_address.get(&address).copied().unwrap_or_default();
        if of_address >= MAX_PER_ADDRESS {
            let message = format!(
                "{MAX_PER_ADDRESS} connections of this address wait for authentication; send the key in a header, or \
                 try again"
            );
            return Err(ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(1_000));
        }
        waiting.by_address.insert(address, of_address + 1);
        waiting.total += 1;
        drop(waiting);
        Ok(SignInPermit { sign_ins: Arc::clone(self), address })
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingCounts> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SignInPermit {
    fn drop(&mut self) {
        let mut waiting = self.sign_ins.waiting();
        waiting.total -= 1;
        if let Some(of_address) = waiting.by_address.get_mut(&self.address) {
            *of_address -= 1;
            if *of_address == 0 {
                waiting.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sign_ins: &Arc<SignIns>, address: &str) -> Option<ErrorCode> {
        sign_ins.admit(address.parse().unwrap()).err().map(|error| error.code)
    }

    #[test]
    fn limits_sockets_per_address_and_in_total() {
        let sign_ins = Arc::new(SignIns::default());
        let admit = |address: &str| sign_ins.admit(address.parse().unwrap()).unwrap();
        let mut permits: Vec<_> = (0..MAX_PER_ADDRESS).map(|_| admit("2001:db8::1")).collect();
        assert_eq!(refused(&sign_ins, "2001:db8::2"), Some(ErrorCode::RateLimited), "the same /64");
        assert_eq!(refused(&sign_ins, "2001:db8:0:1::1"), None);
        permits.pop();
        assert_eq!(refused(&sign_ins, "2001:db8::2"), None);
        permits.extend((permits.len()..MAX_WAITING).map(|n| admit(&format!("192.0.2.{n}"))));
        assert_eq!(refused(&sign_ins, "198.51.100.1"), Some(ErrorCode::Overloaded));
        drop(permits);
        let waiting = sign_ins.waiting();
        assert_eq!((waiting.total, waiting.by_address.len()), (0, 0));
    }
}
