//! The rows of accounts: found, held, made, changed.

use tokio_postgres::Row;

use super::client::{Client, Transaction};
use super::rows;
use super::{audit, key_rows};
use crate::account::{Account, AccountId};
use crate::account_store::{AccountOverview, AccountSearch};
use crate::audit::{Actor, Event};
use crate::calendar::{Day, Month};
use crate::count::{signed, unsigned};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::hashing::StoredPassword;

/// A whole statement that gives accounts, from the clauses after `FROM`.
macro_rules! select_accounts {
    ($clauses:literal) => {
        concat!(
            "SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator, access_ms, locked_ms,
                monthly_chars, verified_ms
            FROM accounts ",
            $clauses
        )
    };
}

const FIND_ACCOUNT: &str = select_accounts!("WHERE id = $1");
const HOLD_ACCOUNT: &str = select_accounts!("WHERE id = $1 FOR NO KEY UPDATE");
const FIND_ACCOUNT_BY_EMAIL: &str = select_accounts!("WHERE email = $1");
const HOLD_ACCOUNT_BY_EMAIL: &str = select_accounts!("WHERE email = $1 FOR NO KEY UPDATE");
const LIST_ACCOUNTS: &str = select_accounts!("WHERE email > $1 ORDER BY email LIMIT $2");
const SEARCH_ACCOUNTS: &str =
    "SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator,
        access_ms, locked_ms, monthly_chars, verified_ms,
        coalesce((
            SELECT sum(chars) FROM usage
            WHERE prefix IN (SELECT prefix FROM keys WHERE account = accounts.id) AND day BETWEEN $4 AND $5
        ), 0)::BIGINT AS chars_this_month,
        (
            SELECT count(*) FROM keys WHERE account = accounts.id AND purpose = 'api' AND revoked_ms IS NULL
                AND (expires_ms IS NULL OR expires_ms > $6)
        ) AS usable_keys
    FROM accounts WHERE email > $2 AND strpos(email, $1) > 0 ORDER BY email LIMIT $3";
const INSERT_ACCOUNT: &str =
    "INSERT INTO accounts (id, email, password, created_ms, is_operator, monthly_chars)
    VALUES ($1, $2, $3, $4, $5, 0)
    ON CONFLICT (email) DO NOTHING";
const SET_PASSWORD: &str = "UPDATE accounts SET password = $2 WHERE id = $1";
const GIVE_ACCESS: &str = "UPDATE accounts
    SET access_ms = coalesce(access_ms, $3), monthly_chars = monthly_chars + $2, spent_month = NULL
    WHERE id = $1";

pub(super) async fn find(client: &impl Client, id: &AccountId) -> Result<Option<Account>, StoreError> {
    rows::first(client, FIND_ACCOUNT, &[&id.as_str()]).await?.as_ref().map(read).transpose()
}

/// The same, held to the end of the transaction: what concerns an account is decided one after the other.
pub(super) async fn hold(
    transaction: &Transaction<'_>,
    id: &AccountId,
) -> Result<Option<Account>, StoreError> {
    rows::first(transaction, HOLD_ACCOUNT, &[&id.as_str()]).await?.as_ref().map(read).transpose()
}

pub(super) async fn find_by_email(
    client: &impl Client,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    rows::first(client, FIND_ACCOUNT_BY_EMAIL, &[&email.as_str()]).await?.as_ref().map(read).transpose()
}

/// The same, held to the end of the transaction.
pub(super) async fn hold_by_email(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    rows::first(transaction, HOLD_ACCOUNT_BY_EMAIL, &[&email.as_str()]).await?.as_ref().map(read).transpose()
}

pub(super) async fn list(
    client: &impl Client,
    after: Option<&EmailAddress>,
    limit: u32,
) -> Result<Vec<Account>, StoreError> {
    let after = after.map_or("", EmailAddress::as_str);
    rows::all(client, LIST_ACCOUNTS, &[&after, &i64::from(limit)]).await?.iter().map(read).collect()
}

/// What a search of an operator finds.
pub(super) async fn search(
    client: &impl Client,
    search: &AccountSearch,
    now_ms: i64,
) -> Result<Vec<AccountOverview>, StoreError> {
    let after = search.after.as_ref().map_or("", EmailAddress::as_str);
    let (first, today) = (Day::of(Month::of(now_ms).start_ms()), Day::of(now_ms));
    let asked: rows::Values<'_> =
        &[&search.part, &after, &i64::from(search.limit), &first.0, &today.0, &now_ms];
    let found = rows::all(client, SEARCH_ACCOUNTS, asked).await?;
    let overviews = found.iter().map(|row| {
        Ok(AccountOverview {
            account: read(row)?,
            chars_this_month: unsigned(row.try_get("chars_this_month")?),
            usable_keys: unsigned(row.try_get("usable_keys")?),
        })
    });
    overviews.collect()
}

/// Makes an account unless its address is taken.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    password: Option<&StoredPassword>,
    is_operator: bool,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    let id = AccountId::generate()?;
    let password = password.map(|password| password.0.as_str());
    let given: rows::Values<'_> = &[&id.as_str(), &email.as_str(), &password, &now_ms, &is_operator];
    let made = rows::execute(transaction, INSERT_ACCOUNT, given).await?;
    if made == 0 { Ok(None) } else { find(transaction, &id).await }
}

/// The operator's account, made if there is none, and held.
pub(super) async fn ensure_operator(
    transaction: &Transaction<'_>,
    now_ms: i64,
) -> Result<Account, StoreError> {
    let email = EmailAddress::operator();
    if let Some(account) = hold_by_email(transaction, &email).await? {
        return Ok(account);
    }
    if let Some(account) = insert(transaction, &email, None, true, now_ms).await? {
        audit::done(transaction, now_ms, &Actor::Operator, Event::AccountCreated, Some(&account.id), None)
            .await?;
        return Ok(account);
    }
    let found = hold_by_email(transaction, &email).await?;
    found.ok_or_else(|| StoreError::Unreadable("the operator's account".to_owned()))
}

pub(super) async fn set_password(
    transaction: &Transaction<'_>,
    account: &AccountId,
    password: Option<&StoredPassword>,
) -> Result<(), StoreError> {
    let password = password.map(|password| password.0.as_str());
    rows::execute(transaction, SET_PASSWORD, &[&account.as_str(), &password]).await?;
    Ok(())
}

/// Gives access to speech and adds to the monthly allowance; servers learn it with the next changes of keys.
pub(super) async fn give_access(
    transaction: &Transaction<'_>,
    account: &AccountId,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    rows::execute(transaction, GIVE_ACCESS, &[&account.as_str(), &signed(chars), &now_ms]).await?;
    key_rows::touch_all_of(transaction, account).await
}

fn read(row: &Row) -> Result<Account, StoreError> {
    let email: &str = row.try_get("email")?;
    Ok(Account {
        id: AccountId(row.try_get("id")?),
        email: email.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")))?,
        created_ms: row.try_get("created_ms")?,
        is_operator: row.try_get("is_operator")?,
        has_password: row.try_get("has_password")?,
        access_ms: row.try_get("access_ms")?,
        locked_ms: row.try_get("locked_ms")?,
        monthly_chars: unsigned(row.try_get("monthly_chars")?),
        verified_ms: row.try_get("verified_ms")?,
    })
}
