//! Sessions and sign-in links, in SQL.

use super::account_rows;
use super::client::{Client, Transaction};
use super::rows::{self, Values};
use crate::account::{Account, AccountId};
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::{
    LINK_AGAIN_MS, LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, MAX_SESSIONS, NewLink,
    NewSession, SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionSecret,
};

const INSERT_SESSION: &str =
    "INSERT INTO sessions (hash, account, created_ms, used_ms, ends_ms, may_set_password)
    VALUES ($1, $2, $3, $3, $4, $5)";
const FIND_SESSION: &str = "SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
    WHERE hash = $1 AND ends_ms > $2 AND used_ms > $3";
const END_SESSIONS_OF: &str = "DELETE FROM sessions WHERE account = $1";
const DROP_OLD_SESSIONS: &str = "DELETE FROM sessions WHERE hash IN (
        SELECT hash FROM sessions WHERE ends_ms <= $1 OR used_ms <= $2 FOR UPDATE SKIP LOCKED
    )";
const DROP_SURPLUS_SESSIONS: &str = "DELETE FROM sessions WHERE account = $1 AND hash NOT IN (
        SELECT hash FROM sessions WHERE account = $1 ORDER BY created_ms DESC, used_ms DESC LIMIT $2
    )";
const REPLACE_LINK: &str =
    "INSERT INTO sign_in_links (account, hash, expires_ms, by_mail) VALUES ($1, $2, $3, $4)
    ON CONFLICT (account, by_mail) DO UPDATE SET hash = excluded.hash, expires_ms = excluded.expires_ms";
const FIND_LINK_END: &str = "SELECT expires_ms FROM sign_in_links WHERE account = $1 AND by_mail";
const DROP_LINKS_OF: &str = "DELETE FROM sign_in_links WHERE account = $1";
const DROP_OLD_LINKS: &str = "DELETE FROM sign_in_links WHERE hash IN (
        SELECT hash FROM sign_in_links WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";

/// Begins a session of an account that is held; old ones make room.
pub(super) async fn begin(
    transaction: &Transaction<'_>,
    account: Account,
    came_by_link: bool,
    now_ms: i64,
) -> Result<NewSession, StoreError> {
    let secret = SessionSecret::generate()?;
    let ends_ms = now_ms.saturating_add(SESSION_LIFE_MS);
    drop_old(transaction, now_ms).await?;
    let (id, hash) = (account.id.as_str(), secret.hash());
    let given: Values<'_> = &[&hash.0.as_slice(), &id, &now_ms, &ends_ms, &came_by_link];
    rows::execute(transaction, INSERT_SESSION, given).await?;
    rows::execute(transaction, DROP_SURPLUS_SESSIONS, &[&id, &i64::from(MAX_SESSIONS)]).await?;
    let sets_password_until_ms = came_by_link.then(|| now_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    let session = Session { account, created_ms: now_ms, ends_ms, sets_password_until_ms };
    Ok(NewSession { secret, session })
}

pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    rows::execute(transaction, DROP_OLD_SESSIONS, &[&now_ms, &idle_since_ms]).await?;
    Ok(())
}

/// Removes links whose time is over.
pub(super) async fn drop_old_links(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_OLD_LINKS, &[&now_ms]).await?;
    Ok(())
}

/// Ends all sessions and links of an account that is held; how many sessions there were.
pub(super) async fn end_all_of(
    transaction: &Transaction<'_>,
    account: &AccountId,
) -> Result<u64, StoreError> {
    rows::execute(transaction, DROP_LINKS_OF, &[&account.as_str()]).await?;
    rows::execute(transaction, END_SESSIONS_OF, &[&account.as_str()]).await
}

/// Makes the one link of an account that is held, or new, that is sent to its address (`by_mail`), or that is handed over.
pub(super) async fn make_link(
    transaction: &Transaction<'_>,
    account: &AccountId,
    by_mail: bool,
    now_ms: i64,
) -> Result<NewLink, StoreError> {
    let secret = LinkSecret::generate()?;
    let expires_ms = now_ms.saturating_add(LINK_LIFE_MS);
    let hash = secret.hash();
    let given: Values<'_> = &[&account.as_str(), &hash.0.as_slice(), &expires_ms, &by_mail];
    rows::execute(transaction, REPLACE_LINK, given).await?;
    Ok(NewLink { secret, expires_ms })
}

/// Whether a link was sent so lately that a request for one by mail gets no other.
pub(super) async fn has_fresh_link(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let found = rows::first(transaction, FIND_LINK_END, &[&account.as_str()]).await?;
    let Some(row) = found else { return Ok(false) };
    let end: i64 = row.try_get("expires_ms")?;
    Ok(end.saturating_sub(LINK_LIFE_MS) > now_ms.saturating_sub(LINK_AGAIN_MS))
}

/// The session of a secret, if it goes on, and when it was last used.
pub(super) async fn find(
    client: &impl Client,
    session: SecretHash,
    now_ms: i64,
) -> Result<Option<(Session, i64)>, StoreError> {
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    let asked: Values<'_> = &[&session.0.as_slice(), &now_ms, &idle_since_ms];
    let Some(row) = rows::first(client, FIND_SESSION, asked).await? else { return Ok(None) };
    let account = AccountId(row.try_get("account")?);
    let account = account_rows::find(client, &account).await?.filter(|account| account.locked_ms.is_none());
    let Some(account) = account else { return Ok(None) };
    let created_ms: i64 = row.try_get("created_ms")?;
    let may_set_password: bool = row.try_get("may_set_password")?;
    let sets_password_until_ms =
        may_set_password.then(|| created_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    let session = Session { account, created_ms, ends_ms: row.try_get("ends_ms")?, sets_password_until_ms };
    Ok(Some((session, row.try_get("used_ms")?)))
}
