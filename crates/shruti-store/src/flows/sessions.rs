//! Sessions and sign-in links.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::{Account, AccountId};
use crate::audit::{Actor, Event};
use crate::database::{Database, Tx, params};
use crate::error::StoreError;
use crate::flows::{account_rows, audit, keys, verification};
use crate::secret::SecretHash;
use crate::session::{
    LINK_AGAIN_MS, LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, ListedSession, MAX_SESSIONS,
    NewLink, NewSession, SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionId, SessionSecret, SessionStore,
};
use crate::sql::sessions as sql;

/// Minimum interval between two writes of a session's last use, in milliseconds: 1 minute.
const USE_NOTED_EVERY_MS: i64 = 60_000;

/// Begins a session of an account. The oldest sessions are deleted if there are too many. The caller has locked the row
/// of the account.
pub(crate) async fn begin(
    tx: &mut impl Tx,
    account: Account,
    came_by_link: bool,
    now_ms: i64,
) -> Result<NewSession, StoreError> {
    let secret = SessionSecret::generate()?;
    let ends_ms = now_ms.saturating_add(SESSION_LIFE_MS);
    delete_old(tx, now_ms).await?;
    let (id, hash) = (&account.id, secret.hash());
    tx.execute(&sql::INSERT, params![&hash, id, now_ms, ends_ms, came_by_link]).await?;
    tx.execute(&sql::DELETE_SURPLUS, params![id, MAX_SESSIONS]).await?;
    let sets_password_until_ms = came_by_link.then(|| now_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    let session = Session { account, created_ms: now_ms, ends_ms, sets_password_until_ms };
    Ok(NewSession { secret, session })
}

/// Deletes sessions that have ended or have been idle for too long.
pub(crate) async fn delete_old(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_OLD, params![now_ms, now_ms.saturating_sub(SESSION_IDLE_MS)]).await?;
    Ok(())
}

pub(crate) async fn delete_expired_links(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_EXPIRED_LINKS, params![now_ms]).await?;
    Ok(())
}

/// Ends all sessions and links of an account. Returns the number of sessions. The caller has locked the row of the
/// account.
pub(crate) async fn end_all_of(tx: &mut impl Tx, account: &AccountId) -> Result<u64, StoreError> {
    tx.execute(&sql::DELETE_LINKS_OF, params![account]).await?;
    tx.execute(&sql::END_ALL_OF, params![account]).await
}

/// Creates a sign-in link for an account, which replaces the earlier one of the same kind: the link that is sent to the
/// address (`by_mail`), or the link that an operator hands over. The caller has locked or created the row of the
/// account.
pub(crate) async fn create_link(
    tx: &mut impl Tx,
    account: &AccountId,
    by_mail: bool,
    now_ms: i64,
) -> Result<NewLink, StoreError> {
    let secret = LinkSecret::generate()?;
    let expires_ms = now_ms.saturating_add(LINK_LIFE_MS);
    tx.execute(&sql::REPLACE_LINK, params![account, &secret.hash(), expires_ms, by_mail]).await?;
    Ok(NewLink { secret, expires_ms })
}

/// Returns `true` if a link was sent by email within the last [`LINK_AGAIN_MS`].
pub(crate) async fn has_fresh_link(
    tx: &mut impl Tx,
    account: &AccountId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let found = tx.first(&sql::FIND_LINK_END, params![account], |row| row.get::<i64>("expires_ms")).await?;
    Ok(found.is_some_and(|end| end.saturating_sub(LINK_LIFE_MS) > now_ms.saturating_sub(LINK_AGAIN_MS)))
}

/// Returns the session of a secret and the time of its last use, if the session has not ended and the account is not
/// locked.
pub(crate) async fn find(
    tx: &mut impl Tx,
    session: SecretHash,
    now_ms: i64,
) -> Result<Option<(Session, i64)>, StoreError> {
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    let found = tx
        .first(&sql::FIND, params![&session, now_ms, idle_since_ms], |row| {
            let account: AccountId = row.get("account")?;
            let times: (i64, i64, i64) = (row.get("created_ms")?, row.get("used_ms")?, row.get("ends_ms")?);
            Ok((account, times, row.get::<bool>("may_set_password")?))
        })
        .await?;
    let Some((account, (created_ms, used_ms, ends_ms), may_set_password)) = found else { return Ok(None) };
    let account = account_rows::find(tx, &account).await?.filter(|account| account.locked_ms.is_none());
    let sets_password_until_ms =
        may_set_password.then(|| created_ms.saturating_add(LINK_SESSION_SETS_PASSWORD_MS));
    Ok(account.map(|account| (Session { account, created_ms, ends_ms, sets_password_until_ms }, used_ms)))
}

/// Records the use of a session. Does nothing if the session has ended since it was found.
async fn note_use(tx: &mut impl Tx, session: SecretHash, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::NOTE_USE, params![&session, now_ms]).await?;
    Ok(())
}

async fn note_browser(tx: &mut impl Tx, session: SecretHash, browser: String) -> Result<(), StoreError> {
    tx.execute(&sql::NOTE_BROWSER, params![&session, &browser]).await?;
    Ok(())
}

async fn list(tx: &mut impl Tx, session: SecretHash, now_ms: i64) -> Result<Vec<ListedSession>, StoreError> {
    let Some((found, _)) = find(tx, session, now_ms).await? else { return Ok(Vec::new()) };
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    tx.all(&sql::LIST, params![&found.account.id, now_ms, idle_since_ms], |row| {
        let hash = row.get("hash")?;
        Ok(ListedSession {
            id: SessionId(hash),
            is_own: hash == session,
            created_ms: row.get("created_ms")?,
            used_ms: row.get("used_ms")?,
            came_by_link: row.get("may_set_password")?,
            browser: row.optional("browser")?,
        })
    })
    .await
}

async fn end_listed(
    tx: &mut impl Tx,
    session: SecretHash,
    ended: SessionId,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let Some((found, _)) = find(tx, session, now_ms).await? else { return Ok(false) };
    let account = found.account.id;
    if tx.execute(&sql::END_OF_ACCOUNT, params![&ended.0, &account]).await? == 0 {
        return Ok(false);
    }
    let actor = Actor::Account(account.clone());
    audit::done(tx, now_ms, &actor, Event::SignOut, Some(&account), None).await?;
    Ok(true)
}

async fn end(tx: &mut impl Tx, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
    let ended = tx.first(&sql::END, params![&session], |row| row.get::<AccountId>("account")).await?;
    let Some(account) = ended else { return Ok(false) };
    let actor = Actor::Account(account.clone());
    audit::done(tx, now_ms, &actor, Event::SignOut, Some(&account), None).await?;
    Ok(true)
}

async fn end_all(tx: &mut impl Tx, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
    let Some((found, _)) = find(tx, session, now_ms).await? else { return Ok(0) };
    let account = &found.account.id;
    if account_rows::hold(tx, account).await?.is_none() {
        return Ok(0);
    }
    let ended = end_all_of(tx, account).await?;
    let actor = Actor::Account(account.clone());
    audit::done(tx, now_ms, &actor, Event::SignOutEverywhere, Some(account), None).await?;
    Ok(u32::try_from(ended).unwrap_or(u32::MAX))
}

async fn use_link(tx: &mut impl Tx, link: SecretHash, now_ms: i64) -> Result<Option<NewSession>, StoreError> {
    let found = tx.first(&sql::FIND_LINK, params![&link, now_ms], |row| row.get("account")).await?;
    let Some(id) = found else { return Ok(None) };
    // the account is locked before the link, as in all flows; if several transactions have found the link, only one of
    // them deletes it
    let account = account_rows::hold(tx, &id).await?;
    let used = tx.first(&sql::USE_LINK, params![&link, now_ms], |row| row.get("by_mail")).await?;
    let Some(by_mail) = used else { return Ok(None) };
    let Some(mut account) = account.filter(|account| account.locked_ms.is_none()) else { return Ok(None) };
    let actor = Actor::Account(account.id.clone());
    audit::done(tx, now_ms, &actor, Event::LinkUsed, Some(&account.id), None).await?;
    if by_mail && verification::note_verified(tx, &mut account, now_ms).await? {
        // the address had not been verified when the password was chosen and the sessions and keys were created
        account_rows::set_password(tx, &account.id, None).await?;
        keys::revoke_all_of(tx, &actor, &account.id, now_ms).await?;
        end_all_of(tx, &account.id).await?;
        account.has_password = false;
    }
    begin(tx, account, true, now_ms).await.map(Some)
}

#[async_trait]
impl<D: Database> SessionStore for D {
    async fn find_session(&self, session: SecretHash, now_ms: i64) -> Result<Option<Session>, StoreError> {
        let found = self.read(move |tx| find(tx, session, now_ms).boxed()).await?;
        let Some((found, used_ms)) = found else { return Ok(None) };
        if now_ms.saturating_sub(used_ms) >= USE_NOTED_EVERY_MS {
            let noted = self.write_row(move |tx| note_use(tx, session, now_ms).boxed()).await;
            // the session is valid in any case, and the next request records its use
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of a session could not be recorded");
            }
        }
        Ok(Some(found))
    }

    async fn note_browser(&self, session: SecretHash, browser: String) -> Result<(), StoreError> {
        self.write_row(move |tx| note_browser(tx, session, browser).boxed()).await
    }

    async fn list_sessions(
        &self,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<Vec<ListedSession>, StoreError> {
        self.read(move |tx| list(tx, session, now_ms).boxed()).await
    }

    async fn end_listed_session(
        &self,
        session: SecretHash,
        ended: SessionId,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| end_listed(tx, session, ended, now_ms).boxed()).await
    }

    async fn end_session(&self, session: SecretHash, now_ms: i64) -> Result<bool, StoreError> {
        self.write(move |tx| end(tx, session, now_ms).boxed()).await
    }

    async fn end_all_sessions(&self, session: SecretHash, now_ms: i64) -> Result<u32, StoreError> {
        self.write(move |tx| end_all(tx, session, now_ms).boxed()).await
    }

    async fn use_sign_in_link(
        &self,
        link: SecretHash,
        now_ms: i64,
    ) -> Result<Option<NewSession>, StoreError> {
        self.write(move |tx| use_link(tx, link, now_ms).boxed()).await
    }
}
