//! Attempts to sign in. Each attempt is counted, the password is verified outside any transaction, and then the outcome
//! is decided.
//!
//! An attempt is counted as failed before the password is verified, in the transaction that reads the count, so that
//! concurrent attempts are all counted. The correct password resets the count.

use futures_util::FutureExt;

use crate::account::{Account, AccountId};
use crate::account_store::{PasswordChange, SignIn};
use crate::audit::{Actor, Event, NewEntry};
use crate::database::{Database, Tx, params};
use crate::decisions::login_attempts::{
    AttemptDecision, Attempts, FAILURES_FORGOTTEN_MS, SignInDecision, decide_attempt, decide_sign_in,
};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::flows::{account_rows, audit, sessions};
use crate::hashing::{HashPermit, StoredPassword};
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::Session;
use crate::sql::login_attempts as sql;

/// Maximum number of addresses without an account whose failures are kept. Failures of addresses with an account are
/// always kept.
const MAX_UNKNOWN_ADDRESSES: u32 = 100_000;

/// Result of the first step of an attempt.
enum Attempt {
    /// The password is to be verified against the stored one.
    Verify { account: Option<AccountId>, stored: Option<StoredPassword> },
    /// The attempt is refused, because the wait after earlier failures is not over.
    Wait { retry_in_ms: u64 },
}

/// If an attempt is allowed now, counts it and returns the stored password to verify.
async fn begin(tx: &mut impl Tx, email: &EmailAddress, now_ms: i64) -> Result<Attempt, StoreError> {
    let email_hash = email.hash();
    let none = Attempts::NONE;
    tx.execute(&sql::ENSURE_FAILURES, params![&email_hash, now_ms, none.blocked_until_ms]).await?;
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    let before = tx
        .one(&sql::HOLD_FAILURES, params![&email_hash], |row| {
            if row.get::<i64>("last_ms")? <= forgotten_ms {
                return Ok(none);
            }
            let blocked_until_ms = row.get("blocked_until_ms")?;
            Ok(Attempts { failures: row.get("failures")?, blocked_until_ms })
        })
        .await?;
    let Attempts { failures, blocked_until_ms } = match decide_attempt(before, now_ms) {
        AttemptDecision::Verify(counted) => counted,
        AttemptDecision::Wait { retry_in_ms } => return Ok(Attempt::Wait { retry_in_ms }),
    };
    let (account, stored) = find_password(tx, email).await?;
    let row = params![&email_hash, failures, now_ms, blocked_until_ms, account.is_some()];
    tx.execute(&sql::RECORD_FAILURE, row).await?;
    delete_old(tx, now_ms).await?;
    Ok(Attempt::Verify { account, stored })
}

async fn begin_sign_in(tx: &mut impl Tx, email: EmailAddress, now_ms: i64) -> Result<Attempt, StoreError> {
    begin(tx, &email, now_ms).await
}

async fn find_password(
    tx: &mut impl Tx,
    email: &EmailAddress,
) -> Result<(Option<AccountId>, Option<StoredPassword>), StoreError> {
    let found = tx
        .first(&sql::FIND_PASSWORD, params![email], |row| {
            Ok((Some(row.get("id")?), row.optional("password")?))
        })
        .await?;
    Ok(found.unwrap_or_default())
}

/// Deletes failures that no longer count, and the oldest failures of addresses without an account if there are more
/// than [`MAX_UNKNOWN_ADDRESSES`].
pub(crate) async fn delete_old(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    let forgotten_ms = now_ms.saturating_sub(FAILURES_FORGOTTEN_MS);
    tx.execute(&sql::DELETE_OLD_FAILURES, params![forgotten_ms]).await?;
    tx.execute(&sql::DELETE_SURPLUS_FAILURES, params![MAX_UNKNOWN_ADDRESSES]).await?;
    Ok(())
}

/// Deletes the failures of an address.
pub(crate) async fn forget(tx: &mut impl Tx, email: &EmailAddress) -> Result<(), StoreError> {
    tx.execute(&sql::FORGET_FAILURES, params![&email.hash()]).await?;
    Ok(())
}

/// Returns `true` if the password that was verified is still the stored one.
async fn still_holds(
    tx: &mut impl Tx,
    email: &EmailAddress,
    verified: Option<&StoredPassword>,
) -> Result<bool, StoreError> {
    let (_, stored) = find_password(tx, email).await?;
    Ok(verified.is_some() && stored.as_ref() == verified)
}

/// See [`AccountStore::sign_in`](crate::AccountStore::sign_in).
pub(crate) async fn sign_in<D: Database>(
    database: &D,
    email: EmailAddress,
    password: Password,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    // the permit is requested first, so that an attempt is not counted if too many passwords are waiting to be hashed
    let permit = database.hashing().admit()?;
    let attempted = email.clone();
    let (account, stored) =
        match database.write(move |tx| begin_sign_in(tx, attempted, now_ms).boxed()).await? {
            Attempt::Verify { account, stored } => (account, stored),
            Attempt::Wait { retry_in_ms } => return Ok(SignIn::Wait { retry_in_ms }),
        };
    let fits = permit.verify(password, stored.clone()).await?;
    let verified = stored.filter(|_| fits);
    database.write(move |tx| finish_sign_in(tx, email, account, verified, now_ms).boxed()).await
}

async fn finish_sign_in(
    tx: &mut impl Tx,
    email: EmailAddress,
    account: Option<AccountId>,
    verified: Option<StoredPassword>,
    now_ms: i64,
) -> Result<SignIn, StoreError> {
    // the account is locked before the stored password is compared again, so that the attempt fails if the password has
    // changed
    let holder = account_rows::hold_by_email(tx, &email).await?;
    let right = still_holds(tx, &email, verified.as_ref()).await?;
    match decide_sign_in(holder.filter(|_| right), account.is_some()) {
        SignInDecision::SignIn(account) => {
            forget(tx, &email).await?;
            let actor = Actor::Account(account.id.clone());
            audit::done(tx, now_ms, &actor, Event::SignIn, Some(&account.id), None).await?;
            Ok(SignIn::SignedIn(sessions::begin(tx, account, false, now_ms).await?))
        }
        SignInDecision::LockedByOperator(account) => {
            forget(tx, &email).await?;
            let actor = Actor::Account(account.id.clone());
            refused(tx, now_ms, &actor, Event::SignIn, Some(&account.id), "locked_by_operator").await?;
            Ok(SignIn::LockedByOperator)
        }
        SignInDecision::Refuse(outcome) => {
            // the refusal is also written for an address without an account, so that the call takes the same time
            refused(tx, now_ms, &Actor::Visitor, Event::SignIn, account.as_ref(), outcome).await?;
            Ok(SignIn::Refused)
        }
    }
}

async fn refused(
    tx: &mut impl Tx,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    outcome: &'static str,
) -> Result<(), StoreError> {
    audit::record(tx, now_ms, &NewEntry { actor, event, account, subject: None, outcome }).await
}

/// Result of the first step of a confirmation.
enum Confirming {
    /// The user recently signed in with a link, so the current password is not needed.
    Free(Session),
    /// The current password must be verified against the stored one.
    Verify(Session, Option<StoredPassword>),
    Wait {
        retry_in_ms: u64,
    },
    NoSession,
}

/// Outcome of a confirmation.
pub(crate) enum Confirmation {
    /// The holder of the account is confirmed.
    Holder(Holder),
    WrongPassword,
    Wait {
        retry_in_ms: u64,
    },
    NoSession,
}

/// Confirmed holder of an account.
pub(crate) struct Holder {
    email: EmailAddress,
    /// Stored password that was verified, or `None` if none was needed.
    verified: Option<StoredPassword>,
}

/// Verifies, with the current password, that the account holder requests `event`. A session that was recently begun by
/// a link needs no password. Wrong passwords count as at sign-in.
pub(crate) async fn confirm<D: Database>(
    database: &D,
    permit: &HashPermit,
    session: SecretHash,
    present: Option<Password>,
    event: Event,
    now_ms: i64,
) -> Result<Confirmation, StoreError> {
    let begun = database.write(move |tx| begin_confirming(tx, session, now_ms).boxed()).await?;
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
                database.write(move |tx| wrong_password(tx, account, event, now_ms).boxed()).await?;
                Confirmation::WrongPassword
            }
        }
        Confirming::Wait { retry_in_ms } => Confirmation::Wait { retry_in_ms },
        Confirming::NoSession => Confirmation::NoSession,
    })
}

/// Returns the account of a confirmed holder and locks it. Returns `None` if the session has ended or the password has
/// changed since the confirmation.
pub(crate) async fn hold_holder(
    tx: &mut impl Tx,
    session: SecretHash,
    holder: &Holder,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    account_rows::lock_by_email(tx, &holder.email).await?;
    let Some((found, _)) = sessions::find(tx, session, now_ms).await? else { return Ok(None) };
    // this is a second check, because a change of the password also ends the session
    let verified = holder.verified.as_ref();
    if verified.is_some() && !still_holds(tx, &holder.email, verified).await? {
        return Ok(None);
    }
    Ok(Some(found.account))
}

/// See [`AccountStore::change_password`](crate::AccountStore::change_password).
pub(crate) async fn change_password<D: Database>(
    database: &D,
    session: SecretHash,
    present: Option<Password>,
    new: NewPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let permit = database.hashing().admit()?;
    let confirmed = confirm(database, &permit, session, present, Event::PasswordChange, now_ms).await?;
    let holder = match confirmed {
        Confirmation::Holder(holder) => holder,
        Confirmation::WrongPassword => return Ok(PasswordChange::WrongPassword),
        Confirmation::Wait { retry_in_ms } => return Ok(PasswordChange::Wait { retry_in_ms }),
        Confirmation::NoSession => return Ok(PasswordChange::NoSession),
    };
    let new = permit.hash(new).await?;
    database.write(move |tx| finish_change(tx, session, holder, new, now_ms).boxed()).await
}

async fn begin_confirming(
    tx: &mut impl Tx,
    session: SecretHash,
    now_ms: i64,
) -> Result<Confirming, StoreError> {
    let Some((found, _)) = sessions::find(tx, session, now_ms).await? else {
        return Ok(Confirming::NoSession);
    };
    if found.may_set_password(now_ms) {
        return Ok(Confirming::Free(found));
    }
    Ok(match begin(tx, &found.account.email, now_ms).await? {
        Attempt::Verify { stored, .. } => Confirming::Verify(found, stored),
        Attempt::Wait { retry_in_ms } => Confirming::Wait { retry_in_ms },
    })
}

async fn wrong_password(
    tx: &mut impl Tx,
    account: AccountId,
    event: Event,
    now_ms: i64,
) -> Result<(), StoreError> {
    let actor = Actor::Account(account.clone());
    refused(tx, now_ms, &actor, event, Some(&account), "wrong_password").await
}

async fn finish_change(
    tx: &mut impl Tx,
    session: SecretHash,
    holder: Holder,
    new: StoredPassword,
    now_ms: i64,
) -> Result<PasswordChange, StoreError> {
    let found = hold_holder(tx, session, &holder, now_ms).await?;
    let Some(mut account) = found else { return Ok(PasswordChange::NoSession) };
    account_rows::set_password(tx, &account.id, Some(&new)).await?;
    account.has_password = true;
    forget(tx, &account.email).await?;
    sessions::end_all_of(tx, &account.id).await?;
    let actor = Actor::Account(account.id.clone());
    audit::done(tx, now_ms, &actor, Event::PasswordChange, Some(&account.id), None).await?;
    let session = sessions::begin(tx, account, false, now_ms).await?;
    Ok(PasswordChange::Changed(session))
}
