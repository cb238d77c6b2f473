//! Rows of accounts.

use crate::account::{Account, AccountId};
use crate::account_store::{AccountOverview, AccountSearch};
use crate::audit::{Actor, Event};
use crate::calendar::{Day, Month};
use crate::database::{Row, Tx, params};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::flows::{audit, key_rows};
use crate::hashing::StoredPassword;
use crate::sql::accounts as sql;

pub(crate) async fn find(tx: &mut impl Tx, id: &AccountId) -> Result<Option<Account>, StoreError> {
    tx.first(&sql::FIND, params![id], read).await
}

/// Returns an account and locks it until the end of the transaction. The lock serialises the decisions about the
/// account.
pub(crate) async fn hold(tx: &mut impl Tx, id: &AccountId) -> Result<Option<Account>, StoreError> {
    tx.first(&sql::HOLD, params![id], read).await
}

/// Locks an account until the end of the transaction.
pub(crate) async fn lock(tx: &mut impl Tx, id: &AccountId) -> Result<(), StoreError> {
    tx.execute(&sql::LOCK, params![id]).await?;
    Ok(())
}

pub(crate) async fn find_by_email(
    tx: &mut impl Tx,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    tx.first(&sql::FIND_BY_EMAIL, params![email], read).await
}

/// Returns the account of an address and locks it until the end of the transaction.
pub(crate) async fn hold_by_email(
    tx: &mut impl Tx,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    tx.first(&sql::HOLD_BY_EMAIL, params![email], read).await
}

/// Locks the account of an address until the end of the transaction.
pub(crate) async fn lock_by_email(tx: &mut impl Tx, email: &EmailAddress) -> Result<(), StoreError> {
    tx.execute(&sql::LOCK_BY_EMAIL, params![email]).await?;
    Ok(())
}

pub(crate) async fn list(
    tx: &mut impl Tx,
    after: Option<EmailAddress>,
    limit: u32,
) -> Result<Vec<Account>, StoreError> {
    let after = after.as_ref().map_or("", EmailAddress::as_str);
    tx.all(&sql::LIST, params![after, limit], read).await
}

/// Returns the accounts that match the search of an operator.
pub(crate) async fn search(
    tx: &mut impl Tx,
    search: AccountSearch,
    now_ms: i64,
) -> Result<Vec<AccountOverview>, StoreError> {
    let AccountSearch { part, after, limit } = &search;
    let after = after.as_ref().map_or("", EmailAddress::as_str);
    let (first, today) = (Day::of(Month::of(now_ms).start_ms()), Day::of(now_ms));
    tx.all(&sql::SEARCH, params![part, after, *limit, first, today, now_ms], |row| {
        Ok(AccountOverview {
            account: read(row)?,
            chars_this_month: row.get("chars_this_month")?,
            usable_keys: row.get("usable_keys")?,
        })
    })
    .await
}

/// Creates an account. Returns `None` if another account has the address.
pub(crate) async fn insert(
    tx: &mut impl Tx,
    email: &EmailAddress,
    password: Option<&StoredPassword>,
    is_operator: bool,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    let id = AccountId::generate()?;
    let created = tx.execute(&sql::INSERT, params![&id, email, password, now_ms, is_operator]).await?;
    if created == 0 { Ok(None) } else { find(tx, &id).await }
}

/// Returns the operator's account, creates it if it is missing, and locks it until the end of the transaction.
pub(crate) async fn ensure_operator(tx: &mut impl Tx, now_ms: i64) -> Result<Account, StoreError> {
    let email = EmailAddress::operator();
    if let Some(account) = hold_by_email(tx, &email).await? {
        return Ok(account);
    }
    if let Some(account) = insert(tx, &email, None, true, now_ms).await? {
        audit::done(tx, now_ms, &Actor::Operator, Event::AccountCreated, Some(&account.id), None).await?;
        return Ok(account);
    }
    let found = hold_by_email(tx, &email).await?;
    found.ok_or_else(|| StoreError::Unreadable("the operator's account".to_owned()))
}

pub(crate) async fn set_password(
    tx: &mut impl Tx,
    account: &AccountId,
    password: Option<&StoredPassword>,
) -> Result<(), StoreError> {
    tx.execute(&sql::SET_PASSWORD, params![account, password]).await?;
    Ok(())
}

/// Gives an account access to speech synthesis and adds `chars` to its monthly allowance. Servers receive the change
/// with their next request for key changes.
pub(crate) async fn give_access(
    tx: &mut impl Tx,
    account: &AccountId,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    tx.execute(&sql::GIVE_ACCESS, params![account, chars, now_ms]).await?;
    key_rows::touch_all_of(tx, account).await
}

fn read(row: &dyn Row) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.get("id")?,
        email: row.get("email")?,
        created_ms: row.get("created_ms")?,
        is_operator: row.get("is_operator")?,
        has_password: row.get("has_password")?,
        access_ms: row.optional("access_ms")?,
        locked_ms: row.optional("locked_ms")?,
        monthly_chars: row.get("monthly_chars")?,
        verified_ms: row.optional("verified_ms")?,
    })
}
