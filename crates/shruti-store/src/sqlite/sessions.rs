//! Sessions and sign-in links, in SQL.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::account_rows;
use crate::account::{Account, AccountId};
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::{
    LINK_AGAIN_MS, LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, MAX_SESSIONS, NewLink,
    NewSession, SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionSecret,
};

const INSERT_SESSION: &str =
    "INSERT INTO sessions (hash, account, created_ms, used_ms, ends_ms, may_set_password)
    VALUES (:hash, :account, :now_ms, :now_ms, :ends_ms, :may_set_password)";
const FIND_SESSION: &str = "SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
    WHERE hash = :hash AND ends_ms > :now_ms AND used_ms > :idle_since_ms";
const END_SESSIONS_OF: &str = "DELETE FROM sessions WHERE account = :account";
const DROP_OLD_SESSIONS: &str = "DELETE FROM sessions WHERE ends_ms <= :now_ms OR used_ms <= :idle_since_ms";
const DROP_SURPLUS_SESSIONS: &str = "DELETE FROM sessions WHERE account = :account AND hash NOT IN (
        SELECT hash FROM sessions WHERE account = :account ORDER BY created_ms DESC, used_ms DESC LIMIT :kept
    )";
const REPLACE_LINK: &str = "INSERT OR REPLACE INTO sign_in_links (account, hash, expires_ms, by_mail)
    VALUES (:account, :hash, :expires_ms, :by_mail)";
const FIND_LINK_END: &str = "SELECT expires_ms FROM sign_in_links WHERE account = :account AND by_mail";
const DROP_LINKS_OF: &str = "DELETE FROM sign_in_links WHERE account = :account";
const DROP_OLD_LINKS: &str = "DELETE FROM sign_in_links WHERE expires_ms <= :now_ms";

/// Begins a session; old ones make room.
pub(super) fn begin(
    transaction: &Transaction<'_>,
    account: Account,
    came_by_link: bool,
    now_ms: i64,
) -> Result<NewSession, StoreError> {
    let secret = SessionSecret::generate()?;
    let ends_ms = now_ms.saturating_add(SESSION_LIFE_MS);
    drop_old(transaction, now_ms)?;
    transaction.prepare_cached(INSERT_SESSION)?.execute(named_params! {
        ":hash": secret.hash().0.as_slice(),
        ":account": account.id.as_str(),
        ":now_ms": now_ms,
        ":ends_ms": ends_ms,
        ":may_set_password": came_by_link,
    })?;
    transaction
        .prepare_cached(DROP_SURPLUS_SESSIONS)?
        .execute(named_params! {":account": account.id.as_str(), ":kept": MAX_SESSIONS})?;
    let sets_password_until_ms = came_by_link.then(|| now_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    let session = Session { account, created_ms: now_ms, ends_ms, sets_password_until_ms };
    Ok(NewSession { secret, session })
}

pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    transaction
        .prepare_cached(DROP_OLD_SESSIONS)?
        .execute(named_params! {":now_ms": now_ms, ":idle_since_ms": idle_since_ms})?;
    Ok(())
}

/// Removes links whose time is over.
pub(super) fn drop_old_links(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    transaction.execute(DROP_OLD_LINKS, named_params! {":now_ms": now_ms})?;
    Ok(())
}

/// Ends all sessions and links of an account; how many sessions there were.
pub(super) fn end_all_of(transaction: &Transaction<'_>, account: &AccountId) -> Result<usize, StoreError> {
    transaction.execute(DROP_LINKS_OF, named_params! {":account": account.as_str()})?;
    Ok(transaction.execute(END_SESSIONS_OF, named_params! {":account": account.as_str()})?)
}

/// Makes the one link of an account that is sent to its address (`by_mail`), or that is handed over.
pub(super) fn make_link(
    transaction: &Transaction<'_>,
    account: &AccountId,
    by_mail: bool,
    now_ms: i64,
) -> Result<NewLink, StoreError> {
    let secret = LinkSecret::generate()?;
    let expires_ms = now_ms.saturating_add(LINK_LIFE_MS);
    transaction.execute(
        REPLACE_LINK,
        named_params! {
            ":account": account.as_str(),
            ":hash": secret.hash().0.as_slice(),
            ":expires_ms": expires_ms,
            ":by_mail": by_mail,
        },
    )?;
    Ok(NewLink { secret, expires_ms })
}

/// Whether a link was sent so lately that a request for one by mail gets no other.
pub(super) fn has_fresh_link(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let asked = named_params! {":account": account.as_str()};
    let expires_ms: Option<i64> = transaction.query_row(FIND_LINK_END, asked, |row| row.get(0)).optional()?;
    Ok(expires_ms.is_some_and(|end| end.saturating_sub(LINK_LIFE_MS) > now_ms.saturating_sub(LINK_AGAIN_MS)))
}

/// The session of a secret, if it goes on, and when it was last used.
pub(super) fn find(
    connection: &Connection,
    session: SecretHash,
    now_ms: i64,
) -> Result<Option<(Session, i64)>, StoreError> {
    let asked = named_params! {
        ":hash": session.0.as_slice(),
        ":now_ms": now_ms,
        ":idle_since_ms": now_ms.saturating_sub(SESSION_IDLE_MS),
    };
    let mut statement = connection.prepare_cached(FIND_SESSION)?;
    let found = statement.query_row(asked, |row| {
        let account = AccountId(row.get("account")?);
        Ok((
            account,
            row.get("created_ms")?,
            row.get("used_ms")?,
            row.get("ends_ms")?,
            row.get("may_set_password")?,
        ))
    });
    let found: Option<(_, i64, i64, _, bool)> = found.optional()?;
    let Some((account, created_ms, used_ms, ends_ms, may_set_password)) = found else { return Ok(None) };
    let account = account_rows::find(connection, &account)?.filter(|account| account.locked_ms.is_none());
    let sets_password_until_ms =
        may_set_password.then(|| created_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    Ok(account.map(|account| (Session { account, created_ms, ends_ms, sets_password_until_ms }, used_ms)))
}
