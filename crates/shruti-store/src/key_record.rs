//! What is stored about keys.

use std::fmt;
use std::str::FromStr;

use crate::account::{AccessLock, AccountId};
use crate::calendar::Month;
use crate::key::{KeyPrefix, SecretKey};
use crate::origin::Origin;
use crate::secret::SecretHash;

/// Something that a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `tts`: make speech.
    Tts,
    /// `usage:read`: read the usage.
    UsageRead,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 2] = [Self::Tts, Self::UsageRead];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tts => "tts",
            Self::UsageRead => "usage:read",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that no scope has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scope '{given}' does not exist; scopes are {}", Scope::ALL.map(Scope::as_str).join(" and "))]
pub struct UnknownScope {
    /// The name as it was given.
    pub given: String,
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == name);
        known.ok_or_else(|| UnknownScope { given: name.to_owned() })
    }
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyPurpose {
    /// Programs of whoever holds it.
    Api,
    /// The Studio's [playground](crate::PlaygroundStore); nobody holds it.
    Playground,
}

impl KeyPurpose {
    /// Its name: `api` or `playground`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Playground => "playground",
        }
    }
}

/// How much a key may do; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeyLimits {
    /// Requests a second in the long run; more than 0.
    pub rate: Option<f64>,
    /// Requests at once after a rest; at least 1. Twice the rate where only a rate is set.
    pub burst: Option<u32>,
    /// Streams at once; at least 1.
    pub streams: Option<u32>,
}

/// A key to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySpec {
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// How much it may do.
    pub limits: KeyLimits,
    /// Web pages that may use it, beside those of the server itself.
    pub origins: Vec<Origin>,
    /// When it stops, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
    /// The most characters a month whose audio is sent, beside the allowance of its account; at least 1.
    pub monthly_cap: Option<u64>,
}

impl KeySpec {
    /// A key for speech without limits, cap or expiry, for no web page.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            scopes: Scope::ALL.to_vec(),
            limits: KeyLimits::default(),
            origins: Vec::new(),
            expires_ms: None,
            monthly_cap: None,
        }
    }
}

/// A key as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRecord {
    /// Its public part.
    pub prefix: KeyPrefix,
    /// Its secret part, hashed.
    pub hash: SecretHash,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub purpose: KeyPurpose,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// How much it may do.
    pub limits: KeyLimits,
    /// Web pages that may use it, in the order of their letters, each once.
    pub origins: Vec<Origin>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it stops.
    pub expires_ms: Option<i64>,
    /// When it was revoked.
    pub revoked_ms: Option<i64>,
    /// Whose it is; none for keys that the operator made, which draw on no allowance.
    pub account: Option<AccountId>,
    /// Why it makes no speech although it is neither revoked nor over.
    pub lock: Option<AccessLock>,
    /// The most characters a month, beside the allowance of its account.
    pub monthly_cap: Option<u64>,
    /// Whether its speech is paid for from an allowance or counts against a cap: if not, nothing need be drawn.
    pub is_metered: bool,
    /// The month in which its allowance or its cap was found spent; see [`KeyRecord::is_spent`].
    pub spent: Option<Month>,
    /// The version of its account's [lexicon](crate::AccountLexicon); none where that has no entries.
    pub lexicon: Option<i64>,
    /// When its usage was last written down, in milliseconds since 1970. In a [cache](crate::KeyCache) this may be old:
    /// it changes with every request.
    pub last_used_ms: Option<i64>,
}

impl KeyRecord {
    /// Whether it is neither revoked nor over.
    pub fn is_usable(&self, now_ms: i64) -> bool {
        self.revoked_ms.is_none() && self.expires_ms.is_none_or(|end| end > now_ms)
    }

    /// Whether its allowance or its cap was found spent for the month that `now_ms` lies in: nothing can be drawn
    /// until the next month, a promo code, or a lease that comes back unused.
    pub fn is_spent(&self, now_ms: i64) -> bool {
        self.spent == Some(Month::of(now_ms))
    }
}

/// A key that was just made: the only moment its secret is known.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The secret, to be shown once.
    pub secret: SecretKey,
    /// What was stored.
    pub record: KeyRecord,
}
