//! What is decided about accounts and passwords.

use async_trait::async_trait;

use crate::account::{Account, AccountId};
use crate::audit::Actor;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::{NewLink, NewSession};

/// The outcome of the creation of an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountCreation {
    /// Here it is: locked until a promo code is redeemed, not signed in.
    Created(Account),
    /// Somebody has this address.
    ///
    /// The caller must not tell: it answers as to [`AccountCreation::Created`]. What works without an enumeration: in
    /// both cases call [`AccountStore::sign_in`] with what was typed, and answer by what comes of that alone. Who
    /// knows the password is in, as after a sign-up; who does not sees the refusal of every wrong password.
    Exists,
}

/// The outcome of an attempt to sign in.
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

/// The outcome of a change of password.
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

/// The outcome of the deletion of an account by its holder.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnDeletion {
    /// It is gone.
    Deleted,
    /// The password was wrong.
    WrongPassword,
    /// Too many wrong ones; nothing was tried.
    Wait {
        /// When the next try is looked at, in milliseconds from now.
        retry_in_ms: u64,
    },
    /// It is an operator's, and stays.
    IsOperator,
    /// The session is over, or was when the account would have been deleted.
    NoSession,
}

/// The outcome of the deletion of an account by an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountDeletion {
    /// It is gone.
    Deleted(AccountId),
    /// It is an operator's, and stays.
    IsOperator,
    /// No account has this address.
    Unknown,
}

/// The outcome of an operator's change to an account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountChange {
    /// It is so from now on.
    Changed(Account),
    /// It was so before; nothing was changed.
    Unchanged(Account),
    /// No account has this address.
    Unknown,
}

/// The outcome of a change of who is an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum OperatorChange {
    /// It is so from now on.
    Changed(Account),
    /// It was so before; nothing was changed.
    Unchanged(Account),
    /// It is the account of the first start, which stays an operator's.
    IsFirst,
    /// No account has this address.
    Unknown,
}

/// Which accounts an operator looks for.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountSearch {
    /// A part of their addresses, in small letters; all accounts if it is empty.
    pub part: String,
    /// The address after which they come; the last of a search gives the next ones.
    pub after: Option<EmailAddress>,
    /// How many at most.
    pub limit: u32,
}

/// An account as operators see it.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountOverview {
    /// The account.
    pub account: Account,
    /// Characters of this month whose audio was sent.
    pub chars_this_month: u64,
    /// Its keys that can be used, that of its playground aside.
    pub usable_keys: u64,
}

/// The outcome of an invitation.
#[derive(Clone, Debug)]
pub enum Invitation {
    /// The account, and the link with which its holder signs in and chooses a password.
    Invited(Account, NewLink),
    /// Somebody has this address.
    Exists(Account),
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
    async fn invite_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Invitation, StoreError>;

    /// The operator's own account, made if there is none: unlocked, without an allowance, without a password until one
    /// is chosen. [`KeyStore::ensure_first_key`](crate::KeyStore::ensure_first_key) makes it too.
    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError>;

    /// A link for the holder of an address who has forgotten the password, to be sent there. `None` if no account has
    /// the address or the operator locked it, and within [`LINK_AGAIN_MS`](crate::LINK_AGAIN_MS) after the last such link. It
    /// leaves a link alone that an operator made, such as an invitation: anybody can ask for one by mail.
    /// An operator's first account has no address that mail reaches, and gets none.
    ///
    /// What this returns, and how long it takes, tells whether an account has the address; the caller must not.
    async fn request_link(&self, email: EmailAddress, now_ms: i64) -> Result<Option<NewLink>, StoreError>;

    /// Whether an operator can sign in without a new link: an operator's account that is not locked has a password, or
    /// a session that goes on.
    async fn can_operator_sign_in(&self, now_ms: i64) -> Result<bool, StoreError>;

    /// The account of an address.
    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError>;

    /// At most `limit` accounts in the order of their addresses, after the given one: call again with the last until
    /// none comes.
    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError>;

    /// The accounts that a search finds, as operators see them, in the order of their addresses.
    async fn search_accounts(
        &self,
        search: AccountSearch,
        now_ms: i64,
    ) -> Result<Vec<AccountOverview>, StoreError>;

    /// Makes an account an operator's, or takes that back. An operator's needs no promo code and no allowance, and may
    /// use what the Studio has for operators. That of the first start is one for good; because operators may share it, its
    /// password, sessions and links end when any account stops being an operator's.
    async fn set_operator(
        &self,
        by: Actor,
        email: EmailAddress,
        is_operator: bool,
        now_ms: i64,
    ) -> Result<OperatorChange, StoreError>;

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
    async fn lock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError>;

    /// Lets an account in again. `add_chars` also adds so much to its monthly allowance and gives access without a
    /// promo code; without it an account that never redeemed one still needs one.
    async fn unlock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError>;

    /// Deletes an account with all that is its own: its keys, which are refused at once as unknown ones, with their
    /// usage, its sessions and links, its lexicon, what it redeemed, and what the audit log says of it. What is left is
    /// one entry of that log, which says that it was deleted. What it did as an operator is then an operator's who is
    /// not named. Of a promo code it stays counted that it was used.
    async fn delete_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountDeletion, StoreError>;

    /// The same for its holder, who types the password again as for a [change](Self::change_password) of it.
    async fn delete_own_account(
        &self,
        session: SecretHash,
        present: Option<Password>,
        now_ms: i64,
    ) -> Result<OwnDeletion, StoreError>;

    /// Ends the password, the sessions and the links of an account, forgets wrong passwords, and makes a link with
    /// which a new password is chosen. `None` if no account has the address. For operators.
    async fn reset_password(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Option<(Account, NewLink)>, StoreError>;

    /// Makes a link that signs in once, within [`LINK_LIFE_MS`](crate::LINK_LIFE_MS), and replaces an earlier one that an
    /// operator made.
    /// `None` if there is no such account or the operator locked it.
    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError>;
}
