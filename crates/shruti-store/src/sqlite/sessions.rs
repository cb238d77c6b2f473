//! Sessions and sign-in links, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::store::SqliteStore;
use super::{account_rows, audit, keys, verification};
use crate::account::{Account, AccountId};
use crate::audit::{Actor, Event};
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::{
    LINK_AGAIN_MS, LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, ListedSession, MAX_SESSIONS,
    NewLink, NewSession, SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionId, SessionSecret, SessionStore,
};

const INSERT_SESSION: &str =
    "INSERT INTO sessions (hash, account, created_ms, used_ms, ends_ms, may_set_password)
    VALUES (:hash, :account, :now_ms, :now_ms, :ends_ms, :may_set_password)";
const FIND_SESSION: &str = "SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
    WHERE hash = :hash AND ends_ms > :now_ms AND used_ms > :idle_since_ms";
const TOUCH_SESSION: &str = "UPDATE sessions SET used_ms = :now_ms WHERE hash = :hash";
const NOTE_BROWSER: &str = "UPDATE sessions SET browser = :browser WHERE hash = :hash";
const LIST_SESSIONS: &str = "SELECT hash, created_ms, used_ms, may_set_password, browser FROM sessions
    WHERE account = :account AND ends_ms > :now_ms AND used_ms > :idle_since_ms
    ORDER BY used_ms DESC, created_ms DESC";
const END_SESSION_OF: &str = "DELETE FROM sessions WHERE hash = :hash AND account = :account";
const END_SESSION: &str = "DELETE FROM sessions WHERE hash = :hash RETURNING account";
const END_SESSIONS_OF: &str = "DELETE FROM sessions WHERE account = :account";
const DROP_OLD_SESSIONS: &str = "DELETE FROM sessions WHERE ends_ms <= :now_ms OR used_ms <= :idle_since_ms";
const DROP_SURPLUS_SESSIONS: &str = "DELETE FROM sessions WHERE account = :account AND hash NOT IN (
        SELECT hash FROM sessions WHERE account = :account ORDER BY created_ms DESC, used_ms DESC LIMIT :kept
    )";
const REPLACE_LINK: &str = "INSERT OR REPLACE INTO sign_in_links (account, hash, expires_ms, by_mail)
    VALUES (:account, :hash, :expires_ms, :by_mail)";
const USE_LINK: &str =
    "DELETE FROM sign_in_links WHERE hash = :hash AND expires_ms > :now_ms RETURNING account, by_mail";
const FIND_LINK_END: &str = "SELECT expires_ms FROM sign_in_links WHERE account = :account AND by_mail";
const DROP_LINKS_OF: &str = "DELETE FROM sign_in_links WHERE account = :account";
const DROP_OLD_LINKS: &str = "DELETE FROM sign_in_links WHERE expires_ms <= :now_ms";

/// How far the noted last use may lag behind, in milliseconds: a minute.
const USE_NOTED_EVERY_MS: i64 = 60_000;

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

/// Notes a use; nothing is noted if the session ended since it was found.
fn note_use(connection: &mut Connection, session: SecretHash, now_ms: i64) -> Result<(), StoreError> {
    let given = named_params! {":hash": session.0.as_slice(), ":now_ms": now_ms};
    connection.prepare_cached(TOUCH_SESSION)?.execute(given)?;
    Ok(())
}

fn list(
    connection: &mut Connection,
    session: SecretHash,
    now_ms: i64,
) -> Result<Vec<ListedSession>, StoreError> {
    // one snapshot for both queries
    let transaction = connection.transaction()?;
    let Some((found, _)) = find(&transaction, session, now_ms)? else { return Ok(Vec::new()) };
    let mut statement = transaction.prepare_cached(LIST_SESSIONS)?;
    let asked = named_params! {
        ":account": found.account.id.as_str(),
        ":now_ms": now_ms,
        ":idle_since_ms": now_ms.saturating_sub(SESSION_IDLE_MS),
    };
    let rows = statement.query_map(asked, |row| {
        let hash = SecretHash(row.get("hash")?);
        Ok(ListedSession {
            id: SessionId(hash),
            is_own: hash == session,
            created_ms: row.get("created_ms")?,
            used_ms: row.get("used_ms")?,
            came_by_link: row.get("may_set_password")?,
            browser: row.get("browser")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn end_listed(
    connection: &mut Connection,
    session: SecretHash,
    ended: &SessionId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let transaction = connection.transaction()?;
    let Some((found, _)) = find(&transaction, session, now_ms)? else { return Ok(false) };
    let account = found.account.id;
    let named = named_params! {":hash": ended.0.0.as_slice(), ":account": account.as_str()};
    if transaction.execute(END_SESSION_OF, named)? == 0 {
        return Ok(false);
    }
    audit::done(
        &transaction,
        now_ms,
        &Actor::Account(account.clone()),
        Event::SignOut,
        Some(&account),
        None,
    )?;
    transaction.commit()?;
    Ok(true)
}

fn end(connection: &mut Connection, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
    let transaction = connection.transaction()?;
    let asked = named_params! {":hash": session.0.as_slice()};
    let account =
        transaction.query_row(END_SESSION, asked, |row| Ok(AccountId(row.get("account")?))).optional()?;
    if let Some(account) = &account {
        let actor = Actor::Account(account.clone());
        audit::done(&transaction, now_ms, &actor, Event::SignOut, Some(account), None)?;
    }
    transaction.commit()?;
    Ok(account.is_some())
}

fn end_all(connection: &mut Connection, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
    let transaction = connection.transaction()?;
    let Some((found, _)) = find(&transaction, session, now_ms)? else { return Ok(0) };
    let account = &found.account.id;
    let ended = end_all_of(&transaction, account)?;
    let actor = Actor::Account(account.clone());
    audit::done(&transaction, now_ms, &actor, Event::SignOutEverywhere, Some(account), None)?;
    transaction.commit()?;
    Ok(u32::try_from(ended).unwrap_or(u32::MAX))
}

fn use_link(
    connection: &mut Connection,
    link: SecretHash,
    now_ms: i64,
) -> Result<Option<NewSession>, StoreError> {
    let transaction = connection.transaction()?;
    let asked = named_params! {":hash": link.0.as_slice(), ":now_ms": now_ms};
    let used = transaction
        .query_row(USE_LINK, asked, |row| Ok((AccountId(row.get("account")?), row.get("by_mail")?)))
        .optional()?;
    let Some((account, by_mail)) = used else { return Ok(None) };
    let account = account_rows::find(&transaction, &account)?.filter(|account| account.locked_ms.is_none());
    let Some(mut account) = account else { return Ok(None) };
    let actor = Actor::Account(account.id.clone());
    audit::done(&transaction, now_ms, &actor, Event::LinkUsed, Some(&account.id), None)?;
    if by_mail && verification::note_verified(&transaction, &mut account, now_ms)? {
        // whoever chose the password, signed in and made keys before had not proved the address
        account_rows::set_password(&transaction, &account.id, None)?;
        keys::revoke_all_of(&transaction, &actor, &account.id, now_ms)?;
        end_all_of(&transaction, &account.id)?;
        account.has_password = false;
    }
    let session = begin(&transaction, account, true, now_ms)?;
    transaction.commit()?;
    Ok(Some(session))
}

#[async_trait]
impl SessionStore for SqliteStore {
    async fn find_session(&self, session: SecretHash, now_ms: i64) -> Result<Option<Session>, StoreError> {
        let found = self.read(move |connection| find(connection, session, now_ms)).await?;
        let Some((found, used_ms)) = found else { return Ok(None) };
        if now_ms.saturating_sub(used_ms) >= USE_NOTED_EVERY_MS {
            let noted = self.call_without_sync(move |connection| note_use(connection, session, now_ms)).await;
            // the session holds all the same, and the next request notes it
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of a session could not be noted");
            }
        }
        Ok(Some(found))
    }

    async fn note_browser(&self, session: SecretHash, browser: String) -> Result<(), StoreError> {
        self.call_without_sync(move |connection| {
            let given = named_params! {":hash": session.0.as_slice(), ":browser": browser};
            connection.prepare_cached(NOTE_BROWSER)?.execute(given)?;
            Ok(())
        })
        .await
    }

    async fn list_sessions(
        &self,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<Vec<ListedSession>, StoreError> {
        self.read(move |connection| list(connection, session, now_ms)).await
    }

    async fn end_listed_session(
        &self,
        session: SecretHash,
        ended: SessionId,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        self.call(move |connection| end_listed(connection, session, &ended, now_ms)).await
    }

    async fn end_session(&self, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
        self.call(move |connection| end(connection, session, now_ms)).await
    }

    async fn end_all_sessions(&self, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
        self.call(move |connection| end_all(connection, session, now_ms)).await
    }

    async fn use_sign_in_link(
        &self,
        link: SecretHash,
        now_ms: i64,
    ) -> Result<Option<NewSession>, StoreError> {
        self.call(move |connection| use_link(connection, link, now_ms)).await
    }
}
