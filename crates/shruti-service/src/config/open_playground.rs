//! Settings of the playground for visitors who are not signed in.

use http::{HeaderMap, Version};

use shruti_http::was_passed_on;

/// Settings of the playground for visitors who are not signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlayground {
    /// Maximum number of characters per month for all visitors together; at least 1.
    pub monthly_chars: u64,
    /// Visitors who are allowed to use the playground.
    pub visitors: Visitors,
}

/// Visitors who may use the playground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitors {
    /// All visitors.
    All,
    /// Visitors whose requests arrive without a proxy. If the server listens only on the loopback interface, these are
    /// the users of the machine.
    Direct,
}

impl OpenPlayground {
    /// Returns whether the sender of a request may use the playground.
    pub fn admits(self, version: Version, headers: &HeaderMap) -> bool {
        match self.visitors {
            Visitors::All => true,
            // HTTP/1.0 indicates a proxy: browsers do not use it, but nginx uses it by default, and then adds no header
            Visitors::Direct => version >= Version::HTTP_11 && !was_passed_on(headers),
        }
    }
}
