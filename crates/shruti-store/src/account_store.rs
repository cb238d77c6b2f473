//! Store operations on accounts and passwords.

use async_trait::async_trait;

use crate::account::{Account, AccountId};
use crate::audit::Actor;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::{NewLink, NewSession};

/// Outcome of the creation of an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountCreation {
    /// The account was created. It has no access to speech synthesis until a promo code is redeemed, and its holder is
    /// not signed in.
    Created(Account),
    /// Another account has this address.
    ///
    /// The caller must not disclose this: its response must be the same as for [`AccountCreation::Created`]. To prevent
    /// an enumeration of addresses, call [`AccountStore::sign_in`] with the same address and password in both cases,
    /// and respond only with the outcome of that call. A caller with the correct password is signed in, as after a
    /// sign-up; any other caller gets the refusal for a wrong password.
    Exists,
}

/// Outcome of an attempt to sign in.
#[derive(Clone, Debug)]
pub enum SignIn {
    /// The password was correct.
    SignedIn(NewSession),
    /// The password was wrong, or no account has the address. The response must not distinguish the two cases.
    Refused,
    /// The password was correct, but an operator locked the account. Only a caller with the correct password gets this
    /// outcome.
    LockedByOperator,
    /// There were too many wrong passwords for this address, whether or not an account has it. The password was not
    /// verified.
    Wait {
        /// Time until the next attempt is verified, in milliseconds.
        retry_in_ms: u64,
    },
}

/// Outcome of a password change.
#[derive(Clone, Debug)]
pub enum PasswordChange {
    /// The password was changed. All sessions of the account have ended, including the one of this call; this new
    /// session replaces it.
    Changed(NewSession),
    /// The current password was wrong.
    WrongPassword,
    /// There were too many wrong passwords. The password was not verified.
    Wait {
        /// Time until the next attempt is verified, in milliseconds.
        retry_in_ms: u64,
    },
    /// The session had ended before the call, or it ended before the new password was stored.
    NoSession,
}

/// Outcome of the deletion of an account by its holder.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnDeletion {
    /// The account was deleted.
    Deleted,
    /// The password was wrong.
    WrongPassword,
    /// There were too many wrong passwords. The password was not verified.
    Wait {
        /// Time until the next attempt is verified, in milliseconds.
        retry_in_ms: u64,
    },
    /// The account belongs to an operator and was not deleted.
    IsOperator,
    /// The session had ended before the call, or it ended before the account was deleted.
    NoSession,
}

/// Outcome of the deletion of an account by an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountDeletion {
    /// The account was deleted.
    Deleted(AccountId),
    /// The account belongs to an operator and was not deleted.
    IsOperator,
    /// No account has this address.
    Unknown,
}

/// Outcome of an operator's change of an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountChange {
    /// The account was changed.
    Changed(Account),
    /// The account was already in the requested state.
    Unchanged(Account),
    /// No account has this address.
    Unknown,
}

/// Outcome of a change of the operator role.
#[derive(Clone, Debug, PartialEq)]
pub enum OperatorChange {
    /// The role was changed.
    Changed(Account),
    /// The account already had the requested role.
    Unchanged(Account),
    /// The role cannot be removed from the account that was created at the first start.
    IsFirst,
    /// No account has this address.
    Unknown,
}

/// Search for accounts by an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountSearch {
    /// Part of the address, in lower case. An empty text matches all accounts.
    pub part: String,
    /// Address after which the results start: the last address of the preceding page, or `None` for the first page.
    pub after: Option<EmailAddress>,
    /// Maximum number of results.
    pub limit: u32,
}

/// Account with the figures that operators see.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountOverview {
    /// The account.
    pub account: Account,
    /// Number of characters whose audio was sent this month.
    pub chars_this_month: u64,
    /// Number of usable keys, without the key of the playground.
    pub usable_keys: u64,
}

/// Outcome of an invitation.
#[derive(Clone, Debug)]
pub enum Invitation {
    /// The account was created. The link signs its holder in to choose a password.
    Invited(Account, NewLink),
    /// An account with this address exists.
    Exists(Account),
}

/// Accounts and sign-in.
///
/// # Guessing
///
/// Wrong passwords are counted per address, whether or not an account has the address. After the fifth to the ninth
/// consecutive failure, the next attempt has to wait 1, 2, 4, 8 and 16 seconds; after the tenth and every later one, 15
/// minutes. An attempt is counted when it begins, so concurrent attempts gain nothing. The correct password resets the
/// count, and so does a day without an attempt. During the wait the correct password is refused too; the holder can
/// sign in with a link, and existing sessions stay valid. The server has to limit the attempts of each visitor across
/// all addresses.
///
/// # Whether an account exists
///
/// Sign-up and sign-in do the same work whether or not an account has the address: one password hash, and the same
/// number of row writes at the same points. Their return values differ, and the caller must not disclose the
/// difference; see [`AccountCreation::Exists`].
#[async_trait]
pub trait AccountStore {
    /// Creates an account with a password. The account has no access to speech synthesis until a promo code is
    /// redeemed.
    async fn create_account(
        &self,
        email: EmailAddress,
        password: NewPassword,
        now_ms: i64,
    ) -> Result<AccountCreation, StoreError>;

    /// Creates an account without a password, and the link with which its holder chooses a password. For operators.
    async fn invite_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Invitation, StoreError>;

    /// Returns the operator's account, and creates it if it is missing. If it is new, the account is unlocked, and has
    /// no allowance and no password. [`KeyStore::ensure_first_key`](crate::KeyStore::ensure_first_key) creates the
    /// account too.
    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError>;

    /// Creates a link for the holder of an address who has forgotten the password; the caller sends it to that address.
    /// Returns `None` if no account has the address, if an operator locked the account, or if the last such link was
    /// created within [`LINK_AGAIN_MS`](crate::LINK_AGAIN_MS). A link that an operator created, such as an invitation,
    /// stays valid, because anybody can request a link by email. The operator's account of the first start gets no
    /// link, because its address receives no email.
    ///
    /// The return value and the duration of the call depend on whether an account has the address. The caller must not
    /// disclose them.
    async fn request_link(&self, email: EmailAddress, now_ms: i64) -> Result<Option<NewLink>, StoreError>;

    /// Returns `true` if an operator is signed in or can sign in without a new link: an unlocked operator's account has
    /// a valid session or a password.
    async fn can_operator_sign_in(&self, now_ms: i64) -> Result<bool, StoreError>;

    /// Returns the account that has an address, or `None` if there is none.
    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError>;

    /// Returns at most `limit` accounts, sorted by address, after the given address. To read all accounts, repeat the
    /// call with the last returned address until the result is empty.
    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError>;

    /// Returns the accounts that match a search, sorted by address.
    async fn search_accounts(
        &self,
        search: AccountSearch,
        now_ms: i64,
    ) -> Result<Vec<AccountOverview>, StoreError>;

    /// Gives an account the role of an operator, or removes the role. An operator's account needs no promo code and no
    /// allowance, and can use the operator functions of the Studio. The account that was created at the first start
    /// always has the role. Because operators may share this first account, its password, sessions and links are
    /// removed when any account loses the role.
    async fn set_operator(
        &self,
        by: Actor,
        email: EmailAddress,
        is_operator: bool,
        now_ms: i64,
    ) -> Result<OperatorChange, StoreError>;

    /// Counts the attempt, verifies the password and begins a session if the password is correct. During a wait the
    /// attempt is refused without a verification.
    async fn sign_in(
        &self,
        email: EmailAddress,
        password: Password,
        now_ms: i64,
    ) -> Result<SignIn, StoreError>;

    /// Replaces the password, ends all sessions of the account, deletes its links, and begins a new session for the
    /// caller.
    ///
    /// The current password is required unless the user signed in with a link within the last
    /// [`LINK_SESSION_SETS_PASSWORD_MS`](crate::LINK_SESSION_SETS_PASSWORD_MS). Wrong passwords count as at sign-in.
    async fn change_password(
        &self,
        session: SecretHash,
        present: Option<Password>,
        new: NewPassword,
        now_ms: i64,
    ) -> Result<PasswordChange, StoreError>;

    /// Locks an account: ends its sessions, and deletes its links and unused tokens. Its keys are refused with
    /// `access_locked` on all servers within two seconds.
    async fn lock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError>;

    /// Unlocks an account. If `add_chars` is given, these characters are added to its monthly allowance, and the
    /// account gets access without a promo code. Without `add_chars` an account that never redeemed a promo code still
    /// needs one.
    async fn unlock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError>;

    /// Deletes an account with its data: its keys and their usage, its sessions and links, its lexicon, its
    /// redemptions, and the audit log entries that concern it. The keys are immediately refused as unknown. One audit
    /// log entry remains and records the deletion. Other entries that name the account as the acting operator are
    /// attributed to an unnamed operator. The use count of promo codes does not change.
    async fn delete_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountDeletion, StoreError>;

    /// Deletes the account of a session. The holder confirms with the password, as for
    /// [`change_password`](Self::change_password).
    async fn delete_own_account(
        &self,
        session: SecretHash,
        present: Option<Password>,
        now_ms: i64,
    ) -> Result<OwnDeletion, StoreError>;

    /// Removes the password, the sessions, the links and the failed attempts of an account, and creates a link for
    /// choosing a new password. Returns `None` if no account has the address. For operators.
    async fn reset_password(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Option<(Account, NewLink)>, StoreError>;

    /// Creates a one-time sign-in link, which is valid for [`LINK_LIFE_MS`](crate::LINK_LIFE_MS) and replaces an
    /// earlier link that an operator created. Returns `None` if the account does not exist or an operator locked it.
    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError>;
}
