//! Deletion of accounts.

use futures_util::FutureExt;

use crate::account::Account;
use crate::account_store::{AccountDeletion, OwnDeletion};
use crate::audit::{Actor, Event};
use crate::database::{Database, Tx, params};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::flows::login_attempts::{self, Confirmation, Holder};
use crate::flows::{account_rows, audit, key_rows};
use crate::password::Password;
use crate::secret::SecretHash;
use crate::sql::deletion as sql;

/// See [`AccountStore::delete_account`](crate::AccountStore::delete_account).
pub(crate) async fn delete(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    now_ms: i64,
) -> Result<AccountDeletion, StoreError> {
    Ok(match account_rows::hold_by_email(tx, &email).await? {
        None => AccountDeletion::Unknown,
        Some(account) if account.is_operator => AccountDeletion::IsOperator,
        Some(account) => {
            delete_rows(tx, &by, &account, now_ms).await?;
            AccountDeletion::Deleted(account.id)
        }
    })
}

/// See [`AccountStore::delete_own_account`](crate::AccountStore::delete_own_account).
pub(crate) async fn delete_own<D: Database>(
    database: &D,
    session: SecretHash,
    present: Option<Password>,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let permit = database.hashing().admit()?;
    let confirmed =
        login_attempts::confirm(database, &permit, session, present, Event::AccountDeleted, now_ms).await?;
    match confirmed {
        Confirmation::Holder(holder) => {
            database.write_erasing(move |tx| finish_own(tx, session, holder, now_ms).boxed()).await
        }
        Confirmation::WrongPassword => Ok(OwnDeletion::WrongPassword),
        Confirmation::Wait { retry_in_ms } => Ok(OwnDeletion::Wait { retry_in_ms }),
        Confirmation::NoSession => Ok(OwnDeletion::NoSession),
    }
}

async fn finish_own(
    tx: &mut impl Tx,
    session: SecretHash,
    holder: Holder,
    now_ms: i64,
) -> Result<OwnDeletion, StoreError> {
    let found = login_attempts::hold_holder(tx, session, &holder, now_ms).await?;
    let Some(account) = found else { return Ok(OwnDeletion::NoSession) };
    if account.is_operator {
        // the password was correct, so the failure count is reset
        login_attempts::forget(tx, &account.email).await?;
        return Ok(OwnDeletion::IsOperator);
    }
    delete_rows(tx, &Actor::Account(account.id.clone()), &account, now_ms).await?;
    Ok(OwnDeletion::Deleted)
}

/// Deletes an account with all rows that refer to it, and records the deletion in the audit log. The caller has locked
/// the row of the account.
async fn delete_rows(tx: &mut impl Tx, by: &Actor, account: &Account, now_ms: i64) -> Result<(), StoreError> {
    let id = &account.id;
    for statement in &sql::DELETE_DRAWN {
        tx.execute(statement, params![id]).await?;
    }
    let revision = key_rows::next_revision(tx).await?;
    tx.execute(&sql::LOCK_KEYS, params![id]).await?;
    for statement in &sql::DELETE_ROWS {
        tx.execute(statement, params![id]).await?;
    }
    tx.execute(&sql::NOTE_REMOVAL, params![revision]).await?;
    login_attempts::forget(tx, &account.email).await?;
    tx.execute(&sql::DELETE_AUDIT_OF, params![id]).await?;
    tx.execute(&sql::UNNAME_ACTOR, params![id, &Actor::Operator.to_string()]).await?;
    audit::done(tx, now_ms, by, Event::AccountDeleted, Some(id), None).await
}
