//! Accounts.

use std::fmt;

use crate::email::EmailAddress;
use crate::secret;

const PREFIX: &str = "acc_";
const ID_CHARS: usize = 20;

/// Identifier of an account inside the service. It is not a secret and never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub(crate) String);

impl AccountId {
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(PREFIX, ID_CHARS).map(Self)
    }

    /// Parses an identifier. Returns `None` if the text does not have the form of an identifier.
    pub fn parse(text: &str) -> Option<Self> {
        secret::is_well_formed(text, PREFIX, ID_CHARS).then(|| Self(text.to_owned()))
    }

    /// Returns the identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reason why the valid keys of an account are not allowed to synthesise speech. Their requests fail with
/// `access_locked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLock {
    /// No promo code has been redeemed yet. The holder can sign in and redeem a code.
    NoPromoCode,
    /// An operator locked the account. The holder cannot sign in, and only an operator can unlock the account.
    ByOperator,
}

/// Stored account, without its password.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Identifier inside the service.
    pub id: AccountId,
    /// E-mail address that identifies the account to people.
    pub email: EmailAddress,
    /// Creation time, in milliseconds since 1970.
    pub created_ms: i64,
    /// `true` if the account belongs to an operator: its keys need no promo code and no allowance.
    pub is_operator: bool,
    /// `true` if the account has a password. Without a password the holder signs in with a
    /// [link](crate::AccountStore::create_sign_in_link).
    pub has_password: bool,
    /// Time at which a promo code or an operator first gave the keys access to speech synthesis, in milliseconds since
    /// 1970; `None` if neither has.
    pub access_ms: Option<i64>,
    /// Time at which an operator locked the account, in milliseconds since 1970; `None` if the account is not locked.
    pub locked_ms: Option<i64>,
    /// Monthly allowance, in characters. The value is ignored for an operator's account, because it needs no allowance.
    pub monthly_chars: u64,
    /// Time at which the address was verified (an email to it reached the holder), in milliseconds since 1970; `None`
    /// if it has not been verified.
    pub verified_ms: Option<i64>,
}

impl Account {
    /// Returns the reason why the keys of the account may not synthesise speech, if there is one.
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
    fn the_lock_by_the_operator_is_reported_first() {
        assert_eq!(AccessLock::of(false, None, None), Some(AccessLock::NoPromoCode));
        assert_eq!(AccessLock::of(false, Some(1), None), None);
        assert_eq!(AccessLock::of(true, None, None), None);
        for access_ms in [None, Some(1)] {
            assert_eq!(AccessLock::of(true, access_ms, Some(2)), Some(AccessLock::ByOperator));
        }
    }
}
