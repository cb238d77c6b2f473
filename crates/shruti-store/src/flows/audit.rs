//! The audit log.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::audit::{
    AUDIT_LIFE_MS, Actor, AuditEntry, AuditStore, Event, MAX_AUDIT_ENTRIES, NewEntry, OK, PackEvent,
};
use crate::calendar::Day;
use crate::database::{Database, Tx, params};
use crate::error::StoreError;
use crate::sql::audit as sql;

/// Writes an entry in the transaction of the action that it records. Repeated refusals of one kind on one day share an
/// entry.
pub(crate) async fn record(tx: &mut impl Tx, now_ms: i64, entry: &NewEntry<'_>) -> Result<(), StoreError> {
    let actor = entry.actor.to_string();
    let event = entry.event.as_str();
    let NewEntry { account, subject, outcome, .. } = *entry;
    if outcome != OK {
        tx.execute(&sql::LOCK_KIND, params![account, event, outcome]).await?;
        let day_ms = Day::of(now_ms).start_ms();
        if tx.execute(&sql::REPEAT, params![account, event, day_ms, &actor, outcome]).await? > 0 {
            return Ok(());
        }
    }
    tx.execute(&sql::INSERT, params![now_ms, &actor, event, account, subject, outcome]).await?;
    delete_old(tx, now_ms).await
}

/// Deletes entries older than [`AUDIT_LIFE_MS`], and the oldest entries if there are more than [`MAX_AUDIT_ENTRIES`].
pub(crate) async fn delete_old(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    let before_ms = now_ms.saturating_sub(AUDIT_LIFE_MS);
    tx.execute(&sql::DELETE_OLD, params![before_ms, MAX_AUDIT_ENTRIES]).await?;
    Ok(())
}

/// Writes an entry about an action that succeeded.
pub(crate) async fn done(
    tx: &mut impl Tx,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    subject: Option<&str>,
) -> Result<(), StoreError> {
    record(tx, now_ms, &NewEntry { actor, event, account, subject, outcome: OK }).await
}

async fn list(
    tx: &mut impl Tx,
    account: Option<AccountId>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    tx.all(&sql::LIST, params![before.unwrap_or(i64::MAX), account.as_ref(), limit], |row| {
        Ok(AuditEntry {
            id: row.get("id")?,
            at_ms: row.get("at_ms")?,
            actor: row.get("actor")?,
            event: row.get("event")?,
            account: row.optional("account")?,
            subject: row.optional("subject")?,
            outcome: row.get("outcome")?,
            times: row.get("times")?,
        })
    })
    .await
}

async fn record_pack(
    tx: &mut impl Tx,
    event: PackEvent,
    pack: String,
    now_ms: i64,
) -> Result<(), StoreError> {
    done(tx, now_ms, &Actor::Operator, Event::Pack(event), None, Some(&pack)).await
}

#[async_trait]
impl<D: Database> AuditStore for D {
    async fn audit_log(
        &self,
        account: Option<AccountId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read(move |tx| list(tx, account, before, limit).boxed()).await
    }

    async fn record_pack(&self, event: PackEvent, pack: String, now_ms: i64) -> Result<(), StoreError> {
        self.write(move |tx| record_pack(tx, event, pack, now_ms).boxed()).await
    }
}
