//! Sessions and sign-in links, in SQL.

use async_trait::async_trait;

use super::client::{Client, Transaction};
use super::rows::{self, Values};
use super::store::PostgresStore;
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
    VALUES ($1, $2, $3, $3, $4, $5)";
const FIND_SESSION: &str = "SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
    WHERE hash = $1 AND ends_ms > $2 AND used_ms > $3";
const TOUCH_SESSION: &str = "UPDATE sessions SET used_ms = $2 WHERE hash = $1";
const NOTE_BROWSER: &str = "UPDATE sessions SET browser = $2 WHERE hash = $1";
const LIST_SESSIONS: &str = "SELECT hash, created_ms, used_ms, may_set_password, browser FROM sessions
    WHERE account = $1 AND ends_ms > $2 AND used_ms > $3
    ORDER BY used_ms DESC, created_ms DESC";
const END_SESSION_OF: &str = "DELETE FROM sessions WHERE hash = $1 AND account = $2";
const END_SESSION: &str = "DELETE FROM sessions WHERE hash = $1 RETURNING account";
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
const FIND_LINK: &str = "SELECT account FROM sign_in_links WHERE hash = $1 AND expires_ms > $2";
const USE_LINK: &str = "DELETE FROM sign_in_links WHERE hash = $1 AND expires_ms > $2 RETURNING by_mail";
const FIND_LINK_END: &str = "SELECT expires_ms FROM sign_in_links WHERE account = $1 AND by_mail";
const DROP_LINKS_OF: &str = "DELETE FROM sign_in_links WHERE account = $1";
const DROP_OLD_LINKS: &str = "DELETE FROM sign_in_links WHERE hash IN (
        SELECT hash FROM sign_in_links WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";

/// How far the noted last use may lag behind, in milliseconds: a minute.
const USE_NOTED_EVERY_MS: i64 = 60_000;

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

/// Notes a use; nothing is noted if the session ended since it was found.
async fn note_use(client: &impl Client, session: SecretHash, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(client, TOUCH_SESSION, &[&session.0.as_slice(), &now_ms]).await?;
    Ok(())
}

async fn list(
    client: &impl Client,
    session: SecretHash,
    now_ms: i64,
) -> Result<Vec<ListedSession>, StoreError> {
    let Some((found, _)) = find(client, session, now_ms).await? else { return Ok(Vec::new()) };
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    let asked: Values<'_> = &[&found.account.id.as_str(), &now_ms, &idle_since_ms];
    let sessions = rows::all(client, LIST_SESSIONS, asked).await?;
    let listed = sessions.iter().map(|row| {
        let hash = rows::hash(row, "hash")?;
        Ok(ListedSession {
            id: SessionId(hash),
            is_own: hash == session,
            created_ms: row.try_get("created_ms")?,
            used_ms: row.try_get("used_ms")?,
            came_by_link: row.try_get("may_set_password")?,
            browser: row.try_get("browser")?,
        })
    });
    listed.collect()
}

async fn end_listed(
    transaction: &Transaction<'_>,
    session: SecretHash,
    ended: &SessionId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let Some((found, _)) = find(transaction, session, now_ms).await? else { return Ok(false) };
    let account = found.account.id;
    if rows::execute(transaction, END_SESSION_OF, &[&ended.0.0.as_slice(), &account.as_str()]).await? == 0 {
        return Ok(false);
    }
    let actor = Actor::Account(account.clone());
    audit::done(transaction, now_ms, &actor, Event::SignOut, Some(&account), None).await?;
    Ok(true)
}

async fn end(transaction: &Transaction<'_>, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
    let ended = rows::first(transaction, END_SESSION, &[&session.0.as_slice()]).await?;
    let Some(row) = ended else { return Ok(false) };
    let account = AccountId(row.try_get("account")?);
    let actor = Actor::Account(account.clone());
    audit::done(transaction, now_ms, &actor, Event::SignOut, Some(&account), None).await?;
    Ok(true)
}

async fn end_all(transaction: &Transaction<'_>, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
    let Some((found, _)) = find(transaction, session, now_ms).await? else { return Ok(0) };
    let account = &found.account.id;
    if account_rows::hold(transaction, account).await?.is_none() {
        return Ok(0);
    }
    let ended = end_all_of(transaction, account).await?;
    let actor = Actor::Account(account.clone());
    audit::done(transaction, now_ms, &actor, Event::SignOutEverywhere, Some(account), None).await?;
    Ok(u32::try_from(ended).unwrap_or(u32::MAX))
}

async fn use_link(
    transaction: &Transaction<'_>,
    link: SecretHash,
    now_ms: i64,
) -> Result<Option<NewSession>, StoreError> {
    let asked: Values<'_> = &[&link.0.as_slice(), &now_ms];
    let Some(row) = rows::first(transaction, FIND_LINK, asked).await? else { return Ok(None) };
    // the account before the link, as everywhere; of several who found the link one removes it
    let account = account_rows::hold(transaction, &AccountId(row.try_get("account")?)).await?;
    let Some(used) = rows::first(transaction, USE_LINK, asked).await? else { return Ok(None) };
    let Some(mut account) = account.filter(|account| account.locked_ms.is_none()) else { return Ok(None) };
    let actor = Actor::Account(account.id.clone());
    audit::done(transaction, now_ms, &actor, Event::LinkUsed, Some(&account.id), None).await?;
    if used.try_get("by_mail")? && verification::note_verified(transaction, &mut account, now_ms).await? {
        // whoever chose the password, signed in and made keys before had not proved the address
        account_rows::set_password(transaction, &account.id, None).await?;
        keys::revoke_all_of(transaction, &actor, &account.id, now_ms).await?;
        end_all_of(transaction, &account.id).await?;
        account.has_password = false;
    }
    begin(transaction, account, true, now_ms).await.map(Some)
}

#[async_trait]
impl SessionStore for PostgresStore {
    async fn find_session(&self, session: SecretHash, now_ms: i64) -> Result<Option<Session>, StoreError> {
        let found = self.read(async |client| find(client, session, now_ms).await).await?;
        let Some((found, used_ms)) = found else { return Ok(None) };
        if now_ms.saturating_sub(used_ms) >= USE_NOTED_EVERY_MS {
            let noted = self.read(async |client| note_use(client, session, now_ms).await).await;
            // the session holds all the same, and the next request notes it
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of a session could not be noted");
            }
        }
        Ok(Some(found))
    }

    async fn note_browser(&self, session: SecretHash, browser: String) -> Result<(), StoreError> {
        let given: Values<'_> = &[&session.0.as_slice(), &browser];
        self.read(async |client| rows::execute(client, NOTE_BROWSER, given).await.map(drop)).await
    }

    async fn list_sessions(
        &self,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<Vec<ListedSession>, StoreError> {
        self.read(async |client| list(client, session, now_ms).await).await
    }

    async fn end_listed_session(
        &self,
        session: SecretHash,
        ended: SessionId,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        self.call(async |transaction| end_listed(transaction, session, &ended, now_ms).await).await
    }

    async fn end_session(&self, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
        self.call(async |transaction| end(transaction, session, now_ms).await).await
    }

    async fn end_all_sessions(&self, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
        self.call(async |transaction| end_all(transaction, session, now_ms).await).await
    }

    async fn use_sign_in_link(
        &self,
        link: SecretHash,
        now_ms: i64,
    ) -> Result<Option<NewSession>, StoreError> {
        self.call(async |transaction| use_link(transaction, link, now_ms).await).await
    }
}
