//! What is stored about keys.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

use crate::account::{AccessLock, AccountId};
use crate::calendar::Month;
use crate::count::unsigned;
use crate::error::StoreError;
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

impl KeyLimits {
    /// What each of so many servers allows, so that all together allow what these say where requests come to all alike;
    /// at least 1 of what is counted.
    #[must_use]
    pub fn share_of(self, servers: NonZero<u32>) -> Self {
        if servers.get() == 1 {
            return self;
        }
        let burst = self.burst.or_else(|| self.rate.map(|rate| (2.0 * rate).ceil() as u32));
        Self {
            rate: self.rate.map(|rate| rate / f64::from(servers.get())),
            burst: burst.map(|burst| burst.div_ceil(servers.get())),
            streams: self.streams.map(|streams| streams.div_ceil(servers.get())),
        }
    }
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

/// A key as its row has it, beside what is read from other columns.
pub(crate) struct StoredKey {
    pub(crate) prefix: String,
    pub(crate) hash: SecretHash,
    pub(crate) name: String,
    pub(crate) purpose: String,
    /// With spaces between, as the next.
    pub(crate) scopes: String,
    pub(crate) origins: Option<String>,
    pub(crate) limits: KeyLimits,
    pub(crate) created_ms: i64,
    pub(crate) expires_ms: Option<i64>,
    pub(crate) revoked_ms: Option<i64>,
    pub(crate) last_used_ms: Option<i64>,
    pub(crate) monthly_cap: Option<i64>,
    pub(crate) cap_spent_month: Option<i64>,
    pub(crate) lexicon: Option<i64>,
    /// Of its account, if it has one.
    pub(crate) account: Option<StoredOwner>,
}

/// The account of a key as its row has it.
pub(crate) struct StoredOwner {
    pub(crate) id: String,
    pub(crate) is_operator: bool,
    pub(crate) access_ms: Option<i64>,
    pub(crate) locked_ms: Option<i64>,
    pub(crate) spent_month: Option<i64>,
}

impl TryFrom<StoredKey> for KeyRecord {
    type Error = StoreError;

    fn try_from(stored: StoredKey) -> Result<Self, StoreError> {
        let scopes: Result<Vec<Scope>, _> = stored.scopes.split_whitespace().map(str::parse).collect();
        let origins: Result<Vec<Origin>, _> =
            stored.origins.iter().flat_map(|all| all.split_whitespace()).map(str::parse).collect();
        let mut origins = origins.map_err(|error| StoreError::Unreadable(format!("an origin {error}")))?;
        origins.sort();
        let purpose = match stored.purpose.as_str() {
            "api" => KeyPurpose::Api,
            "playground" => KeyPurpose::Playground,
            other => return Err(StoreError::Unreadable(format!("a key for '{other}'"))),
        };
        let owner = stored.account.as_ref();
        let allowance_spent = owner.and_then(|owner| owner.spent_month);
        Ok(Self {
            prefix: KeyPrefix(stored.prefix),
            hash: stored.hash,
            name: stored.name,
            purpose,
            scopes: scopes.map_err(|error| StoreError::Unreadable(error.to_string()))?,
            limits: stored.limits,
            origins,
            created_ms: stored.created_ms,
            expires_ms: stored.expires_ms,
            revoked_ms: stored.revoked_ms,
            is_metered: stored.monthly_cap.is_some() || owner.is_some_and(|owner| !owner.is_operator),
            lock: owner.and_then(|owner| AccessLock::of(owner.is_operator, owner.access_ms, owner.locked_ms)),
            monthly_cap: stored.monthly_cap.map(unsigned),
            spent: stored.cap_spent_month.max(allowance_spent).map(Month),
            lexicon: stored.lexicon,
            last_used_ms: stored.last_used_ms,
            account: stored.account.map(|owner| AccountId(owner.id)),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_servers_are_the_limits() {
        let limits = KeyLimits { rate: Some(9.0), burst: None, streams: Some(10) };
        let share = |servers| limits.share_of(NonZero::new(servers).unwrap());
        assert_eq!(share(1), limits);
        assert_eq!(share(3), KeyLimits { rate: Some(3.0), burst: Some(6), streams: Some(4) });
        assert_eq!(share(100).streams, Some(1));
        assert_eq!(KeyLimits::default().share_of(NonZero::new(3).unwrap()), KeyLimits::default());
    }
}
