//! The playground for visitors who are not signed in.

use http::{HeaderMap, Version};

use shruti_http::was_passed_on;

/// The playground for visitors who are not signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlayground {
    /// How many characters a month they may have spoken, all of them together; at least 1.
    pub monthly_chars: u64,
    /// Who they are.
    pub visitors: Visitors,
}

/// To whom the playground is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitors {
    /// To everybody.
    All,
    /// To those whose requests came here without a proxy: on a server that listens on loopback, the users of its machine.
    Direct,
}

impl OpenPlayground {
    /// Whether the playground is open to the sender of a request.
    pub fn admits(self, version: Version, headers: &HeaderMap) -> bool {
        match self.visitors {
            Visitors::All => true,
            // browsers do not speak HTTP/1.0; nginx does unless it is told otherwise, and adds no header
            Visitors::Direct => version >= Version::HTTP_11 && !was_passed_on(headers),
        }
    }
}
