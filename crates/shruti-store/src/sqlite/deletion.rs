//! The deletion of accounts, in SQL.

use rusqlite::{Connection, Transaction, named_params};

use super::login_attempts::{self, Confirmation, Holder};
use super::store::SqliteStore;
use super::{account_rows, audit, checkpoint, key_rows};
use crate::account::Account;
use crate::account_store::{AccountDeletion, OwnDeletion};
use crate::audit::{Actor, Event};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::password::Password;
use crate::secret::SecretHash;

/// What hangs on the keys of an account, then the keys, then what hangs on the account, and it.
const DELETE_ROWS: [&str; 15] = [
    "DELETE FROM leases WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)",
    "DELETE FROM cap_drawn WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)",
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)",
    "DELETE FROM key_origins WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)",
    "DELETE FROM usage WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)",
    "DELETE FROM keys WHERE account = :account",
    "DELETE FROM allowance_drawn WHERE account = :account",
    "DELETE FROM quota_warnings WHERE account = :account",
    "DELETE FROM promo_redemptions WHERE account = :account",
    "DELETE FROM promo_tries WHERE account = :account",
    "DELETE FROM lexicons WHERE account = :account",
    "DELETE FROM sign_in_links WHERE account = :account",
    "DELETE FROM verification_links WHERE account = :account",
    "DELETE FROM sessions WHERE account = :account",
    "DELETE FROM accounts WHERE id = :account",
];
const NOTE_REMOVAL: &str = "UPDATE key_revision SET removed = :revision";
const DROP_AUDIT_OF: &str = "DELETE FROM audit WHERE account = :account";
const UNNAME_ACTOR: &str = "UPDATE audit SET actor = :operator WHERE actor = :account";

/// See [`AccountStore::delete_account`](crate::AccountStore::delete_account).
pub(super) async fn delete(
    store: &SqliteStore,
    by: Actor,
    email: EmailAddress,
    now_ms: i64,
) -> Result<AccountDeletion, StoreError> {
    store
        .call(move |connection| {
            overwriting(connection, |connection| {
                let transaction = connection.transaction()?;
                let deletion = match account_rows::find_by_email(&transaction, &email)? {
                    None => AccountDeletion::Unknown,
                    Some(account) if account.is_operator => AccountDeletion::IsOperator,
                    Some(account) => {
                        remove(&transaction, &by, &account, now_ms)?;
                        AccountDeletion::Deleted(account.id)
                    }
                };
                transaction.commit()?;
                Ok(deletion)
            })
        })
        .await
}

/// See [`AccountStore::delete_own_account`](crate::AccountStore::delete_own_account).
pub(super) async fn delete_own(
    store: &SqliteStore,
    session: SecretHash,
    present: Option<Password>,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let permit = store.hashing.admit()?;
    let confirmed =
        login_attempts::confirm(store, &permit, session, present, Event::AccountDeleted, now_ms).await?;
    let holder = match confirmed {
        Confirmation::Holder(holder) => holder,
        Confirmation::WrongPassword => return Ok(OwnDeletion::WrongPassword),
        Confirmation::Wait { retry_in_ms } => return Ok(OwnDeletion::Wait { retry_in_ms }),
        Confirmation::NoSession => return Ok(OwnDeletion::NoSession),
    };
    store
        .call(move |connection| {
            overwriting(connection, |connection| finish_own(connection, session, &holder, now_ms))
        })
        .await
}

fn finish_own(
    connection: &mut Connection,
    session: SecretHash,
    holder: &Holder,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let transaction = connection.transaction()?;
    let Some(account) = login_attempts::find_holder(&transaction, session, holder, now_ms)? else {
        return Ok(OwnDeletion::NoSession);
    };
    if account.is_operator {
        // it was the holder all the same
        login_attempts::forget(&transaction, &account.email)?;
        transaction.commit()?;
        return Ok(OwnDeletion::IsOperator);
    }
    remove(&transaction, &Actor::Account(account.id.clone()), &account, now_ms)?;
    transaction.commit()?;
    Ok(OwnDeletion::Deleted)
}

/// Removes an account with all that names it, and writes down that it was removed.
fn remove(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &Account,
    now_ms: i64,
) -> Result<(), StoreError> {
    let id = account.id.as_str();
    let revision = key_rows::next_revision(transaction)?;
    for statement in DELETE_ROWS {
        transaction.execute(statement, named_params! {":account": id})?;
    }
    transaction.execute(NOTE_REMOVAL, named_params! {":revision": revision})?;
    login_attempts::forget(transaction, &account.email)?;
    transaction.execute(DROP_AUDIT_OF, named_params! {":account": id})?;
    let operator = Actor::Operator.to_string();
    transaction.execute(UNNAME_ACTOR, named_params! {":account": id, ":operator": operator})?;
    audit::done(transaction, now_ms, by, Event::AccountDeleted, Some(&account.id), None)
}

/// Has rows deleted so that their bytes are overwritten, also those that are still in the log beside the database, as
/// far as nobody who reads is in the way.
fn overwriting<T>(
    connection: &mut Connection,
    delete: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    set_secure_delete(connection, true)?;
    let deleted = delete(connection);
    set_secure_delete(connection, false)?;
    let deleted = deleted?;
    // it is deleted all the same
    match checkpoint::run(connection) {
        Ok(true) => {}
        Ok(false) => {
            tracing::info!("the log beside the database still holds what was deleted, until it is emptied");
        }
        Err(error) => tracing::warn!(%error, "the log beside the database still holds what was deleted"),
    }
    Ok(deleted)
}

fn set_secure_delete(connection: &Connection, is_on: bool) -> Result<(), StoreError> {
    Ok(connection.pragma_update(None, "secure_delete", is_on)?)
}
