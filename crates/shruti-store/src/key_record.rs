//! Stored data of keys.

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

/// Permission of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `tts`: synthesise speech.
    Tts,
    /// `usage:read`: read the usage.
    UsageRead,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 2] = [Self::Tts, Self::UsageRead];

    /// Returns the name.
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

/// Error for a name that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scope '{given}' does not exist; scopes are {}", Scope::ALL.map(Scope::as_str).join(" and "))]
pub struct UnknownScope {
    /// Name that is not a scope.
    pub given: String,
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == name);
        known.ok_or_else(|| UnknownScope { given: name.to_owned() })
    }
}

/// Purpose of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyPurpose {
    /// Programs of the holder.
    Api,
    /// The Studio's [playground](crate::PlaygroundStore). The secret of such a key is discarded, so nobody knows it.
    Playground,
}

impl KeyPurpose {
    /// Returns the name: `api` or `playground`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Playground => "playground",
        }
    }
}

/// Limits of a key. `None` means unlimited, except for `burst`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeyLimits {
    /// Maximum sustained rate, in requests per second; greater than 0.
    pub rate: Option<f64>,
    /// Maximum number of requests in a burst after an idle period; at least 1. `None` means twice the rate.
    pub burst: Option<u32>,
    /// Maximum number of concurrent streams; at least 1.
    pub streams: Option<u32>,
}

impl KeyLimits {
    /// Returns the limits for each of several servers, so that all servers together enforce these limits if requests
    /// are distributed evenly. The burst and the number of streams are rounded up.
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

/// Specification of a new key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySpec {
    /// Human-readable name.
    pub name: String,
    /// Permissions.
    pub scopes: Vec<Scope>,
    /// Limits.
    pub limits: KeyLimits,
    /// Origins of web pages that may use the key, in addition to the origins that the server allows.
    pub origins: Vec<Origin>,
    /// Expiry, in milliseconds since 1970; `None` if the key does not expire.
    pub expires_ms: Option<i64>,
    /// Maximum number of characters per month, counted when their audio is sent; at least 1. The allowance of the
    /// account applies as well.
    pub monthly_cap: Option<u64>,
}

impl KeySpec {
    /// Returns the specification of a key with all scopes and without limits, cap, expiry or origins.
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

/// Stored key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRecord {
    /// Public part of the key.
    pub prefix: KeyPrefix,
    /// Hash of the whole key.
    pub hash: SecretHash,
    /// Human-readable name.
    pub name: String,
    /// Purpose.
    pub purpose: KeyPurpose,
    /// Permissions.
    pub scopes: Vec<Scope>,
    /// Limits.
    pub limits: KeyLimits,
    /// Origins of web pages that may use the key, sorted, without duplicates.
    pub origins: Vec<Origin>,
    /// Creation time, in milliseconds since 1970.
    pub created_ms: i64,
    /// Expiry, in milliseconds since 1970; `None` if the key does not expire.
    pub expires_ms: Option<i64>,
    /// Time of the revocation, in milliseconds since 1970; `None` if the key was not revoked.
    pub revoked_ms: Option<i64>,
    /// Account that owns the key; `None` for a key without an account, which uses no allowance.
    pub account: Option<AccountId>,
    /// Reason why the key may not synthesise speech although it is neither revoked nor expired.
    pub lock: Option<AccessLock>,
    /// Maximum number of characters per month; `None` if there is no cap. The allowance of the account applies as well.
    pub monthly_cap: Option<u64>,
    /// `true` if synthesised characters are charged to an allowance or counted against a cap. If it is `false`, the key
    /// needs no lease.
    pub is_metered: bool,
    /// Month in which the allowance or the cap was last found spent; see [`KeyRecord::is_spent`].
    pub spent: Option<Month>,
    /// Version of the account's [lexicon](crate::AccountLexicon); `None` if the lexicon is empty.
    pub lexicon: Option<i64>,
    /// Time at which usage of the key was last written, in milliseconds since 1970. The value may be outdated in a
    /// [cache](crate::KeyCache), because writing usage does not count as a change of the key.
    pub last_used_ms: Option<i64>,
}

impl KeyRecord {
    /// Returns `true` if the key is neither revoked nor expired.
    pub fn is_usable(&self, now_ms: i64) -> bool {
        self.revoked_ms.is_none() && self.expires_ms.is_none_or(|end| end > now_ms)
    }

    /// Returns `true` if the allowance or the cap was found spent for the month of `now_ms`. Nothing can be drawn until
    /// the next month begins, a promo code is redeemed, or a lease returns unused characters.
    pub fn is_spent(&self, now_ms: i64) -> bool {
        self.spent == Some(Month::of(now_ms))
    }
}

/// Row of a key, with columns of other tables.
pub(crate) struct StoredKey {
    pub(crate) prefix: String,
    pub(crate) hash: SecretHash,
    pub(crate) name: String,
    pub(crate) purpose: String,
    /// Names of the scopes, separated by spaces. `origins` has the same form.
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
    /// Account of the key, if it has one.
    pub(crate) account: Option<StoredOwner>,
}

/// The account that owns a key, as read from the key's row in a query result.
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

/// Key that was just created. Its secret cannot be retrieved later.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// Secret, to be shown once.
    pub secret: SecretKey,
    /// Stored key.
    pub record: KeyRecord,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_servers_add_up_to_the_limits() {
        let limits = KeyLimits { rate: Some(9.0), burst: None, streams: Some(10) };
        let share = |servers| limits.share_of(NonZero::new(servers).unwrap());
        assert_eq!(share(1), limits);
        assert_eq!(share(3), KeyLimits { rate: Some(3.0), burst: Some(6), streams: Some(4) });
        assert_eq!(share(100).streams, Some(1));
        assert_eq!(KeyLimits::default().share_of(NonZero::new(3).unwrap()), KeyLimits::default());
    }
}
