//! Attempts to sign in, in SQL: count the attempt, verify the password off this thread, decide.
//!
//! An attempt is counted as wrong before it is verified, in the transaction that looks at the count, so that attempts
//! at the same time cannot slip past it. The right password takes the count back.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::store::SqliteStore;
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

const FIND_PASSWORD: &str = "SELECT id, password FROM accounts WHERE email = :email";
const FIND_FAILURES: &str = "SELECT failures, blocked_until_ms FROM sign_in_failures
    WHERE email_hash = :email_hash AND last_ms > :forgotten_ms";
const RECORD_FAILURE: &str =
    "INSERT INTO sign_in_failures (email_hash, failures, last_ms, blocked_until_ms, has_account)
    VALUES (:email_hash, :failures, :now_ms, :blocked_until_ms, :has_account)
    ON CONFLICT (email_hash) DO UPDATE SET failures = :failures, last_ms = :now_ms,
        blocked_until_ms = :blocked_until_ms, has_account = :has_account";
const FORGET_FAILURES: &str = "DELETE FROM sign_in_failures WHERE email_hash = :email_hash";
const DROP_OLD_FAILURES: &str = "DELETE FROM sign_in_failures WHERE last_ms <= :forgotten_ms";
const DROP_SURPLUS_FAILURES: &str = "DELETE FROM sign_in_failures WHERE has_account = 0 AND last_ms <= (
        SELECT last_ms FROM sign_in_failures WHERE has_account = 0 ORDER BY last_ms DESC LIMIT 1 OFFSET :kept
    )";

/// Addresses without an account whose failures are kept; those of accounts are all kept.
const MAX_UNKNOWN_ADDRESSES: u32 = 100_000;

/// How an attempt begins.
enum Attempt {
    /// Verify against this.
    Verify { account: Option<AccountId>, stored: Option<StoredPassword> },
    /// Not yet.
    Wait { retry_in_ms: u64 },
}

/// Looks whether an attempt may be made, and counts it.
fn begin(transaction: &Transaction<'_>, email: &EmailAddress, now_ms: i64) -> Result<Attempt, StoreError> {
    let email_hash = email.hash();
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    let asked = named_params! {":email_hash": email_hash.0.as_slice(), ":forgotten_ms": forgotten_ms};
    let found = transaction.prepare_cached(FIND_FAILURES)?.query_row(asked, |row| {
        Ok(Attempts { failures: row.get("failures")?, blocked_until_ms: row.get("blocked_until_ms")? })
    });
    let counted = match decide_attempt(found.optional()?.unwrap_or(Attempts::NONE), now_ms) {
        AttemptDecision::Verify(counted) => counted,
        AttemptDecision::Wait { retry_in_ms } => return Ok(Attempt::Wait { retry_in_ms }),
    };
    let asked = named_params! {":email": email.as_str()};
    let found = transaction.prepare_cached(FIND_PASSWORD)?.query_row(asked, |row| {
        Ok((AccountId(row.get("id")?), row.get::<_, Option<String>>("password")?.map(StoredPassword)))
    });
    let (account, stored) = found.optional()?.map_or((None, None), |(id, stored)| (Some(id), stored));
    drop_old(transaction, now_ms)?;
    transaction.prepare_cached(RECORD_FAILURE)?.execute(named_params! {
        ":email_hash": email_hash.0.as_slice(),
        ":failures": counted.failures,
        ":now_ms": now_ms,
        ":blocked_until_ms": counted.blocked_until_ms,
        ":has_account": account.is_some(),
    })?;
    transaction
        .prepare_cached(DROP_SURPLUS_FAILURES)?
        .execute(named_params! {":kept": MAX_UNKNOWN_ADDRESSES})?;
    Ok(Attempt::Verify { account, stored })
}

/// Removes wrong passwords that no longer count.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    transaction.prepare_cached(DROP_OLD_FAILURES)?.execute(named_params! {":forgotten_ms": forgotten_ms})?;
    Ok(())
}

/// Forgets the wrong passwords of an address.
pub(super) fn forget(transaction: &Transaction<'_>, email: &EmailAddress) -> Result<(), StoreError> {
    transaction.execute(FORGET_FAILURES, named_params! {":email_hash": email.hash().0.as_slice()})?;
    Ok(())
}

/// Whether the password that was verified is still the stored one.
fn still_holds(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    verified: Option<&StoredPassword>,
) -> Result<bool, StoreError> {
    let asked = named_params! {":email": email.as_str()};
    let found = transaction.query_row(FIND_PASSWORD, asked, |row| {
        Ok(row.get::<_, Option<String>>("password")?.map(StoredPassword))
    });
    Ok(verified.is_some() && found.optional()?.flatten().as_ref() == verified)
}

/// See [`AccountStore::sign_in`](crate::AccountStore::sign_in).
pub(super) async fn sign_in(
    store: &SqliteStore,
    email: EmailAddress,
    password: Password,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    // first: an attempt that is refused for want of room is not counted
    let permit = store.hashing.admit()?;
    let attempted = email.clone();
    let begun = store.call(move |connection| begin_sign_in(connection, &attempted, now_ms)).await?;
    let (account, stored) = match begun {
        Attempt::Verify { account, stored } => (account, stored),
        Attempt::Wait { retry_in_ms } => return Ok(SignIn::Wait { retry_in_ms }),
    };
    let fits = permit.verify(password, stored.clone()).await?;
    let verified = stored.filter(|_| fits);
    store
        .call(move |connection| {
            finish_sign_in(connection, &email, account.as_ref(), verified.as_ref(), now_ms)
        })
        .await
}

fn begin_sign_in(
    connection: &mut Connection,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Attempt, StoreError> {
    let transaction = connection.transaction()?;
    let begun = begin(&transaction, email, now_ms)?;
    transaction.commit()?;
    Ok(begun)
}

fn finish_sign_in(
    connection: &mut Connection,
    email: &EmailAddress,
    account: Option<&AccountId>,
    verified: Option<&StoredPassword>,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    let transaction = connection.transaction()?;
    let right = still_holds(&transaction, email, verified)?;
    let holder = account_rows::find_by_email(&transaction, email)?.filter(|_| right);
    let signed_in = match decide_sign_in(holder, account.is_some()) {
        SignInDecision::SignIn(account) => {
            forget(&transaction, email)?;
            let actor = Actor::Account(account.id.clone());
            audit::done(&transaction, now_ms, &actor, Event::SignIn, Some(&account.id), None)?;
            SignIn::SignedIn(sessions::begin(&transaction, account, false, now_ms)?)
        }
        SignInDecision::LockedByOperator(account) => {
            forget(&transaction, email)?;
            let actor = Actor::Account(account.id.clone());
            refused(&transaction, now_ms, &actor, Event::SignIn, Some(&account.id), "locked_by_operator")?;
            SignIn::LockedByOperator
        }
        SignInDecision::Refuse(outcome) => {
            // written for an address without an account too, so that it takes as long
            refused(&transaction, now_ms, &Actor::Visitor, Event::SignIn, account, outcome)?;
            SignIn::Refused
        }
    };
    transaction.commit()?;
    Ok(signed_in)
}

fn refused(
    transaction: &Transaction<'_>,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    outcome: &'static str,
) -> Result<(), StoreError> {
    audit::record(transaction, now_ms, &NewEntry { actor, event, account, subject: None, outcome })
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
    store: &SqliteStore,
    permit: &HashPermit,
    session: SecretHash,
    present: Option<Password>,
    event: Event,
    now_ms: i64,
) -> Result<Confirmation, StoreError> {
    let begun = store.call(move |connection| begin_confirming(connection, session, now_ms)).await?;
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
                store.call(move |connection| wrong_password(connection, &account, event, now_ms)).await?;
                Confirmation::WrongPassword
            }
        }
        Confirming::Wait { retry_in_ms } => Confirmation::Wait { retry_in_ms },
        Confirming::NoSession => Confirmation::NoSession,
    })
}

/// The account of who was confirmed, if all that still holds.
pub(super) fn find_holder(
    transaction: &Transaction<'_>,
    session: SecretHash,
    holder: &Holder,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    let Some((found, _)) = sessions::find(transaction, session, now_ms)? else { return Ok(None) };
    // what was verified may have been replaced meanwhile; that ended this session, so this is a second guard
    let verified = holder.verified.as_ref();
    if verified.is_some() && !still_holds(transaction, &holder.email, verified)? {
        return Ok(None);
    }
    Ok(Some(found.account))
}

/// See [`AccountStore::change_password`](crate::AccountStore::change_password).
pub(super) async fn change_password(
    store: &SqliteStore,
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
    store.call(move |connection| finish_change(connection, session, &holder, &new, now_ms)).await
}

fn begin_confirming(
    connection: &mut Connection,
    session: SecretHash,
    now_ms: i64,
) -> Result<Confirming, StoreError> {
    let transaction = connection.transaction()?;
    let Some((found, _)) = sessions::find(&transaction, session, now_ms)? else {
        return Ok(Confirming::NoSession);
    };
    if found.may_set_password(now_ms) {
        return Ok(Confirming::Free(found));
    }
    let begun = match begin(&transaction, &found.account.email, now_ms)? {
        Attempt::Verify { stored, .. } => Confirming::Verify(found, stored),
        Attempt::Wait { retry_in_ms } => Confirming::Wait { retry_in_ms },
    };
    transaction.commit()?;
    Ok(begun)
}

fn wrong_password(
    connection: &mut Connection,
    account: &AccountId,
    event: Event,
    now_ms: i64,
) -> Result<(), StoreError> {
    let transaction = connection.transaction()?;
    let actor = Actor::Account(account.clone());
    refused(&transaction, now_ms, &actor, event, Some(account), "wrong_password")?;
    Ok(transaction.commit()?)
}

fn finish_change(
    connection: &mut Connection,
    session: SecretHash,
    holder: &Holder,
    new: &StoredPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let transaction = connection.transaction()?;
    let Some(mut account) = find_holder(&transaction, session, holder, now_ms)? else {
        return Ok(PasswordChange::NoSession);
    };
    account_rows::set_password(&transaction, &account.id, Some(new))?;
    account.has_password = true;
    forget(&transaction, &account.email)?;
    sessions::end_all_of(&transaction, &account.id)?;
    let actor = Actor::Account(account.id.clone());
    audit::done(&transaction, now_ms, &actor, Event::PasswordChange, Some(&account.id), None)?;
    let session = sessions::begin(&transaction, account, false, now_ms)?;
    transaction.commit()?;
    Ok(PasswordChange::Changed(session))
}
