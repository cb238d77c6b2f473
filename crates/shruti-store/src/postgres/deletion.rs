//! The deletion of accounts, in SQL.

use super::client::Transaction;
use super::login_attempts::{self, Confirmation, Holder};
use super::rows::{self, Values};
use super::store::PostgresStore;
use super::{account_rows, audit, key_rows};
use crate::account::Account;
use crate::account_store::{AccountDeletion, OwnDeletion};
use crate::audit::{Actor, Event};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::password::Password;
use crate::secret::SecretHash;

/// What is locked before keys are.
const DELETE_DRAWN: [&str; 3] = [
    "DELETE FROM leases WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM cap_drawn WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM allowance_drawn WHERE account = $1",
];
/// In the order in which reports of usage take them, which wait here and find no key afterwards.
const HOLD_KEYS: &str = "SELECT 1 FROM keys WHERE account = $1 ORDER BY prefix FOR UPDATE";
/// What hangs on the keys, then the keys, then what hangs on the account, and it.
const DELETE_ROWS: [&str; 13] = [
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM key_origins WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM usage WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM key_uses WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)",
    "DELETE FROM keys WHERE account = $1",
    "DELETE FROM quota_warnings WHERE account = $1",
    "DELETE FROM promo_redemptions WHERE account = $1",
    "DELETE FROM promo_tries WHERE account = $1",
    "DELETE FROM lexicons WHERE account = $1",
    "DELETE FROM sign_in_links WHERE account = $1",
    "DELETE FROM verification_links WHERE account = $1",
    "DELETE FROM sessions WHERE account = $1",
    "DELETE FROM accounts WHERE id = $1",
];
const NOTE_REMOVAL: &str = "UPDATE key_revision SET removed = $1";
const DROP_AUDIT_OF: &str = "DELETE FROM audit WHERE account = $1";
const UNNAME_ACTOR: &str = "UPDATE audit SET actor = $2 WHERE actor = $1";

/// See [`AccountStore::delete_account`](crate::AccountStore::delete_account).
pub(super) async fn delete(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<AccountDeletion, StoreError> {
    Ok(match account_rows::hold_by_email(transaction, email).await? {
        None => AccountDeletion::Unknown,
        Some(account) if account.is_operator => AccountDeletion::IsOperator,
        Some(account) => {
            remove(transaction, by, &account, now_ms).await?;
            AccountDeletion::Deleted(account.id)
        }
    })
}

/// See [`AccountStore::delete_own_account`](crate::AccountStore::delete_own_account).
pub(super) async fn delete_own(
    store: &PostgresStore,
    session: SecretHash,
    present: Option<Password>,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let permit = store.hashing.admit()?;
    let confirmed =
        login_attempts::confirm(store, &permit, session, present, Event::AccountDeleted, now_ms).await?;
    match confirmed {
        Confirmation::Holder(holder) => {
            store.call(async |transaction| finish_own(transaction, session, &holder, now_ms).await).await
        }
        Confirmation::WrongPassword => Ok(OwnDeletion::WrongPassword),
        Confirmation::Wait { retry_in_ms } => Ok(OwnDeletion::Wait { retry_in_ms }),
        Confirmation::NoSession => Ok(OwnDeletion::NoSession),
    }
}

async fn finish_own(
    transaction: &Transaction<'_>,
    session: SecretHash,
    holder: &Holder,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let found = login_attempts::hold_holder(transaction, session, holder, now_ms).await?;
    let Some(account) = found else { return Ok(OwnDeletion::NoSession) };
    if account.is_operator {
        // it was the holder all the same
        login_attempts::forget(transaction, &account.email).await?;
        return Ok(OwnDeletion::IsOperator);
    }
    remove(transaction, &Actor::Account(account.id.clone()), &account, now_ms).await?;
    Ok(OwnDeletion::Deleted)
}

/// Removes an account that is held with all that names it, and writes down that it was removed.
async fn remove(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &Account,
    now_ms: i64,
) -> Result<(), StoreError> {
    let id = account.id.as_str();
    let whose: Values<'_> = &[&id];
    for statement in DELETE_DRAWN {
        rows::execute(transaction, statement, whose).await?;
    }
    let revision = key_rows::next_revision(transaction).await?;
    rows::all(transaction, HOLD_KEYS, whose).await?;
    for statement in DELETE_ROWS {
        rows::execute(transaction, statement, whose).await?;
    }
    rows::execute(transaction, NOTE_REMOVAL, &[&revision]).await?;
    login_attempts::forget(transaction, &account.email).await?;
    rows::execute(transaction, DROP_AUDIT_OF, whose).await?;
    rows::execute(transaction, UNNAME_ACTOR, &[&id, &Actor::Operator.to_string()]).await?;
    audit::done(transaction, now_ms, by, Event::AccountDeleted, Some(&account.id), None).await
}
