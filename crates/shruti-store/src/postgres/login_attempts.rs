//! Attempts to sign in, in SQL: count the attempt, verify the password outside any transaction, decide.
//!
//! An attempt is counted as wrong before it is verified, in the transaction that looks at the count, so that attempts
//! at the same time cannot slip past it. The right password takes the count back.

use super::client::Transaction;
use super::rows::{self, Values, small};
use super::store::PostgresStore;
use super::{account_rows, audit, sessions};
use crate::account::{Account, AccountId};
use crate::account_store::{PasswordChange, SignIn};
use crate::audit::{Actor, Event, NewEntry};
use crate::decisions::login_attempts::{
    AttemptDecision, Attempts, FAILURES_FORGOTTEN_MS, SignInDecision, decide_attempt, decide_sign_in,
};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::hashing::{HashPermit, StoredPassword};
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::Session;

const FIND_PASSWORD: &str = "SELECT id, password FROM accounts WHERE email = $1";
/// A row to hold, where there is none: an address without a wrong password.
const MAKE_FAILURES: &str =
    "INSERT INTO sign_in_failures (email_hash, failures, last_ms, blocked_until_ms, has_account)
    VALUES ($1, 0, $2, $3, FALSE) ON CONFLICT DO NOTHING";
const HOLD_FAILURES: &str =
    "SELECT failures, last_ms, blocked_until_ms FROM sign_in_failures WHERE email_hash = $1 FOR UPDATE";
const RECORD_FAILURE: &str = "UPDATE sign_in_failures
    SET failures = $2, last_ms = $3, blocked_until_ms = $4, has_account = $5 WHERE email_hash = $1";
const FORGET_FAILURES: &str = "DELETE FROM sign_in_failures WHERE email_hash = $1";
const DROP_OLD_FAILURES: &str = "DELETE FROM sign_in_failures WHERE email_hash IN (
        SELECT email_hash FROM sign_in_failures WHERE last_ms <= $1 FOR UPDATE SKIP LOCKED
    )";
const DROP_SURPLUS_FAILURES: &str = "DELETE FROM sign_in_failures WHERE email_hash IN (
        SELECT email_hash FROM sign_in_failures WHERE NOT has_account AND last_ms <= (
            SELECT last_ms FROM sign_in_failures WHERE NOT has_account ORDER BY last_ms DESC LIMIT 1 OFFSET $1
        ) FOR UPDATE SKIP LOCKED
    )";

/// Addresses without an account whose failures are kept; those of accounts are all kept.
const MAX_UNKNOWN_ADDRESSES: i64 = 100_000;

/// How an attempt begins.
enum Attempt {
    /// Verify against this.
    Verify { account: Option<AccountId>, stored: Option<StoredPassword> },
    /// Not yet.
    Wait { retry_in_ms: u64 },
}

/// Looks whether an attempt may be made, and counts it.
async fn begin(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Attempt, StoreError> {
    let email_hash = email.hash();
    let email_hash = email_hash.0.as_slice();
    let none = Attempts::NONE;
    rows::execute(transaction, MAKE_FAILURES, &[&email_hash, &now_ms, &none.blocked_until_ms]).await?;
    let row = rows::one(transaction, HOLD_FAILURES, &[&email_hash]).await?;
    let is_forgotten = row.try_get::<_, i64>("last_ms")? <= now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    let before = if is_forgotten {
        none
    } else {
        Attempts {
            failures: small(row.try_get("failures")?)?,
            blocked_until_ms: row.try_get("blocked_until_ms")?,
        }
    };
    let counted = match decide_attempt(before, now_ms) {
        AttemptDecision::Verify(counted) => counted,
        AttemptDecision::Wait { retry_in_ms } => return Ok(Attempt::Wait { retry_in_ms }),
    };
    let (account, stored) = find_password(transaction, email).await?;
    let given: Values<'_> =
        &[&email_hash, &i64::from(counted.failures), &now_ms, &counted.blocked_until_ms, &account.is_some()];
    rows::execute(transaction, RECORD_FAILURE, given).await?;
    drop_old(transaction, now_ms).await?;
    Ok(Attempt::Verify { account, stored })
}

async fn find_password(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
) -> Result<(Option<AccountId>, Option<StoredPassword>), StoreError> {
    let found = rows::first(transaction, FIND_PASSWORD, &[&email.as_str()]).await?;
    let Some(row) = found else { return Ok((None, None)) };
    let stored = row.try_get::<_, Option<String>>("password")?.map(StoredPassword);
    Ok((Some(AccountId(row.try_get("id")?)), stored))
}

/// Removes wrong passwords that no longer count, or are of too many addresses.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    rows::execute(transaction, DROP_OLD_FAILURES, &[&forgotten_ms]).await?;
    rows::execute(transaction, DROP_SURPLUS_FAILURES, &[&MAX_UNKNOWN_ADDRESSES]).await?;
    Ok(())
}

/// Forgets the wrong passwords of an address.
pub(super) async fn forget(transaction: &Transaction<'_>, email: &EmailAddress) -> Result<(), StoreError> {
    rows::execute(transaction, FORGET_FAILURES, &[&email.hash().0.as_slice()]).await?;
    Ok(())
}

/// Whether the password that was verified is still the stored one.
async fn still_holds(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    verified: Option<&StoredPassword>,
) -> Result<bool, StoreError> {
    let (_, stored) = find_password(transaction, email).await?;
    Ok(verified.is_some() && stored.as_ref() == verified)
}

/// See [`AccountStore::sign_in`](crate::AccountStore::sign_in).
pub(super) async fn sign_in(
    store: &PostgresStore,
    email: EmailAddress,
    password: Password,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    // first: an attempt that is refused for want of room is not counted
    let permit = store.hashing.admit()?;
    let begun = store.call(async |transaction| begin(transaction, &email, now_ms).await).await?;
    let (account, stored) = match begun {
        Attempt::Verify { account, stored } => (account, stored),
        Attempt::Wait { retry_in_ms } => return Ok(SignIn::Wait { retry_in_ms }),
    };
    let fits = permit.verify(password, stored.clone()).await?;
    let verified = stored.filter(|_| fits);
    store
        .call(async |transaction| {
            finish_sign_in(transaction, &email, account.as_ref(), verified.as_ref(), now_ms).await
        })
        .await
}

async fn finish_sign_in(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    account: Option<&AccountId>,
    verified: Option<&StoredPassword>,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    // held before the password is looked at again: a change of it ends this
    let holder = account_rows::hold_by_email(transaction, email).await?;
    let right = still_holds(transaction, email, verified).await?;
    match decide_sign_in(holder.filter(|_| right), account.is_some()) {
        SignInDecision::SignIn(account) => {
            forget(transaction, email).await?;
            let actor = Actor::Account(account.id.clone());
            audit::done(transaction, now_ms, &actor, Event::SignIn, Some(&account.id), None).await?;
            Ok(SignIn::SignedIn(sessions::begin(transaction, account, false, now_ms).await?))
        }
        SignInDecision::LockedByOperator(account) => {
            forget(transaction, email).await?;
            let actor = Actor::Account(account.id.clone());
            refused(transaction, now_ms, &actor, Event::SignIn, Some(&account.id), "locked_by_operator")
                .await?;
            Ok(SignIn::LockedByOperator)
        }
        SignInDecision::Refuse(outcome) => {
            // written for an address without an account too, so that it takes as long
            refused(transaction, now_ms, &Actor::Visitor, Event::SignIn, account, outcome).await?;
            Ok(SignIn::Refused)
        }
    }
}

async fn refused(
    transaction: &Transaction<'_>,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    outcome: &'static str,
) -> Result<(), StoreError> {
    audit::record(transaction, now_ms, &NewEntry { actor, event, account, subject: None, outcome }).await
}

/// How the confirmation begins that the holder of the account asks for something.
enum Confirming {
    /// The session came from a link: the present password is not asked for.
    Free(Session),
    /// Verify the present one.
    Verify(Session, Option<StoredPassword>),
    Wait {
        retry_in_ms: u64,
    },
    NoSession,
}

/// What came of it.
pub(super) enum Confirmation {
    /// It is the holder.
    Holder(Holder),
    WrongPassword,
    Wait {
        retry_in_ms: u64,
    },
    NoSession,
}

/// Who was confirmed to hold an account.
pub(super) struct Holder {
    email: EmailAddress,
    /// The password that was verified; none where none was asked for.
    verified: Option<StoredPassword>,
}

/// Confirms that the holder of a session's account asks for `event`, by its present password. Wrong ones count as at
/// sign-in.
pub(super) async fn confirm(
    store: &PostgresStore,
    permit: &HashPermit,
    session: SecretHash,
    present: Option<Password>,
    event: Event,
    now_ms: i64,
) -> Result<Confirmation, StoreError> {
    let begun = store.call(async |transaction| begin_confirming(transaction, session, now_ms).await).await?;
    Ok(match begun {
        Confirming::Free(found) => {
            Confirmation::Holder(Holder { email: found.account.email, verified: None })
        }
        Confirming::Verify(found, stored) => {
            let present = present.unwrap_or_else(|| Password::typed(""));
            if permit.verify(present, stored.clone()).await? {
                Confirmation::Holder(Holder { email: found.account.email, verified: stored })
            } else {
                let account = found.account.id;
                store
                    .call(async |transaction| wrong_password(transaction, &account, event, now_ms).await)
                    .await?;
                Confirmation::WrongPassword
            }
        }
        Confirming::Wait { retry_in_ms } => Confirmation::Wait { retry_in_ms },
        Confirming::NoSession => Confirmation::NoSession,
    })
}

/// The account of who was confirmed, held, if all that still holds.
pub(super) async fn hold_holder(
    transaction: &Transaction<'_>,
    session: SecretHash,
    holder: &Holder,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    account_rows::hold_by_email(transaction, &holder.email).await?;
    let Some((found, _)) = sessions::find(transaction, session, now_ms).await? else { return Ok(None) };
    // what was verified may have been replaced meanwhile; that ended this session, so this is a second guard
    let verified = holder.verified.as_ref();
    if verified.is_some() && !still_holds(transaction, &holder.email, verified).await? {
        return Ok(None);
    }
    Ok(Some(found.account))
}

/// See [`AccountStore::change_password`](crate::AccountStore::change_password).
pub(super) async fn change_password(
    store: &PostgresStore,
    session: SecretHash,
    present: Option<Password>,
    new: NewPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let permit = store.hashing.admit()?;
    let confirmed = confirm(store, &permit, session, present, Event::PasswordChange, now_ms).await?;
    let holder = match confirmed {
        Confirmation::Holder(holder) => holder,
        Confirmation::WrongPassword => return Ok(PasswordChange::WrongPassword),
        Confirmation::Wait { retry_in_ms } => return Ok(PasswordChange::Wait { retry_in_ms }),
        Confirmation::NoSession => return Ok(PasswordChange::NoSession),
    };
    let new = permit.hash(new).await?;
    store.call(async |transaction| finish_change(transaction, session, &holder, &new, now_ms).await).await
}

async fn begin_confirming(
    transaction: &Transaction<'_>,
    session: SecretHash,
    now_ms: i64,
) -> Result<Confirming, StoreError> {
    let Some((found, _)) = sessions::find(transaction, session, now_ms).await? else {
        return Ok(Confirming::NoSession);
    };
    if found.may_set_password(now_ms) {
        return Ok(Confirming::Free(found));
    }
    Ok(match begin(transaction, &found.account.email, now_ms).await? {
        Attempt::Verify { stored, .. } => Confirming::Verify(found, stored),
        Attempt::Wait { retry_in_ms } => Confirming::Wait { retry_in_ms },
    })
}

async fn wrong_password(
    transaction: &Transaction<'_>,
    account: &AccountId,
    event: Event,
    now_ms: i64,
) -> Result<(), StoreError> {
    let actor = Actor::Account(account.clone());
    refused(transaction, now_ms, &actor, event, Some(account), "wrong_password").await
}

async fn finish_change(
    transaction: &Transaction<'_>,
    session: SecretHash,
    holder: &Holder,
    new: &StoredPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let found = hold_holder(transaction, session, holder, now_ms).await?;
    let Some(mut account) = found else { return Ok(PasswordChange::NoSession) };
    account_rows::set_password(transaction, &account.id, Some(new)).await?;
    account.has_password = true;
    forget(transaction, &account.email).await?;
    sessions::end_all_of(transaction, &account.id).await?;
    let actor = Actor::Account(account.id.clone());
    audit::done(transaction, now_ms, &actor, Event::PasswordChange, Some(&account.id), None).await?;
    let session = sessions::begin(transaction, account, false, now_ms).await?;
    Ok(PasswordChange::Changed(session))
}
