//! Decisions that a password takes part in: count the try, verify off this thread, decide.
//!
//! A try is counted as wrong before it is verified, in the transaction that looks at the count, so that tries at the
//! same time cannot slip past it. The right password takes the count back.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params};

use super::{SqliteStore, accounts, audit, sessions, unsigned};
use crate::account::{AccountId, FAILURES_FORGOTTEN_MS, PasswordChange, SignIn, wait_after};
use crate::audit::{Actor, Event};
use crate::email::EmailAddress;
use crate::hashing::StoredPassword;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::StoreError;

const FIND_PASSWORD: &str = include_str!("sql/find_password.sql");
const FIND_FAILURES: &str = include_str!("sql/find_failures.sql");
const RECORD_FAILURE: &str = include_str!("sql/record_failure.sql");
const FORGET_FAILURES: &str = include_str!("sql/forget_failures.sql");
const DROP_OLD_FAILURES: &str = include_str!("sql/drop_old_failures.sql");
const DROP_SURPLUS_FAILURES: &str = include_str!("sql/drop_surplus_failures.sql");

/// Addresses without an account whose failures are remembered; those of accounts are all remembered.
const UNKNOWN_ADDRESSES: u32 = 100_000;

/// What a try begins with.
enum Try {
    /// Verify against this.
    Verify { account: Option<AccountId>, stored: Option<StoredPassword> },
    /// Not yet.
    Wait { retry_in_ms: u64 },
}

/// Looks whether a try may be made, and counts it.
fn begin(transaction: &Transaction<'_>, email: &EmailAddress, now_ms: i64) -> Result<Try, StoreError> {
    let email_hash = email.hash();
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    let asked = named_params! {":email_hash": email_hash.0.as_slice(), ":forgotten_ms": forgotten_ms};
    let found = transaction
        .prepare_cached(FIND_FAILURES)?
        .query_row(asked, |row| Ok((row.get("failures")?, row.get("blocked_until_ms")?)));
    let (failures, blocked_until_ms): (u32, i64) = found.optional()?.unwrap_or((0, i64::MIN));
    if blocked_until_ms > now_ms {
        return Ok(Try::Wait { retry_in_ms: unsigned(blocked_until_ms.saturating_sub(now_ms)) });
    }
    let asked = named_params! {":email": email.as_str()};
    let found = transaction.prepare_cached(FIND_PASSWORD)?.query_row(asked, |row| {
        Ok((AccountId(row.get("id")?), row.get::<_, Option<String>>("password")?.map(StoredPassword)))
    });
    let (account, stored) = found.optional()?.map_or((None, None), |(id, stored)| (Some(id), stored));
    let failures = failures.saturating_add(1);
    transaction.prepare_cached(DROP_OLD_FAILURES)?.execute(named_params! {":forgotten_ms": forgotten_ms})?;
    transaction.prepare_cached(RECORD_FAILURE)?.execute(named_params! {
        ":email_hash": email_hash.0.as_slice(),
        ":failures": failures,
        ":now_ms": now_ms,
        ":blocked_until_ms": now_ms.saturating_add(wait_after(failures)),
        ":has_account": account.is_some(),
    })?;
    transaction.prepare_cached(DROP_SURPLUS_FAILURES)?.execute(named_params! {":kept": UNKNOWN_ADDRESSES})?;
    Ok(Try::Verify { account, stored })
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
    // first: a try that is refused for want of room is not counted
    let place = store.hashing.admit()?;
    let tried = email.clone();
    let begun = store.call(move |connection| begin_sign_in(connection, &tried, now_ms)).await?;
    let (account, stored) = match begun {
        Try::Verify { account, stored } => (account, stored),
        Try::Wait { retry_in_ms } => return Ok(SignIn::Wait { retry_in_ms }),
    };
    let fits = place.verify(password, stored.clone()).await?;
    let verified = stored.filter(|_| fits);
    store
        .call(move |connection| {
            finish_sign_in(connection, &email, account.as_ref(), verified.as_ref(), now_ms)
        })
        .await
}

fn begin_sign_in(connection: &mut Connection, email: &EmailAddress, now_ms: i64) -> Result<Try, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let right = still_holds(&transaction, email, verified)?;
    let found = accounts::find_by_email(&transaction, email)?.filter(|_| right);
    let signed_in = if let Some(account) = found {
        forget(&transaction, email)?;
        let actor = Actor::Account(account.id.clone());
        if account.locked_ms.is_some() {
            refused(&transaction, now_ms, &actor, Event::SignIn, Some(&account.id), "locked_by_operator")?;
            SignIn::LockedByOperator
        } else {
            audit::done(&transaction, now_ms, &actor, Event::SignIn, Some(&account.id), None)?;
            SignIn::SignedIn(sessions::begin(&transaction, account, false, now_ms)?)
        }
    } else {
        // written for an address without an account too, so that it takes as long
        let outcome = if account.is_some() { "wrong_password" } else { "unknown_account" };
        refused(&transaction, now_ms, &Actor::Visitor, Event::SignIn, account, outcome)?;
        SignIn::Refused
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
    audit::record(transaction, now_ms, &audit::Entry { actor, event, account, subject: None, outcome })
}

/// How a change of password begins.
enum Change {
    /// The session came from a link: the present password is not asked for.
    Free(Session),
    /// Verify the present one.
    Verify(Session, Option<StoredPassword>),
    Wait {
        retry_in_ms: u64,
    },
    NoSession,
}

/// See [`AccountStore::change_password`](crate::AccountStore::change_password).
pub(super) async fn change_password(
    store: &SqliteStore,
    session: SecretHash,
    present: Option<Password>,
    new: NewPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let place = store.hashing.admit()?;
    let begun = store.call(move |connection| begin_change(connection, session, now_ms)).await?;
    let (email, verified) = match begun {
        Change::Free(found) => (found.account.email, None),
        Change::Verify(found, stored) => {
            let present = present.unwrap_or_else(|| Password::typed(""));
            if !place.verify(present, stored.clone()).await? {
                let account = found.account.id;
                return store.call(move |connection| wrong_password(connection, &account, now_ms)).await;
            }
            (found.account.email, stored)
        }
        Change::Wait { retry_in_ms } => return Ok(PasswordChange::Wait { retry_in_ms }),
        Change::NoSession => return Ok(PasswordChange::NoSession),
    };
    let new = place.hash(new).await?;
    store
        .call(move |connection| finish_change(connection, session, &email, verified.as_ref(), &new, now_ms))
        .await
}

fn begin_change(connection: &mut Connection, session: SecretHash, now_ms: i64) -> Result<Change, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some((found, _)) = sessions::find(&transaction, session, now_ms)? else {
        return Ok(Change::NoSession);
    };
    if found.sets_password_until_ms.is_some_and(|until| until > now_ms) {
        return Ok(Change::Free(found));
    }
    let begun = match begin(&transaction, &found.account.email, now_ms)? {
        Try::Verify { stored, .. } => Change::Verify(found, stored),
        Try::Wait { retry_in_ms } => Change::Wait { retry_in_ms },
    };
    transaction.commit()?;
    Ok(begun)
}

fn wrong_password(
    connection: &mut Connection,
    account: &AccountId,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let actor = Actor::Account(account.clone());
    refused(&transaction, now_ms, &actor, Event::PasswordChange, Some(account), "wrong_password")?;
    transaction.commit()?;
    Ok(PasswordChange::WrongPassword)
}

fn finish_change(
    connection: &mut Connection,
    session: SecretHash,
    email: &EmailAddress,
    verified: Option<&StoredPassword>,
    new: &StoredPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some((found, _)) = sessions::find(&transaction, session, now_ms)? else {
        return Ok(PasswordChange::NoSession);
    };
    // what was verified may have been replaced meanwhile; that ended this session, so this is a second guard
    if verified.is_some() && !still_holds(&transaction, email, verified)? {
        return Ok(PasswordChange::NoSession);
    }
    let mut account = found.account;
    accounts::set_password(&transaction, &account.id, Some(new))?;
    account.has_password = true;
    forget(&transaction, email)?;
    sessions::end_all_of(&transaction, &account.id)?;
    let actor = Actor::Account(account.id.clone());
    audit::done(&transaction, now_ms, &actor, Event::PasswordChange, Some(&account.id), None)?;
    let session = sessions::begin(&transaction, account, false, now_ms)?;
    transaction.commit()?;
    Ok(PasswordChange::Changed(session))
}
