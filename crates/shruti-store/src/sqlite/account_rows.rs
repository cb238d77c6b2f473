//! The rows of accounts: found, made, changed.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

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

const FIND_ACCOUNT: &str = select_accounts!("WHERE id = :id");
const FIND_ACCOUNT_BY_EMAIL: &str = select_accounts!("WHERE email = :email");
const LIST_ACCOUNTS: &str = select_accounts!("WHERE email > :after ORDER BY email LIMIT :limit");
const SEARCH_ACCOUNTS: &str = "SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator,
        access_ms, locked_ms, monthly_chars, verified_ms,
        coalesce((
            SELECT sum(chars) FROM usage
            WHERE prefix IN (SELECT prefix FROM keys WHERE account = accounts.id) AND day BETWEEN :first AND :today
        ), 0) AS chars_this_month,
        (
            SELECT count(*) FROM keys WHERE account = accounts.id AND purpose = 'api' AND revoked_ms IS NULL
                AND (expires_ms IS NULL OR expires_ms > :now_ms)
        ) AS usable_keys
    FROM accounts WHERE email > :after AND instr(email, :part) > 0 ORDER BY email LIMIT :limit";
const INSERT_ACCOUNT: &str =
    "INSERT INTO accounts (id, email, password, created_ms, is_operator, monthly_chars)
    VALUES (:id, :email, :password, :now_ms, :is_operator, 0)
    ON CONFLICT (email) DO NOTHING";
const SET_PASSWORD: &str = "UPDATE accounts SET password = :password WHERE id = :account";
const GIVE_ACCESS: &str = "UPDATE accounts
    SET access_ms = coalesce(access_ms, :now_ms), monthly_chars = monthly_chars + :chars, spent_month = NULL
    WHERE id = :account";

pub(super) fn find(connection: &Connection, id: &AccountId) -> Result<Option<Account>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_ACCOUNT)?;
    let found = statement.query_row(named_params! {":id": id.as_str()}, |row| Ok(read(row)));
    found.optional()?.transpose()
}

pub(super) fn find_by_email(
    connection: &Connection,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_ACCOUNT_BY_EMAIL)?;
    let found = statement.query_row(named_params! {":email": email.as_str()}, |row| Ok(read(row)));
    found.optional()?.transpose()
}

pub(super) fn list(
    connection: &Connection,
    after: Option<&EmailAddress>,
    limit: u32,
) -> Result<Vec<Account>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_ACCOUNTS)?;
    let asked = named_params! {":after": after.map_or("", EmailAddress::as_str), ":limit": limit};
    let rows = statement.query_map(asked, |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

/// What a search of an operator finds.
pub(super) fn search(
    connection: &Connection,
    search: &AccountSearch,
    now_ms: i64,
) -> Result<Vec<AccountOverview>, StoreError> {
    let mut statement = connection.prepare_cached(SEARCH_ACCOUNTS)?;
    let asked = named_params! {
        ":part": search.part,
        ":after": search.after.as_ref().map_or("", EmailAddress::as_str),
        ":limit": search.limit,
        ":first": Day::of(Month::of(now_ms).start_ms()).0,
        ":today": Day::of(now_ms).0,
        ":now_ms": now_ms,
    };
    let rows = statement.query_map(asked, |row| {
        let overview = |account| {
            Ok::<_, rusqlite::Error>(AccountOverview {
                account,
                chars_this_month: unsigned(row.get("chars_this_month")?),
                usable_keys: unsigned(row.get("usable_keys")?),
            })
        };
        Ok(read(row).and_then(|account| Ok(overview(account)?)))
    })?;
    rows.map(|row| row?).collect()
}

/// Makes an account unless its address is taken.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    password: Option<&StoredPassword>,
    is_operator: bool,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    let id = AccountId::generate()?;
    let made = transaction.execute(
        INSERT_ACCOUNT,
        named_params! {
            ":id": id.as_str(),
            ":email": email.as_str(),
            ":password": password.map(|password| &password.0),
            ":is_operator": is_operator,
            ":now_ms": now_ms,
        },
    )?;
    if made == 0 { Ok(None) } else { find(transaction, &id) }
}

/// The operator's account, made if there is none.
pub(super) fn ensure_operator(transaction: &Transaction<'_>, now_ms: i64) -> Result<Account, StoreError> {
    let email = EmailAddress::operator();
    if let Some(account) = insert(transaction, &email, None, true, now_ms)? {
        audit::done(transaction, now_ms, &Actor::Operator, Event::AccountCreated, Some(&account.id), None)?;
        return Ok(account);
    }
    let found = find_by_email(transaction, &email)?;
    found.ok_or_else(|| StoreError::Unreadable("the operator's account".to_owned()))
}

pub(super) fn set_password(
    transaction: &Transaction<'_>,
    account: &AccountId,
    password: Option<&StoredPassword>,
) -> Result<(), StoreError> {
    let given =
        named_params! {":account": account.as_str(), ":password": password.map(|password| &password.0)};
    transaction.execute(SET_PASSWORD, given)?;
    Ok(())
}

/// Gives access to speech and adds to the monthly allowance; servers learn it with the next changes of keys.
pub(super) fn give_access(
    transaction: &Transaction<'_>,
    account: &AccountId,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let given = named_params! {":account": account.as_str(), ":chars": signed(chars), ":now_ms": now_ms};
    transaction.execute(GIVE_ACCESS, given)?;
    key_rows::touch_all_of(transaction, account)
}

fn read(row: &Row<'_>) -> Result<Account, StoreError> {
    let email: String = row.get("email")?;
    Ok(Account {
        id: AccountId(row.get("id")?),
        email: email.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")))?,
        created_ms: row.get("created_ms")?,
        is_operator: row.get("is_operator")?,
        has_password: row.get("has_password")?,
        access_ms: row.get("access_ms")?,
        locked_ms: row.get("locked_ms")?,
        monthly_chars: unsigned(row.get("monthly_chars")?),
        verified_ms: row.get("verified_ms")?,
    })
}
