//! Accounts: what is known of them.

use std::fmt;

use crate::email::EmailAddress;
use crate::secret;

const PREFIX: &str = "acc_";
const ID_CHARS: usize = 20;

/// What an account is called inside the service; it is no secret and never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub(crate) String);

impl AccountId {
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(PREFIX, ID_CHARS).map(Self)
    }

    /// Reads an id; `None` unless it has the shape of one.
    pub fn parse(given: &str) -> Option<Self> {
        secret::is_well_formed(given, PREFIX, ID_CHARS).then(|| Self(given.to_owned()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the keys of an account make no speech. They are neither gone nor over: an answer to them is `access_locked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLock {
    /// No promo code was redeemed yet. The holder signs in and redeems one.
    NoPromoCode,
    /// The operator locked the account. Its holder cannot sign in; only the operator ends this.
    ByOperator,
}

/// An account as it is stored, without its password.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Its name inside the service.
    pub id: AccountId,
    /// Its name for people.
    pub email: EmailAddress,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// Whether it is the operator's own: its keys need no promo code and no allowance.
    pub is_operator: bool,
    /// Whether a password was chosen; without one only a [link](crate::AccountStore::create_sign_in_link) signs in.
    pub has_password: bool,
    /// Since when a promo code, or the operator, lets its keys make speech.
    pub access_ms: Option<i64>,
    /// Since when the operator keeps it out.
    pub locked_ms: Option<i64>,
    /// How many characters it has each month. Means nothing for the operator's own, which has no allowance.
    pub monthly_chars: u64,
    /// Since when it is proven that mail to its address reaches its holder.
    pub verified_ms: Option<i64>,
}

impl Account {
    /// What keeps its keys from making speech, if anything does.
    pub fn access_lock(&self) -> Option<AccessLock> {
        AccessLock::of(self.is_operator, self.access_ms, self.locked_ms)
    }
}

impl AccessLock {
    pub(crate) fn of(is_operator: bool, access_ms: Option<i64>, locked_ms: Option<i64>) -> Option<Self> {
        if locked_ms.is_some() {
            return Some(Self::ByOperator);
        }
        (access_ms.is_none() && !is_operator).then_some(Self::NoPromoCode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_s_lock_is_told_first() {
        assert_eq!(AccessLock::of(false, None, None), Some(AccessLock::NoPromoCode));
        assert_eq!(AccessLock::of(false, Some(1), None), None);
        assert_eq!(AccessLock::of(true, None, None), None);
        for access_ms in [None, Some(1)] {
            assert_eq!(AccessLock::of(true, access_ms, Some(2)), Some(AccessLock::ByOperator));
        }
    }
}
