//! Accounts: what is known of them, what can be decided about them.

use std::fmt;

use async_trait::async_trait;

use crate::audit::Actor;
use crate::email::EmailAddress;
use crate::password::{NewPassword, Password};
use crate::secret::{self, SecretHash};
use crate::session::{NewLink, NewSession};
use crate::store::StoreError;

const MARK: &str = "acc_";
const ID_CHARS: usize = 20;

/// What an account is called inside the service; it is no secret and never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub(crate) String);

impl AccountId {
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(MARK, ID_CHARS).map(Self)
    }

    /// Reads an id; `None` unless it has the shape of one.
    pub fn parse(given: &str) -> Option<Self> {
        secret::is_well_formed(given, MARK, ID_CHARS).then(|| Self(given.to_owned()))
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
    /// Whether a password was chosen; without one only a [link](AccountStore::create_sign_in_link) signs in.
    pub has_password: bool,
    /// Since when a promo code, or the operator, lets its keys make speech.
    pub access_ms: Option<i64>,
    /// Since when the operator keeps it out.
    pub locked_ms: Option<i64>,
    /// How many characters it has each month. Means nothing for the operator's own, which has no allowance.
    pub monthly_chars: u64,
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

/// What came of the wish for an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountCreation {
    /// Here it is: locked until a promo code is redeemed, not signed in.
    Created(Account),
    /// Somebody has this address.
    ///
    /// The caller must not tell: it answers as to [`AccountCreation::Created`]. What works without an enumeration: in
    /// both cases call [`AccountStore::sign_in`] with what was typed, and answer by what comes of that alone. Who knows the
    /// password is in, as after a sign-up; who does not sees the refusal of every wrong password.
    Exists,
}

/// What came of a try to sign in.
#[derive(Clone, Debug)]
pub enum SignIn {
    /// The password was right.
    SignedIn(NewSession),
    /// The password was wrong, or no account has the address; the two are not told apart.
    Refused,
    /// The password was right, and the operator locked the account. Only who knows the password learns this.
    LockedByOperator,
    /// Too many wrong passwords for this address, whether or not an account has it; nothing was tried, right or wrong.
    Wait {
        /// When the next try is looked at, in milliseconds from now.
        retry_in_ms: u64,
    },
}

/// What came of the wish for another password.
#[derive(Clone, Debug)]
pub enum PasswordChange {
    /// It holds from now on. All sessions of the account have ended, this one too; here is the one that goes on.
    Changed(NewSession),
    /// The present password was wrong.
    WrongPassword,
    /// Too many wrong ones; nothing was tried.
    Wait {
        /// When the next try is looked at, in milliseconds from now.
        retry_in_ms: u64,
    },
    /// The session is over, or was when the new password would have been stored.
    NoSession,
}

/// What came of an operator's change to an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountChange {
    /// It is so from now on.
    Changed(Account),
    /// It was so before; nothing was changed.
    Unchanged(Account),
    /// No account has this address.
    Unknown,
}

/// What came of an operator's wish to let somebody in.
#[derive(Clone, Debug)]
pub enum Invitation {
    /// The account, and the link with which its holder signs in and chooses a password.
    Invited(Account, NewLink),
    /// Somebody has this address.
    Exists(Account),
}

/// Wrong passwords in a row that cost nothing.
pub const FREE_FAILURES: u32 = 5;
/// Wrong passwords in a row that lock out for [`LOCK_OUT_MS`] each.
pub const LOCK_OUT_FAILURES: u32 = 10;
/// How long a lock-out lasts, in milliseconds: a quarter of an hour.
pub const LOCK_OUT_MS: i64 = 15 * 60_000;
/// How long after the last wrong password the row is forgotten, in milliseconds: a day.
pub const FAILURES_FORGOTTEN_MS: i64 = 24 * 3_600_000;

/// How long the next try waits after so many wrong passwords in a row, in milliseconds: nothing up to the fourth, then
/// 1, 2, 4, 8 and 16 seconds, from the tenth on [`LOCK_OUT_MS`] each.
pub(crate) fn wait_after(failures: u32) -> i64 {
    match failures {
        0..FREE_FAILURES => 0,
        FREE_FAILURES..LOCK_OUT_FAILURES => 1_000 << (failures - FREE_FAILURES),
        LOCK_OUT_FAILURES.. => LOCK_OUT_MS,
    }
}

/// Accounts and how people sign in to them.
///
/// # Guessing
///
/// Wrong passwords are counted for each address, whether or not an account has it: from the fifth in a row on the next
/// try must wait 1, 2, 4, 8 and 16 seconds, from the tenth on a quarter of an hour each. A try counts when it
/// begins, so many at once gain nothing. The right password ends the row, and so does a day without a try. During the
/// wait the right password is refused too, also to the holder, who gets in with a link; sessions go on. How often
/// one *visitor* may try, over all addresses, is for the server to bound.
///
/// # Whether an account exists
///
/// Sign-up and sign-in do the same work whether or not an account has the address: one hash, and writes of one row at
/// the same points. What they return tells it, and the caller must not; see [`AccountCreation::Exists`].
#[async_trait]
pub trait AccountStore {
    /// Makes an account with a password. It makes no speech until a promo code is redeemed.
    async fn create_account(
        &self,
        email: EmailAddress,
        password: NewPassword,
        now_ms: i64,
    ) -> Result<AccountCreation, StoreError>;

    /// Makes an account without a password, and the link with which its holder chooses one. For operators.
    async fn invite_account(&self, email: EmailAddress, now_ms: i64) -> Result<Invitation, StoreError>;

    /// The operator's own account, made if there is none: unlocked, without an allowance, without a password until one is
    /// chosen. [`Store::ensure_first_key`](crate::Store::ensure_first_key) makes it too.
    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError>;

    /// The account of an address.
    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError>;

    /// At most `limit` accounts in the order of their addresses, after the given one: call again with the last until
    /// none comes.
    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError>;

    /// Signs in, if the password is right: the one decision about counting, waiting, verifying and the new session.
    async fn sign_in(
        &self,
        email: EmailAddress,
        password: Password,
        now_ms: i64,
    ) -> Result<SignIn, StoreError>;

    /// Replaces the password, ends all sessions and links of the account, and begins a new session for who asked.
    ///
    /// The present password is needed unless the session came from a link within the last
    /// [`LINK_SESSION_SETS_PASSWORD_MS`](crate::LINK_SESSION_SETS_PASSWORD_MS); wrong ones count as at sign-in.
    async fn change_password(
        &self,
        session: SecretHash,
        present: Option<Password>,
        new: NewPassword,
        now_ms: i64,
    ) -> Result<PasswordChange, StoreError>;

    /// Keeps an account out: ends its sessions, links and unused tokens; its keys are refused as `access_locked`,
    /// within two seconds everywhere.
    async fn lock_account(&self, email: EmailAddress, now_ms: i64) -> Result<AccountChange, StoreError>;

    /// Lets an account in again. `add_chars` also adds so much to its monthly allowance and gives access without a promo
    /// code; without it an account that never redeemed one still needs one.
    async fn unlock_account(
        &self,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError>;

    /// Ends the password, the sessions and the links of an account, forgets wrong passwords, and makes a link with which
    /// a new password is chosen. `None` if no account has the address. For operators.
    async fn reset_password(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Option<(Account, NewLink)>, StoreError>;

    /// Makes a link that signs in once, within [`LINK_LIFE_MS`](crate::LINK_LIFE_MS), and replaces an earlier one. `None` if there is no
    /// such account or the operator locked it.
    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_as_documented() {
        let seconds: Vec<i64> = (0..13).map(|failures| wait_after(failures) / 1_000).collect();
        assert_eq!(seconds, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 900, 900, 900]);
        assert_eq!(wait_after(u32::MAX), LOCK_OUT_MS);
    }

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
